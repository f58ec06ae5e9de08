package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.MONDAY;
import static io.github.senderwhitelist.mailet.TestServer.SAM;
import static io.github.senderwhitelist.mailet.TestServer.SPF;
import static io.github.senderwhitelist.mailet.TestServer.marked;
import static io.github.senderwhitelist.mailet.TestServer.sent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.tools.SmallLists;
import io.github.senderwhitelist.tools.TableSource;
import io.github.senderwhitelist.tools.TextResource;

import jakarta.mail.MessagingException;

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
import java.util.Objects;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A user writes to strangers, and what follows from it, with a real database. */
class LearnCorrespondentsTest {
    private static final String BOB = "bob@stranger.example";
    private static final String TEXT = "Subject: hello\n\nhello\n";

    @RegisterExtension
    final TestServer server =
            new TestServer(
                    TestServer.living("own")
                            + "<whitelist name=\"text\"><source>file://conf/x.txt</source>"
                            + "</whitelist>");

    private LearnCorrespondents learning = new LearnCorrespondents(server.shared);

    @SuppressWarnings("NullAway.Init") // made before each test
    private SenderWhitelist whitelist;

    private void init(String... parameters) throws MessagingException {
        List<String> all = new ArrayList<>(List.of("list", "own"));
        all.addAll(List.of(parameters));
        server.start(learning, all.toArray(String[]::new));
    }

    @BeforeEach
    void start() throws MessagingException {
        whitelist = server.mailet("own");
    }

    private void write(String... recipients) throws Exception {
        service(sent(SAM, TEXT, recipients));
    }

    private void service(FakeMail mail) throws Exception {
        learning.service(mail);
        server.learned();
    }

