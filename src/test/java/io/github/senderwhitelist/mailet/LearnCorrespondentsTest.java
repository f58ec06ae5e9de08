package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.MONDAY;
import static io.github.senderwhitelist.mailet.TestServer.SAM;
import static io.github.senderwhitelist.mailet.TestServer.SPF;
import static io.github.senderwhitelist.mailet.TestServer.marked;
import static io.github.senderwhitelist.mailet.TestServer.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;

import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.tools.SmallLists;
import io.github.senderwhitelist.tools.TableSource;
import io.github.senderwhitelist.tools.TextResource;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.apache.james.core.builder.MimeMessageBuilder;
import org.apache.mailet.Mail;
import org.apache.mailet.base.test.FakeMail;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A user writes to strangers, and what follows from it, with a real database. */
class LearnCorrespondentsTest {
    @RegisterExtension
    final TestServer server =
            new TestServer(
                    TestServer.living("own")
                            + "<whitelist name=\"text\"><source>file://conf/x.txt</source>"
                            + "</whitelist>");

    private LearnCorrespondents learning = learning();

    @SuppressWarnings("NullAway.Init") // made before each test
    private SenderWhitelist whitelist;

    private LearnCorrespondents learning() {
        return new LearnCorrespondents(server.files, server.shared, Duration.ofMinutes(1));
    }

    private void init(String... parameters) throws MessagingException {
        List<String> all = new ArrayList<>(List.of("list", "own"));
        all.addAll(List.of(parameters));
        server.start(learning, all.toArray(String[]::new));
    }

    @BeforeEach
    void start() throws MessagingException {
        whitelist = server.mailet("own");
    }

    private static FakeMail.Builder sent(String... recipients) throws MessagingException {
        return FakeMail.builder()
                .name("sent")
                .sender(SAM)
                .recipients(recipients)
                .attribute(user(SAM))
                .mimeMessage(
                        MimeMessageBuilder.mimeMessageBuilder()
                                .addHeader("From", SAM)
                                .setSubject("hello")
                                .setText("hello"));
    }

    private void write(String... recipients) throws MessagingException {
        learning.service(sent(recipients).build());
    }

    /** Returns the verdict on a mail that comes in. */
    private String answer(String from, String recipient, boolean confirmed)
            throws MessagingException {
        FakeMail built = judged(from, recipient, confirmed);
        learning.service(built);
        return marked(built, "verdict") + ' ' + marked(built, "reason");
    }

    private FakeMail judged(String from, String recipient, boolean confirmed)
            throws MessagingException {
        FakeMail.Builder mail =
                FakeMail.builder()
                        .name("answer")
                        .sender("bounce-17@mailer.example")
                        .recipient(recipient)
                        .mimeMessage(
                                MimeMessageBuilder.mimeMessageBuilder().addHeader("From", from));
        if (confirmed) {
            String domain = from.substring(from.indexOf('@') + 1);
            mail.sender("bounce-17@" + domain).attribute(SPF);
        }
        FakeMail built = mail.build();
        whitelist.service(built);
        return built;
    }

