package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.server.SharedLists;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.james.mailetcontainer.impl.MailetProcessorImpl;
import org.apache.james.mailetcontainer.impl.MatcherMailetPair;
import org.apache.james.mailetcontainer.impl.MatcherSplitter;
import org.apache.james.metrics.api.NoopGaugeRegistry;
import org.apache.james.metrics.tests.RecordingMetricFactory;
import org.apache.mailet.AttributeName;
import org.apache.mailet.Mail;
import org.apache.mailet.base.test.FakeMail;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Mails to recipients of whom some are in scope. */
class SplitTest {
    @TempDir Path folder;
    private final RecordingMetricFactory metrics = new RecordingMetricFactory();
    private final SharedLists shared = TestLists.none(metrics, new NoopGaugeRegistry());
    private final Outbox outbox = new Outbox();
    private @Nullable SenderWhitelist mailet;

    @BeforeEach
    void list() throws IOException {
        Files.writeString(
                folder.resolve("list.txt"),
                "alice@example.com to=@a.example\nalice@example.com to=@b.example auth=dkim\n");
    }

    @AfterEach
    void destroy() {
        if (mailet != null) {
            mailet.destroy();
        }
        assertThat(shared.isEmpty()).isTrue();
    }

    private Mail service(String... parameters) throws MessagingException {
        Mail mail = mail();
        SenderWhitelist created = new SenderWhitelist(new TestFiles(folder), shared);
        created.init(
                TestLists.set(
                                FakeMailetConfig.builder()
                                        .mailetContext(outbox.context())
                                        .setProperty("whitelist", "file://list.txt"),
                                parameters)
                        .build());
        mailet = created;
        created.service(mail);
        return mail;
    }

    private static Mail mail() throws MessagingException {
        return FakeMail.builder()
                .name("mail")
                .sender("alice@example.com")
                .recipients("x@a.example", "y@b.example", "z@a.example", "w@c.example")
                .state("root")
                .build();
    }

    private static String said(Mail mail) {
        return mail.getState()
                + " "
                + mail.getRecipients().stream().map(MailAddress::asString).sorted().toList()
                + " "
                + attribute(mail, "verdict")
                + " "
                + attribute(mail, "reason")
                + " "
                + attribute(mail, "entry");
    }

    private static String attribute(Mail mail, String name) {
        return mail.getAttribute(AttributeName.of("io.github.senderwhitelist." + name))
                .map(attribute -> (String) attribute.getValue().value())
                .orElse("-");
    }

    private static final String IN_SCOPE =
            " [x@a.example, z@a.example] listed listed alice@example.com to=@a.example";
    private static final String OTHERS =
            " [w@c.example, y@b.example] not-listed unauthenticated alice@example.com auth=dkim"
                    + " to=@b.example";
    private static final String ALL =
            " [w@c.example, x@a.example, y@b.example, z@a.example] not-listed unauthenticated"
                    + " alice@example.com auth=dkim to=@b.example";

    @Test
    void shouldSendThePartInScopeToItsProcessor() throws Exception {
        Mail rest = service("onWhitelisted", "transport", "onNotWhitelisted", "spam");

        assertThat(outbox.sent).map(SplitTest::said).containsExactly("transport" + IN_SCOPE);
        assertThat(said(rest)).isEqualTo("spam" + OTHERS);
    }

    @Test
    void shouldLetTheOthersCarryOn() throws Exception {
        Mail rest = service("onWhitelisted", "transport");

        assertThat(outbox.sent).map(SplitTest::said).containsExactly("transport" + IN_SCOPE);
        assertThat(said(rest)).isEqualTo("root" + OTHERS);
    }

    @Test
    void shouldLetThePartInScopeCarryOn() throws Exception {
        Mail rest = service("onNotWhitelisted", "spam");

        assertThat(outbox.sent).map(SplitTest::said).containsExactly("spam" + OTHERS);
        assertThat(said(rest)).isEqualTo("root" + IN_SCOPE);
    }

    @Test
    void shouldSplitNothingInADryRun() throws Exception {
        assertThat(said(service())).isEqualTo("root" + ALL);
        assertThat(outbox.sent).isEmpty();
    }

    @Test
    void shouldTreatAllAsNotListedWhenTheCopyIsRefused() throws Exception {
        outbox.refuses = true;
        assertThat(said(service("onWhitelisted", "transport", "onNotWhitelisted", "spam")))
                .isEqualTo("spam" + ALL);
        destroy();
        assertThat(said(service("onWhitelisted", "transport"))).isEqualTo("root" + ALL);
        destroy();
        assertThat(said(service("onNotWhitelisted", "spam"))).isEqualTo("spam" + ALL);
        assertThat(outbox.sent).isEmpty();
    }

    /** James' own splitter: it asks the matcher and then makes two mails of the one. */
    private List<Mail> matched(Mail mail, String condition) throws MessagingException {
        SenderIsWhitelisted matcher = new SenderIsWhitelisted(new TestFiles(folder), shared);
        TestLists.init(matcher, condition);
        try {
            return new MatcherSplitter(
                            metrics,
                            new MailetProcessorImpl("root", metrics),
                            new MatcherMailetPair(
                                    matcher, new SenderWhitelist(new TestFiles(folder), shared)))
                    .split(mail);
        } finally {
            matcher.destroy();
        }
    }

