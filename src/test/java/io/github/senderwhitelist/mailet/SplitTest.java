package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.marked;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.TableSource;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.james.mailetcontainer.impl.MailetProcessorImpl;
import org.apache.james.mailetcontainer.impl.MatcherMailetPair;
import org.apache.james.mailetcontainer.impl.MatcherSplitter;
import org.apache.mailet.Mail;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.util.List;

/** Mails to recipients of whom some are in scope. */
class SplitTest {
    @RegisterExtension final TestServer server = new TestServer();
    private final Outbox outbox = server.outbox;

    @BeforeEach
    void list() throws IOException {
        server.write(
                "list.txt",
                "alice@example.com to=@a.example\nalice@example.com to=@b.example auth=dkim\n");
    }

    private Mail service(String... parameters) throws MessagingException {
        Mail mail = mail();
        server.mailet("file://list.txt", parameters).service(mail);
        return mail;
    }

    private static Mail mail() throws MessagingException {
        return TestServer.mail(
                "alice@example.com", "x@a.example", "y@b.example", "z@a.example", "w@c.example");
    }

    private static String said(Mail mail) {
        return mail.getState()
                + " "
                + mail.getRecipients().stream().map(MailAddress::asString).sorted().toList()
                + " "
                + marked(mail, "verdict")
                + " "
                + marked(mail, "reason")
                + " "
                + marked(mail, "entry");
    }

    private static final String IN_SCOPE =
            " [x@a.example, z@a.example] listed listed alice@example.com to=@a.example";
    private static final String OTHERS =
            " [w@c.example, y@b.example] not-listed unauthenticated alice@example.com auth=dkim"
                    + " to=@b.example";
    private static final String ALL =
            " [w@c.example, x@a.example, y@b.example, z@a.example] not-listed unauthenticated"
                    + " alice@example.com auth=dkim to=@b.example";

    /** The part that is sent, and the other, which carries on. */
    @ParameterizedTest
    @CsvSource({
        "onWhitelisted transport onNotWhitelisted spam, transport LISTED, spam OTHERS",
        "onWhitelisted transport, transport LISTED, root OTHERS",
        "onNotWhitelisted spam, spam OTHERS, root LISTED",
    })
    void shouldSendEachPartToItsProcessor(String parameters, String sent, String rest)
            throws Exception {
        Mail carriesOn = service(parameters.split(" ", -1));

        assertThat(outbox.sent).map(SplitTest::said).containsExactly(full(sent));
        assertThat(said(carriesOn)).isEqualTo(full(rest));
    }

    private static String full(String part) {
        return part.replace(" LISTED", IN_SCOPE).replace(" OTHERS", OTHERS);
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
        assertThat(said(service("onWhitelisted", "transport"))).isEqualTo("root" + ALL);
        assertThat(said(service("onNotWhitelisted", "spam"))).isEqualTo("spam" + ALL);
        assertThat(outbox.sent).isEmpty();
    }

    /** James' own splitter: it asks the matcher and then makes two mails of the one. */
    private List<Mail> matched(Mail mail, String condition) throws MessagingException {
        MatcherMailetPair pair =
                new MatcherMailetPair(
                        server.matcher(condition), new SenderWhitelist(server.shared));
        return new MatcherSplitter(
                        server.metrics, new MailetProcessorImpl("root", server.metrics), pair)
                .split(mail);
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
        assertThat(server.metrics.countFor("senderWhitelist.verdict.listed")).isOne();
        assertThat(server.metrics.countFor("senderWhitelist.verdict.notListed")).isOne();
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

    @ParameterizedTest
    @TableSource
    void shouldReportTheEntryOfAnotherToNobody(String list, String recipients, String told)
            throws Exception {
        server.write("list.txt", list + "\n");
        Mail mail = TestServer.mail("alice@example.com", recipients.split(" ", -1));
        server.mailet("file://list.txt").service(mail);

        assertThat(marked(mail, "entry")).isEqualTo(told);
    }
}