    static Stream<Arguments> scenarios() {
        return TextResource.scenarios(LearnCorrespondentsTest.class, "correspondents.txt");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void shouldLearnAsInCorrespondents(String name, List<String> steps) throws Exception {
        for (String step : steps) {
            String rest = step.substring(step.indexOf(' ') + 1);
            String[] words = step.split(" ", -1);
            String[] others = Arrays.copyOfRange(words, 1, words.length);
            switch (words[0]) {
                case "start" -> {
                    learning.destroy();
                    learning = learning();
                    init(others);
                }
                case "day" -> server.now = MONDAY.plus(Duration.ofDays(Long.parseLong(rest)));
                case "put" -> server.list("own").put(Lines.entry(rest), "admin");
                case "write" -> write(others);
                case "confirmed", "unconfirmed" -> {
                    String to = words[2].equals("for") ? words[3] : SAM;
                    assertThat(answer(words[1], to, words[0].equals("confirmed")))
                            .as(step)
                            .isEqualTo(rest.substring(rest.indexOf('=') + 2));
                }
                case "has" ->
                        assertThat(String.join("; ", server.lines()))
                                .as(step)
                                .isEqualTo(
                                        step.equals("has")
                                                ? ""
                                                : rest.replace(
                                                        " learned",
                                                        " auth=any to=sam@here.example"
                                                                + " origin=learned"));
                default -> throw new AssertionError(step);
            }
        }
    }

    @ParameterizedTest
    @TableSource
    void shouldWarnAtTheStartWhenNothingConfirmsAnybody(String mailets, boolean warns)
            throws Exception {
        String classes =
                mailets.replace("DKIM", "org.apache.james.jdkim.mailets.DKIMVerify")
                        .replace("Judge", SenderWhitelist.class.getName());
        server.pipeline =
                "<mailetcontainer><processors><processor><mailet class='"
                        + classes.replace("/", "'/></processor><processor><mailet\tclass='")
                                .replace(" ", "'/><mailet class='")
                        + "'/></processor></processors></mailetcontainer>";
        List<String> log = server.logged(MissingResults.class, Level.INFO);
        init();

        assertThat(log)
                .filteredOn(
                        line ->
                                line.contains("class=\"SPF\"")
                                        && line.contains("before the whitelist")
                                        && !line.contains("\n"))
                .hasSize(warns ? 1 : 0);
    }

    @Test
    void shouldStartWhenTheConfigurationCannotBeRead() throws Exception {
        server.pipeline = "<mailetcontainer>";
        init();
        write("bob@stranger.example");
        assertThat(server.lines()).hasSize(1);
    }

    @Test
    void shouldExtendOnceADay() throws Exception {
        init("validity", "10d");
        write("bob@stranger.example");
        long changes = history();
        write("bob@stranger.example");
        assertThat(history()).isEqualTo(changes);

        server.now = MONDAY.plus(Duration.ofDays(2));
        write("bob@stranger.example");
        assertThat(server.lines())
                .hasSize(1)
                .first()
                .asString()
                .contains("from=2026-11-23 until=2026-12-05");
        assertThat(history()).isEqualTo(changes + 1);

        // Another server at midnight, whose clock is a little behind.
        server.now = MONDAY.plus(Duration.ofDays(1));
        write("bob@stranger.example");
        assertThat(server.lines()).first().asString().contains("until=2026-12-05");
        assertThat(history()).isEqualTo(changes + 1);
    }

    /** The user removes a line at the moment at which a mail that comes in extends it. */
    @Test
    void shouldNotBringBackWhatIsRemovedMeanwhile() throws Exception {
        init("renew", "both", "maxNewPerDay", "1000");
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            for (int i = 0; i < 100; i++) {
                String sender = "b" + i + "@stranger.example";
                server.now = MONDAY;
                write(sender);
                server.now = MONDAY.plus(Duration.ofDays(2));
                FakeMail mail = judged(sender, SAM, true);
                CyclicBarrier both = new CyclicBarrier(2);
                Future<Effect> removed =
                        threads.submit(
                                () -> {
                                    both.await();
                                    return server.list("own")
                                            .remove(
                                                    Origin.LEARNED,
                                                    SmallLists.address(sender).key(),
                                                    SmallLists.address(SAM).key(),
                                                    SAM);
                                });
                both.await();
                learning.service(mail);
                assertThat(removed.get()).isEqualTo(Effect.REMOVED);
                assertThat(server.lines()).as(sender).isEmpty();
            }
        }
    }

    private long history() throws IOException {
        return server.list("own")
                .record()
                .history(SmallLists.address("bob@stranger.example").key(), 100)
                .size();
    }

    @ParameterizedTest
    @TableSource
    void shouldNotLearnFromWhatNobodyWrote(String header, String value) throws Exception {
        init();
        learning.service(
                sent("bob@stranger.example")
                        .mimeMessage(
                                MimeMessageBuilder.mimeMessageBuilder().addHeader(header, value))
                        .build());
        assertThat(server.lines()).isEmpty();
    }