    @Test
    void shouldMatchTheRecipientsInScope() throws Exception {
        String both = " listed-for-some listed-for-some -";

        assertThat(matched(mail(), "file://list.txt"))
                .map(SplitTest::said)
                .as("what holds for both parts")
                .containsExactly(
                        "root [x@a.example, z@a.example]" + both,
                        "root [w@c.example, y@b.example]" + both);
        assertThat(metrics.countFor("senderWhitelist.verdict.listed")).isOne();
        assertThat(metrics.countFor("senderWhitelist.verdict.notListed")).isOne();
    }

    @Test
    void shouldReportTheEntryToNoOtherRecipient() throws Exception {
        Mail mail = service();
        assertThat(attribute(mail, "entry")).isNotEqualTo("-");

        assertThat(matched(mail, "file://list.txt"))
                .hasSize(2)
                .allSatisfy(part -> assertThat(attribute(part, "entry")).isEqualTo("-"));
    }

    @Test
    void shouldMarkAMailThatJamesDoesNotSplitWithItsVerdict() throws Exception {
        Mail mail = mail();
        mail.setRecipients(List.of(new MailAddress("x@a.example")));
        assertThat(matched(mail, "file://list.txt"))
                .map(SplitTest::said)
                .containsExactly(
                        "root [x@a.example] listed listed alice@example.com to=@a.example");

        mail.setRecipients(List.of(new MailAddress("w@c.example")));
        assertThat(matched(mail, "file://list.txt"))
                .map(SplitTest::said)
                .containsExactly("root [w@c.example] not-listed stranger -");
    }

    // What a recipient learns

    private static List<String> headers(Mail mail) {
        return mail.getRecipients().stream()
                .map(
                        recipient ->
                                recipient
                                        + " "
                                        + mail
                                                .getPerRecipientSpecificHeaders()
                                                .getHeadersForRecipient(recipient)
                                                .stream()
                                                .map(
                                                        header ->
                                                                header.asString()
                                                                        .split("; by=", -1)[0])
                                                .toList())
                .sorted()
                .toList();
    }

    private static final String HEADER = " [X-Sender-Whitelist: ";
    private static final String END = "; sender=envelope; confirmed=none]";
    private static final List<String> HEADERS_IN_SCOPE =
            List.of(
                    "x@a.example" + HEADER + "listed; reason=listed" + END,
                    "z@a.example" + HEADER + "listed; reason=listed" + END);
    private static final List<String> HEADERS_OF_OTHERS =
            List.of(
                    "w@c.example" + HEADER + "not-listed; reason=stranger" + END,
                    "y@b.example" + HEADER + "not-listed; reason=unauthenticated" + END);

    @Test
    void shouldGiveEachRecipientItsVerdictInBothParts() throws Exception {
        Mail rest = service("onWhitelisted", "transport", "header", "on");
        assertThat(outbox.sent).map(SplitTest::headers).containsExactly(HEADERS_IN_SCOPE);
        assertThat(headers(rest)).isEqualTo(HEADERS_OF_OTHERS);
        destroy();

        rest = service("onNotWhitelisted", "spam", "header", "on");
        assertThat(headers(outbox.sent.getLast())).isEqualTo(HEADERS_OF_OTHERS);
        assertThat(headers(rest)).isEqualTo(HEADERS_IN_SCOPE);
    }

    @Test
    void shouldGiveEachRecipientItsVerdictInAMailThatIsNotSplit() throws Exception {
        assertThat(headers(service("header", "on")))
                .containsAll(HEADERS_IN_SCOPE)
                .containsAll(HEADERS_OF_OTHERS)
                .hasSize(4);
        destroy();
        outbox.refuses = true;
        assertThat(headers(service("header", "on", "onWhitelisted", "transport")))
                .containsAll(HEADERS_IN_SCOPE)
                .containsAll(HEADERS_OF_OTHERS)
                .hasSize(4);
    }

    @ParameterizedTest
    @CsvSource({
        "alice@example.com to=x@a.example, x@a.example, alice@example.com to=x@a.example",
        "alice@example.com to=x@a.example, x@a.example y@a.example, -",
        "alice@example.com to=x@a.example, y@a.example, -",
        "alice@example.com to=x@a.example auth=spf, x@a.example,"
                + " alice@example.com auth=spf to=x@a.example",
        "alice@example.com to=x@a.example auth=spf, y@a.example, -",
        "alice@example.com to=@a.example, x@a.example y@a.example,"
                + " alice@example.com to=@a.example",
        "alice@example.com to=@a.example, y@b.example, -",
        "alice@example.com, x@a.example y@a.example, alice@example.com",
        "!alice@example.com to=x@a.example, x@a.example, !alice@example.com to=x@a.example",
        "!alice@example.com to=x@a.example, x@a.example y@a.example, -",
    })
    void shouldReportTheEntryOfAnotherToNobody(String list, String recipients, String told)
            throws Exception {
        Files.writeString(folder.resolve("list.txt"), list + "\n");
        List<MailAddress> to = new ArrayList<>();
        for (String recipient : recipients.split(" ", -1)) {
            to.add(new MailAddress(recipient));
        }
        SenderWhitelist created = new SenderWhitelist(new TestFiles(folder), shared);
        created.init(
                FakeMailetConfig.builder()
                        .mailetContext(outbox.context())
                        .setProperty("whitelist", "file://list.txt")
                        .build());
        mailet = created;
        Mail mail = mail();
        mail.setRecipients(to);
        created.service(mail);

        assertThat(attribute(mail, "entry")).isEqualTo(told);
    }
}