    /** Returns a mail that comes in and is judged. */
    private FakeMail judged(String from, String recipient, boolean confirmed)
            throws MessagingException {
        String domain = confirmed ? from.substring(from.indexOf('@')) : "@mailer.example";
        FakeMail mail =
                TestServer.mail(
                        "bounce-17" + domain,
                        TestServer.message("From: " + from + "\r\n\r\n"),
                        recipient);
        if (confirmed) {
            mail.setAttribute(SPF);
        }
        whitelist.service(mail);
        return mail;
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
                    learning = new LearnCorrespondents(server.shared);
                    init(others);
                }
                case "day" -> server.now = MONDAY.plus(Duration.ofDays(Long.parseLong(rest)));
                case "put" -> server.list("own").put(Lines.entry(rest), "admin");
                case "write" -> write(others);
                case "confirmed", "unconfirmed" -> {
                    String to = words[2].equals("for") ? words[3] : SAM;
                    FakeMail mail = judged(words[1], to, words[0].equals("confirmed"));
                    service(mail);
                    assertThat(marked(mail, "verdict") + " " + marked(mail, "reason"))
                            .as(step)
                            .isEqualTo(rest.substring(rest.indexOf('=') + 2));
                }
                case "has" -> {
                    String all = " auth=any to=sam@here.example origin=learned";
                    assertThat(String.join("; ", server.lines()))
                            .as(step)
                            .isEqualTo(step.equals("has") ? "" : rest.replace(" learned", all));
                }
                default -> throw new AssertionError(step);
            }
        }
    }

    @ParameterizedTest
    @TableSource
    void startShouldWarnWhenNothingConfirmsAnybody(String mailets, boolean warns) throws Exception {
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
                .hasSize(warns ? 1 : 0)
                .allMatch(
                        line ->
                                line.contains("class=\"SPF\"")
                                        && line.contains("before the whitelist")
                                        && !line.contains("\n"));
    }

    @Test
    void startShouldNotNeedTheConfigurationOfThePipeline() throws Exception {
        server.pipeline = "<mailetcontainer>";
        init();
        write(BOB);
        assertThat(server.lines()).hasSize(1);
    }

    @Test
    void entryShouldBeExtendedOnceADay() throws Exception {
        init("validity", "10d");
        write(BOB);
        long changes = history();
        write(BOB);
        assertThat(history()).isEqualTo(changes);

        server.now = MONDAY.plus(Duration.ofDays(2));
        write(BOB);
        // Another server at midnight, whose clock is a little behind.
        server.now = MONDAY.plus(Duration.ofDays(1));
        write(BOB);
        assertThat(server.lines())
                .singleElement()
                .asString()
                .contains("from=2026-11-23 until=2026-12-05");
        assertThat(history()).isEqualTo(changes + 1);
    }

    private long history() throws IOException {
        return server.list("own").record().history(SmallLists.address(BOB).key(), 100).size();
    }

    /** The user removes a line at the moment at which a mail that comes in extends it. */
    @Test
    void entryShouldNotComeBackWhenItIsRemovedMeanwhile() throws Exception {
        init("renew", "both", "maxNewPerDay", "1000");
        Key sam = SmallLists.address(SAM).key();
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            for (int i = 0; i < 100; i++) {
                String sender = "b" + i + "@stranger.example";
                Key key = SmallLists.address(sender).key();
                server.now = MONDAY;
                write(sender);
                server.now = MONDAY.plus(Duration.ofDays(2));
                FakeMail mail = judged(sender, SAM, true);
                CyclicBarrier both = new CyclicBarrier(2);
                Future<Effect> removed =
                        threads.submit(
                                () -> {
                                    both.await();
                                    return server.list("own").remove(Origin.LEARNED, key, sam, SAM);
                                });
                both.await();
                service(mail);
                assertThat(removed.get()).isEqualTo(Effect.REMOVED);
                assertThat(server.lines()).as(sender).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @TableSource
    void nothingShouldBeLearnedFromWhatNobodyWrote(String raw) throws Exception {
        assertThat(learned(raw)).isEmpty();
    }

    @ParameterizedTest
    @TableSource
    void personShouldBeLearnedFromMailsWithContent(String raw) throws Exception {
        assertThat(learned(raw)).hasSize(1);
    }

    private List<String> learned(String raw) throws Exception {
        init();
        service(sent(SAM, "MIME-Version: 1.0\nFrom: " + SAM + "\n" + raw, BOB));
        return server.lines();
    }

    @Test
    void onlyTheBeginningOfAMailShouldBeRead() throws Exception {
        String part = "\n--a\nContent-Type: image/png\n\nx\n";
        String calendar = "\n--a\nContent-Type: text/calendar\n\nx\n";
        String head = "Content-Type: multipart/mixed; boundary=a\n";
        assertThat(learned(head + part.repeat(20_000) + calendar)).hasSize(1);
    }

    @Test
    void nothingShouldBeLearnedFromOthersOrOfWhomIsNoPerson() throws Exception {
        init();
        service(TestServer.mail(SAM, TestServer.lines(TEXT), BOB));
        service(sent("eve@far.example", TEXT, BOB));
        FakeMail ofNobody = TestServer.mail("", TestServer.lines(TEXT), BOB);
        ofNobody.setAttribute(TestServer.user(SAM));
        service(ofNobody);
        FakeMail made = sent(SAM, TEXT, BOB);
        made.setAttribute(Mail.SENT_BY_MAILET_ATTRIBUTE);
        service(made);
        write(SAM, "unsubscribe-17@list.example", "news-leave@list.example");
        write(IntStream.range(0, 21).mapToObj(i -> "u" + i + "@x.example").toArray(String[]::new));
        assertThat(server.lines()).isEmpty();
    }

    @Test
    void mailsShouldGoOnWhateverHappens() throws Exception {
        write(BOB);
        init();
        server.list("own").close();
        write(BOB);
        learning.service(FakeMail.builder().name("m").attribute(TestServer.user(SAM)).build());
        learning.destroy();
        write(BOB);
        assertThat(server.metrics.countFor("senderWhitelist.learning.failed")).isEqualTo(1);
    }

    @ParameterizedTest
    @TableSource
    void wrongParametersShouldBeExplained(String name, String value, String message) {
        assertThatThrownBy(() -> init(name, Objects.requireNonNullElse(value, "")))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("LearnCorrespondents")
                .hasMessageContaining(message);
    }
}