    /** Lets the user's program send a mail, and returns whether its recipient is learned. */
    private boolean teaches(String raw) throws Exception {
        init();
        MimeMessage message =
                TestServer.message(
                        ("MIME-Version: 1.0\nFrom: sam@here.example\n" + raw)
                                .replace("\n", "\r\n"));
        learning.service(sent("info@mallory.example").mimeMessage(message).build());
        return !server.lines().isEmpty();
    }

    /** An answer as Google, Apple (without "b") and Outlook (in a part of its own) write it. */
    @ParameterizedTest
    @TableSource
    void shouldNotLearnFromWhatCalendarsWrite(String type) throws Exception {
        assertThat(teaches("Subject: Declined: Sale\nContent-Type: " + type)).isFalse();
    }

    /** A stranger's mail says {@code List-Unsubscribe: <mailto:info@mallory.example?subject=…>}. */
    @ParameterizedTest
    @TableSource
    void shouldNotLearnFromMailsWithoutText(String rest) throws Exception {
        assertThat(teaches("Subject: stop\n" + rest)).isFalse();
    }

    @ParameterizedTest
    @TableSource
    void shouldLearnFromMailsWithContent(String rest) throws Exception {
        assertThat(teaches("Subject: stop\n" + rest)).isTrue();
    }

    /** Nothing tells what programs write for a user, or what a stranger has them write. */
    @Test
    void shouldBelieveTheTextOfAnUnsubscribeButton() throws Exception {
        assertThat(
                        teaches(
                                "X-Mailer: Apple Mail (2.3826.200.121)\n"
                                    + "Subject: stop\n\n"
                                    + "Apple Mail sent this email to unsubscribe from the message"
                                    + " \"Sale\"\n"))
                .isTrue();
    }

    @Test
    void shouldReadOnlyTheBeginningOfAMail() throws Exception {
        String part = "\n--a\nContent-Type: image/png\n\nx\n";
        String calendar = "\n--a\nContent-Type: text/calendar\n\nx\n";
        String head = "Content-Type: multipart/mixed; boundary=a\n";
        assertThat(teaches(head + part.repeat(20_000) + calendar)).isTrue();
    }

    @Test
    void shouldNotLearnFromOthers() throws Exception {
        init();
        FakeMail stranger =
                FakeMail.builder()
                        .name("m")
                        .sender(SAM)
                        .recipient("bob@stranger.example")
                        .mimeMessage(MimeMessageBuilder.mimeMessageBuilder().setText("x"))
                        .build();
        learning.service(stranger);
        learning.service(sent("bob@stranger.example").attribute(user("eve@far.example")).build());
        learning.service(sent("bob@stranger.example").sender(MailAddress.nullSender()).build());
        FakeMail made = sent("bob@stranger.example").build();
        made.setAttribute(Mail.SENT_BY_MAILET_ATTRIBUTE);
        learning.service(made);
        write(SAM, "unsubscribe-17@list.example", "news-leave@list.example");
        write(IntStream.range(0, 21).mapToObj(i -> "u" + i + "@x.example").toArray(String[]::new));
        assertThat(server.lines()).isEmpty();
    }

    @Test
    void shouldLetMailsGoOnWhateverHappens() throws Exception {
        learning.service(sent("bob@stranger.example").build());
        init();
        server.list("own").close();
        learning.service(sent("bob@stranger.example").build());
        learning.service(FakeMail.builder().name("m").attribute(user(SAM)).build());
    }

    @ParameterizedTest
    @TableSource
    void shouldExplainWrongParameters(String name, String value, String message) {
        assertThatThrownBy(() -> init(name, value == null ? "" : value))
                .isInstanceOf(MessagingException.class)
                .hasMessageContaining("LearnCorrespondents")
                .hasMessageContaining(message);
    }
}
