package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.MONDAY;
import static io.github.senderwhitelist.mailet.TestServer.SAM;
import static io.github.senderwhitelist.mailet.TestServer.SPF;
import static io.github.senderwhitelist.mailet.TestServer.marked;
import static io.github.senderwhitelist.mailet.TestServer.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.Level;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.tools.SmallLists;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.apache.james.core.builder.MimeMessageBuilder;
import org.apache.mailet.Mail;
import org.apache.mailet.base.test.FakeMail;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

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

    @Test
    void shouldListTheConfirmedAnswerForTheUserAlone() throws Exception {
        init();
        assertThat(answer("Bob@Stranger.example", SAM, true)).isEqualTo("not-listed stranger");
        write("bob@stranger.example");
        assertThat(server.lines())
                .containsExactly(
                        "bob@stranger.example from=2026-11-23 until=2027-11-23 auth=any"
                                + " to=sam@here.example origin=learned");
        assertThat(answer("Bob@Stranger.example", SAM, true)).isEqualTo("listed listed");
        assertThat(answer("bob@stranger.example", SAM, false))
                .isEqualTo("not-listed unauthenticated");
        assertThat(answer("bob@stranger.example", "eve@here.example", true))
                .isEqualTo("not-listed stranger");
        server.now = MONDAY.plus(Duration.ofDays(366));
        assertThat(answer("bob@stranger.example", SAM, true)).isEqualTo("not-listed expired");
    }

    @ParameterizedTest
    @CsvSource({
        "SPF Judge, false",
        "DKIM Judge, false",
        "Learn SPF Judge, false",
        "Other/SPF/Judge, false",
        "SPF, false",
        "Judge SPF DKIM, true",
        "Other/Judge, true",
    })
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

    @ParameterizedTest
    @ValueSource(strings = {"sent", "both"})
    void shouldListAtOnceWhomTheUserWritesToAfterTheClockWasAhead(String renew) throws Exception {
        init("renew", renew);
        server.now = MONDAY.plus(Duration.ofDays(700));
        write("bob@stranger.example");
        server.now = MONDAY;
        assertThat(answer("bob@stranger.example", SAM, true)).isEqualTo("not-listed not-yet");
        write("bob@stranger.example");
        assertThat(server.lines())
                .containsExactly(
                        "bob@stranger.example from=2026-11-23 until=2027-11-23 auth=any"
                                + " to=sam@here.example origin=learned");
        assertThat(answer("bob@stranger.example", SAM, true)).isEqualTo("listed listed");
    }

    @Test
    void shouldExtendByConfirmedMailsThatComeInIfAskedTo() throws Exception {
        init("validity", "10d", "renew", "both");
        write("bob@stranger.example");
        server.now = MONDAY.plus(Duration.ofDays(2));
        assertThat(server.lines()).first().asString().contains("until=2026-12-03");
        answer("bob@stranger.example", "eve@here.example", true);
        answer("bob@stranger.example", SAM, false);
        answer("jim@stranger.example", SAM, true);
        assertThat(server.lines()).hasSize(1).first().asString().contains("until=2026-12-03");
        answer("bob@stranger.example", SAM, true);
        assertThat(server.lines()).hasSize(1).first().asString().contains("until=2026-12-05");

        server.now = MONDAY.plus(Duration.ofDays(20));
        answer("bob@stranger.example", SAM, true);
        assertThat(server.lines()).first().asString().contains("until=2026-12-05");
        write("bob@stranger.example");
        assertThat(server.lines()).first().asString().contains("until=2026-12-23");
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

    @Test
    void shouldNotExtendByMailsThatComeInByDefault() throws Exception {
        init("validity", "10d");
        write("bob@stranger.example");
        server.now = MONDAY.plus(Duration.ofDays(2));
        assertThat(answer("bob@stranger.example", SAM, true)).isEqualTo("listed listed");
        assertThat(server.lines()).first().asString().contains("until=2026-12-03");
    }

    @Test
    void shouldNotExtendByAForgedMailThatAnotherEntryLists() throws Exception {
        init("validity", "10d", "renew", "both");
        write("bob@stranger.example");
        server.list("own")
                .put(
                        new Entry(SmallLists.address("bounce-17@mailer.example").key(), false),
                        "admin");
        server.now = MONDAY.plus(Duration.ofDays(2));
        assertThat(answer("bob@stranger.example", SAM, false)).isEqualTo("listed listed");
        assertThat(server.lines()).anyMatch(line -> line.contains("until=2026-12-03"));
        write("bob@stranger.example");
        assertThat(server.lines()).anyMatch(line -> line.contains("until=2026-12-05"));
    }

    /** The envelope is of somebody else there. SPF and DKIM confirm domains, not people. */
    @Test
    void shouldBelieveWhatTheHosterOfACorrespondentConfirms() throws Exception {
        init();
        write("bob@hoster.example");
        assertThat(answer("bob@hoster.example", SAM, true)).isEqualTo("listed listed");
        assertThat(answer("neighbour@hoster.example", SAM, true)).isEqualTo("not-listed stranger");
    }

    private long history() throws IOException {
        return server.list("own")
                .record()
                .history(SmallLists.address("bob@stranger.example").key(), 100)
                .size();
    }

    @Test
    void shouldRefuseMoreThanADaysShare() throws Exception {
        init("maxNewPerDay", "3");
        write("a@x.example", "b@x.example");
        write("c@x.example", "d@x.example", "e@x.example");
        assertThat(server.lines()).hasSize(3);
        write("f@x.example", "a@x.example");
        assertThat(server.lines()).hasSize(3);
        server.now = MONDAY.plus(Duration.ofDays(1));
        write("d@x.example");
        assertThat(server.lines()).hasSize(4);
    }

    @Test
    void shouldMakeRoomByForgettingWhomTheUserWroteToLongestAgo() throws Exception {
        init("maxPerUser", "3");
        Key sam = SmallLists.address(SAM).key();
        Rule denial = new Rule(true, null, null, null, Origin.USER, "");
        server.list("own")
                .put(new Entry(SmallLists.address("z@x.example").key(), sam, List.of(denial)), SAM);
        for (int day = 0; day < 3; day++) {
            server.now = MONDAY.plus(Duration.ofDays(day));
            write((char) ('a' + day) + "@x.example");
        }
        server.now = MONDAY.plus(Duration.ofDays(3));
        write("a@x.example");
        write("d@x.example");
        assertThat(server.lines())
                .extracting(line -> line.substring(0, line.indexOf(' ')))
                .containsExactlyInAnyOrder(
                        "a@x.example", "c@x.example", "d@x.example", "!z@x.example");
    }

    @ParameterizedTest
    @CsvSource({
        "Auto-Submitted, auto-replied",
        "Auto-Submitted, Auto-Generated (vacation)",
        "Precedence, bulk",
        "Precedence, LIST",
        "List-Id, <a.b>",
        "List-Unsubscribe, <mailto:x@y>",
        "Content-Type, multipart/report; report-type=disposition-notification",
        "Content-Type, Multipart/Report",
        "Subject, unsubscribe"
    })
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
                new MimeMessage(
                        (Session) null,
                        new ByteArrayInputStream(
                                ("MIME-Version: 1.0\nFrom: sam@here.example\n" + raw)
                                        .replace("\n", "\r\n")
                                        .getBytes(UTF_8)));
        learning.service(sent("info@mallory.example").mimeMessage(message).build());
        return !server.lines().isEmpty();
    }

    /** An answer as Google, Apple (without "b") and Outlook (in a part of its own) write it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/calendar; method=REPLY\n\nBEGIN:VCALENDAR\n",
                "TEXT/Calendar\n\nBEGIN:VCALENDAR\n",
                "multipart/mixed; boundary=a\n\n--a\nContent-Type: multipart/alternative;"
                        + " boundary=b\n\n--b\n\nSam has declined.\n--b\nContent-Type:"
                        + " text/calendar; charset=\"UTF-8\";\n\tmethod=\"Reply\""
                        + "\nContent-Transfer-Encoding: base64\n\nQkVHSU4=\n--b--\n--a--\n",
                "multipart/mixed; boundary=a\n\n--a\nContent-Type: text/calendar; method=REPLY"
                        + "\nContent-Disposition: attachment\n\nBEGIN:VCALENDAR\n--a--\n",
            })
    void shouldNotLearnFromWhatCalendarsWrite(String type) throws Exception {
        assertThat(teaches("Subject: Declined: Sale\nContent-Type: " + type)).isFalse();
    }

    /** A stranger's mail says {@code List-Unsubscribe: <mailto:info@mallory.example?subject=…>}. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\n",
                "Content-Type: text/plain; charset=UTF-8; format=flowed\n\n\n-- \nSam Smith\n",
                "Content-Type: text/html\n\n<html><body><p><br></p>&nbsp;</body></html>\n",
                "Content-Type: multipart/alternative; boundary=b\n\n--b\n\n \n--b"
                        + "\nContent-Type: text/html\n\n<p><br></p><pre>-- <br>Sam</pre>\n--b--\n",
                "In-Reply-To: \n\n",
            })
    void shouldNotLearnFromMailsWithoutText(String rest) throws Exception {
        assertThat(teaches("Subject: stop\n" + rest)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "In-Reply-To: <1@mallory.example>\n\n",
                "\nHello\n-- \nSam\n",
                "Content-Type: text/html\n\n<p>Hello</p>\n",
                "Content-Type: multipart/mixed; boundary=a\n\n--a\n\n\n--a\nContent-Type:"
                        + " image/png\n\nx\n--a--\n",
                "Content-Type: text/plain\nContent-Disposition: attachment\n\n\n",
            })
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
    void shouldLearnLocalPeopleOnlyWhenAsked() throws Exception {
        init();
        write("eve@here.example");
        assertThat(server.lines()).isEmpty();
        learning.destroy();
        learning = learning();
        init("learnLocal", "true");
        write("eve@here.example");
        assertThat(server.lines()).hasSize(1);
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
    @CsvSource(
            delimiter = '|',
            value = {
                "list | text | source is a database",
                "list | file://conf/x.txt | source is a database",
                "list | | source is a database",
                "list | nobody | list = 'nobody'; allowed: a list in conf/whitelists.xml",
                "renew | received | allowed: sent, both",
                "validity | 1h | a duration of whole days such as 30d, from 1d to 365d",
                "learnLocal | yes | allowed: false, true",
                "learnTimeout | 1s | unknown parameter",
                "maxNewPerDay | -1 | a whole number",
                "max | 1 | unknown parameter"
            })
    void shouldExplainWrongParameters(String name, String value, String message) {
        assertThatThrownBy(() -> init(name, value == null ? "" : value))
                .isInstanceOf(MessagingException.class)
                .hasMessageContaining("LearnCorrespondents")
                .hasMessageContaining(message);
    }
}
