package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.tools.SmallLists;

import jakarta.mail.MessagingException;
import jakarta.mail.Session;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.Domain;
import org.apache.james.core.MailAddress;
import org.apache.james.core.builder.MimeMessageBuilder;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.apache.mailet.MailetContext;
import org.apache.mailet.base.test.FakeMail;
import org.apache.mailet.base.test.FakeMailContext;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Users write commands to the whitelist, with a real database. */
class WhitelistByMailTest {
    private static final String XML =
            "<whitelists><whitelist name=\"own\">"
                    + "<source>jdbc:sqlite:file://var/lists.db</source></whitelist>"
                    + "<whitelist name=\"text\"><source>file://conf/x.txt</source></whitelist>"
                    + "<whitelist name=\"gone\">"
                    + "<source>jdbc:postgresql://127.0.0.1:1/none</source><user>james</user>"
                    + "</whitelist>"
                    + "</whitelists>";
    private static final String SAM = "sam@here.example";
    private static final String ASKED = "whitelist@here.example";
    private static final String BOBS_LINE =
            "bob@stranger.example auth=any to=sam@here.example origin=user note=added"
                    + " 2026-11-23";

    @TempDir Path folder;
    private SharedLists shared = TestLists.defined(XML);
    private FakeMailContext outbox = FakeMailContext.defaultContext();
    private WhitelistByMail mailet = new WhitelistByMail(new TestFiles(folder), shared);
    private Instant now = Instant.parse("2026-11-23T10:00:00Z");
    private boolean refusesMails;

    @BeforeEach
    void start() throws MessagingException {
        shared = TestLists.defined(XML);
        outbox = FakeMailContext.defaultContext();
        mailet = new WhitelistByMail(new TestFiles(folder), shared, () -> now);
    }

    private void init(Map<String, String> parameters) throws MessagingException {
        FakeMailetConfig.Builder config = FakeMailetConfig.builder().mailetContext(context());
        config.setProperty("list", "own");
        parameters.forEach(config::setProperty);
        mailet.init(config.build());
    }

    /** Returns a context of a server that knows its domains, and keeps the mails it sends. */
    private MailetContext context() {
        return (MailetContext)
                Proxy.newProxyInstance(
                        MailetContext.class.getClassLoader(),
                        new Class<?>[] {MailetContext.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("isLocalServer")) {
                                Domain domain = (Domain) arguments[0];
                                return domain.equals(Domain.of("here.example"))
                                        || domain.equals(Domain.of("also.example"));
                            }
                            if (refusesMails) {
                                throw new MessagingException("the spool is full");
                            }
                            return method.invoke(outbox, arguments);
                        });
    }

    @AfterEach
    void stop() {
        mailet.destroy();
        assertThat(shared.isEmpty()).isTrue();
    }

    private LivingList list() {
        return Objects.requireNonNull(shared.living("own"));
    }

    private List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        list().record().page(null, 100_000).forEach(entry -> lines.addAll(entry.lines()));
        return lines;
    }

    private void put(String line) throws IOException {
        assertThat(ListLine.parse(line)).isInstanceOf(ListLine.Good.class);
        list().put(((ListLine.Good) ListLine.parse(line)).entry(), "the test");
    }

    private static Attribute user(String name) {
        return new Attribute(Mail.SMTP_AUTH_USER, AttributeValue.of(name));
    }

    private static MimeMessageBuilder message(String subject, String text) {
        return MimeMessageBuilder.mimeMessageBuilder()
                .addHeader("From", "Sam <Sam@here.example>")
                .addHeader("Reply-To", "eve@far.example")
                .addHeader("Message-ID", "<17@sam.example>")
                .setSubject(subject)
                .setText(text);
    }

    private static FakeMail.Builder mail(String subject, String text, String... to)
            throws MessagingException {
        return FakeMail.builder()
                .name("m")
                .sender("bounce@here.example")
                .recipients(to)
                .attribute(user(SAM))
                .mimeMessage(message(subject, text));
    }

    /** Writes to the whitelist and returns the text of the answer. */
    private String ask(String subject, String text) throws Exception {
        FakeMail mail = mail(subject, text, ASKED).build();
        int before = outbox.getSentMails().size();
        mailet.service(mail);
        assertThat(mail.getState()).isEqualTo(Mail.GHOST);
        assertThat(outbox.getSentMails()).hasSize(before + 1);
        return answer();
    }

    /** Writes to the whitelist, replies yes to its question, and returns the text of the answer. */
    private String change(String subject, String text) throws Exception {
        ask(subject, text);
        return reply("yes");
    }

    /** Replies to the last answer, and returns the text of the next one. */
    private String reply(String text) throws Exception {
        return ask("Re: " + sent().getMsg().getSubject(), text);
    }

    private String answer() throws Exception {
        return ((String) sent().getMsg().getContent()).replace("\r\n", "\n");
    }

    private FakeMailContext.SentMail sent() {
        return outbox.getSentMails().getLast();
    }

    @Test
    void shouldListAddedSendersForTheUserAloneWhenConfirmed() throws Exception {
        SenderWhitelist whitelist = new SenderWhitelist(new TestFiles(folder), shared, () -> now);
        init(Map.of());
        whitelist.init(
                FakeMailetConfig.builder()
                        .mailetContext(context())
                        .setProperty("whitelist", "own")
                        .build());
        assertThat(verdict(whitelist, SAM, true)).isEqualTo("not-listed stranger");

        assertThat(ask("whitelist", "add Bob@Stranger.example\n"))
                .isEqualTo(
                        """
                        A mail from your account asks for this:

                          add bob@stranger.example: lists this sender for you

                        If you did not ask, do nothing. Then nothing changes.

                        If you did, reply to this mail within three days.
                        Write "yes" as the first line, and leave the subject as it is.
                        """);
        assertThat(sent().getMsg().getSubject())
                .matches("Confirm: add bob@stranger\\.example \\[[A-Za-z0-9_-]{22}]");
        assertThat(lines()).isEmpty();

        assertThat(reply("yes"))
                .isEqualTo(
                        "add bob@stranger.example: done. The sender counts as listed for you when"
                                + " SPF or DKIM confirms the address.\n");
        assertThat(lines()).containsExactly(BOBS_LINE);
        assertThat(verdict(whitelist, SAM, true)).isEqualTo("listed listed");
        assertThat(verdict(whitelist, SAM, false)).isEqualTo("not-listed unauthenticated");
        assertThat(verdict(whitelist, "eve@here.example", true)).isEqualTo("not-listed stranger");

        assertThat(change("remove bob@stranger.example", ""))
                .isEqualTo("remove bob@stranger.example: done.\n");
        assertThat(verdict(whitelist, SAM, true)).isEqualTo("not-listed stranger");
        assertThat(list().record().history(SmallLists.address("bob@stranger.example").key(), 9))
                .extracting("who")
                .containsExactly(SAM, SAM);
        whitelist.destroy();
    }

    private static String verdict(SenderWhitelist whitelist, String recipient, boolean confirmed)
            throws MessagingException {
        FakeMail mail =
                FakeMail.builder()
                        .name("answer")
                        .sender("bounce-17@stranger.example")
                        .recipient(recipient)
                        .mimeMessage(
                                MimeMessageBuilder.mimeMessageBuilder()
                                        .addHeader("From", "bob@stranger.example"))
                        .build();
        if (confirmed) {
            mail.setAttribute(
                    new Attribute(
                            AttributeName.of("org.apache.james.transport.mailets.spf.result"),
                            AttributeValue.of("pass")));
        }
        whitelist.service(mail);
        return said(mail, "verdict") + ' ' + said(mail, "reason");
    }

    private static String said(FakeMail mail, String name) {
        return mail.getAttribute(AttributeName.of("io.github.senderwhitelist." + name))
                .map(attribute -> (String) attribute.getValue().value())
                .orElse("-");
    }

    @Test
    void shouldSayThatAFileDeniesTheSender() throws Exception {
        Files.createDirectories(folder.resolve("conf"));
        Files.writeString(folder.resolve("conf/x.txt"), "!bob@stranger.example\nx@x.example\n");
        SenderWhitelist whitelist = new SenderWhitelist(new TestFiles(folder), shared, () -> now);
        init(Map.of());
        whitelist.init(
                FakeMailetConfig.builder()
                        .mailetContext(context())
                        .setProperty("whitelist", "own,text")
                        .build());
        assertThat(change("add bob@stranger.example", ""))
                .isEqualTo(
                        "add bob@stranger.example: done. But another entry denies this sender, and"
                                + " that wins.\n");
        assertThat(verdict(whitelist, SAM, true)).isEqualTo("not-listed denied");
        whitelist.destroy();
    }

    @Test
    void shouldAnswerTheUserWhoHasLoggedInAndNobodyElse() throws Exception {
        init(Map.of());
        ask("show", "");
        MimeMessage answer = sent().getMsg();
        assertThat(sent().getSender()).isEqualTo(MailAddress.nullSender());
        assertThat(sent().getRecipients()).containsExactly(new MailAddress(SAM));
        assertThat(answer.getFrom()).extracting(Object::toString).containsExactly(ASKED);
        assertThat(answer.getAllRecipients()).extracting(Object::toString).containsExactly(SAM);
        assertThat(answer.getHeader("Auto-Submitted")).containsExactly("auto-replied");
        assertThat(answer.getHeader("In-Reply-To")).containsExactly("<17@sam.example>");
        assertThat(answer.getHeader("References")).containsExactly("<17@sam.example>");
        assertThat(answer.getSubject()).isEqualTo("Your whitelist");
    }

    @Test
    void shouldDoSeveralCommandsAndStopAtTheFirstLineThatIsNone() throws Exception {
        init(Map.of());
        assertThat(
                        ask(
                                "Re: hello",
                                """

                                ADD bob@stranger.example
                                add @stranger.example
                                add
                                add bob@stranger.example
                                  remove carol@x.example
                                show me
                                show

                                Sam Smith
                                add mallory@evil.example
                                """))
                .isEqualTo(
                        """
                        show: no entries.
                        What is no command was left out. Send it alone to be told why.
                        Line 10 is no command. It and what follows was not read.

                        A mail from your account asks for this:

                          add bob@stranger.example: lists this sender for you
                          remove carol@x.example: removes your entry for this sender

                        If you did not ask, do nothing. Then nothing changes.

                        If you did, reply to this mail within three days.
                        Write "yes" as the first line, and leave the subject as it is.
                        """);
        assertThat(reply("yes"))
                .isEqualTo(
                        """
                        add bob@stranger.example: done. The sender counts as listed for you when\
                         SPF or DKIM confirms the address.
                        remove carol@x.example: not done. You have no entry for this address.\
                         Nothing has changed.
                        """);
        assertThat(lines()).containsExactly(BOBS_LINE);
    }

    @Test
    void shouldSayWhyALineIsNoCommand() throws Exception {
        init(Map.of());
        assertThat(ask("Re: hello", "add @stranger.example\nadd\nshow me\nshow\nSam Smith\n"))
                .isEqualTo(
                        """
                        add @stranger.example: not done; nothing before '@' in '@stranger.example';\
                         allowed: local@domain. Nothing has changed.
                        add: not done; the address is missing; allowed: local@domain. Nothing has\
                         changed.
                        show me: not done; 'me'; allowed: nothing after it. Nothing has changed.
                        show: no entries.
                        Line 5, 'Sam Smith', is no command. It and what follows was not read.
                        """);
    }

    /** The text is a stranger's when {@code List-Unsubscribe} names it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "add To leave our list just reply yes\nadd eve@evil.example",
                "add eve@evil.example\nshow To leave our list just reply yes",
                "add eve@evil.example\nTo leave our list just reply yes",
            })
    void shouldHaveNoWordsOfAStrangerInAQuestion(String text) throws Exception {
        init(Map.of());
        assertThat(ask("unsubscribe me", text))
                .contains("  add eve@evil.example: lists this sender for you\n")
                .doesNotContain("leave our list");
    }

    @Test
    void shouldShowTheEntriesOnceHoweverOftenAMailAsks() throws Exception {
        init(Map.of());
        put("carol@x.example auth=any to=sam@here.example origin=learned");
        assertThat(ask("show", "show\n".repeat(99)))
                .containsOnlyOnce("carol@x.example")
                .hasSizeLessThan(100);
    }

    /** Returns a mail that a program sends through the user's login. */
    private static FakeMail.Builder sentBy(String headers, String text) throws MessagingException {
        String raw = headers + "MIME-Version: 1.0\nMessage-ID: <18@here.example>\n\n" + text;
        return FakeMail.builder()
                .name("m")
                .sender(SAM)
                .recipient(ASKED)
                .attribute(user(SAM))
                .mimeMessage(
                        new MimeMessage(
                                (Session) null,
                                new ByteArrayInputStream(
                                        raw.replace("\n", "\r\n").getBytes(UTF_8))));
    }

    /**
     * A stranger's mail says {@code List-Unsubscribe: <mailto:whitelist@here.example?subject=…>},
     * and the user presses the button.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // Thunderbird opens a window with the stranger's subject and text.
                "User-Agent: Mozilla Thunderbird | add eve@evil.example | yes",
                "User-Agent: Mozilla Thunderbird | remove friend@x.example | add eve@evil.example",
                "User-Agent: Roundcube Webmail/1.6.11 | add eve@evil.example | ''",
                "User-Agent: Roundcube Webmail/1.6.11 | stop | add eve@evil.example",
                "X-Mailer: Apple Mail (2.3826.200.121) | remove friend@x.example | Apple Mail sent"
                        + " this email to unsubscribe from the message “Sale”",
            })
    void shouldChangeNothingThatAnUnsubscribeButtonAsksFor(
            String program, String subject, String text) throws Exception {
        init(Map.of());
        put("friend@x.example auth=any to=sam@here.example origin=learned");
        List<String> before = lines();
        String headers = "From: Sam <sam@here.example>\nTo: " + ASKED + "\n" + program + "\n";
        mailet.service(sentBy(headers + "Subject: " + subject + "\n", text).build());
        assertThat(lines()).isEqualTo(before);
        assertThat(sent().getRecipients()).containsExactly(new MailAddress(SAM));
        assertThat(answer()).contains("If you did not ask, do nothing. Then nothing changes.");

        assertThat(
                        reply(
                                """
                                I never asked!

                                On 2026-11-23 10:00, whitelist@here.example wrote:
                                > A mail from your account asks for this:
                                > Write "yes" as the first line, and leave the subject as it is.
                                > yes
                                """))
                .startsWith("Line 1, 'I never asked!', is no command.");
        assertThat(lines()).isEqualTo(before);
    }

    @Test
    void shouldNotReadWhatIsNotTheUsersOwn() throws Exception {
        shared =
                TestLists.defined(
                        XML,
                        recipient ->
                                recipient.toString().equals("sammy@also.example")
                                        ? SmallLists.address(SAM)
                                        : null);
        mailet = new WhitelistByMail(new TestFiles(folder), shared, () -> now);
        init(Map.of("maxPerHour", "100"));
        ask("add eve@evil.example", "");
        String confirm = "Subject: Re: " + sent().getMsg().getSubject() + "\n";
        for (String headers :
                List.of(
                        "From: eve@evil.example\n",
                        "From: sam@also.example\n",
                        "From: sam@here.example\nFrom: eve@evil.example\n",
                        "From: sam@here.example, eve@evil.example\n",
                        "From: sam@here.example\nResent-From: sam@here.example\n",
                        "Resent-Message-ID: <r@here.example>\nFrom: sam@here.example\n",
                        "X-No: From\n")) {
            for (String text : List.of("yes\n", "add mallory@evil.example\n", "show\n")) {
                mailet.service(sentBy(headers + confirm, text).build());
                assertThat(answer())
                        .startsWith("Your mail was not read: it")
                        .contains("Nothing has changed.");
            }
        }
        assertThat(lines()).isEmpty();
        int answers = outbox.getSentMails().size();
        for (String automatic : List.of("Auto-Submitted: auto-replied\n", "List-Id: <a.b>\n")) {
            mailet.service(sentBy("From: sam@here.example\n" + automatic + confirm, "yes").build());
        }
        assertThat(outbox.getSentMails()).hasSize(answers);
        assertThat(lines()).isEmpty();

        mailet.service(sentBy("From: S <Sammy@Also.example>\n" + confirm, "yes").build());
        assertThat(answer()).startsWith("add eve@evil.example: done.");
    }

    @Test
    void shouldReadNothingWhileItCannotTellWhoseAliasTheSenderIs() throws Exception {
        shared =
                TestLists.defined(
                        XML,
                        recipient -> {
                            throw new IOException("the table fails");
                        });
        mailet = new WhitelistByMail(new TestFiles(folder), shared, () -> now);
        init(Map.of());
        mailet.service(sentBy("From: s@here.example\nSubject: show\n", "").build());
        assertThat(answer()).endsWith("Nothing has changed. Send it again later.\n");
        assertThat(ask("show", "")).isEqualTo("show: no entries.\n");
    }

    /** The subject is on the way to a mail program and back. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "%s",
                "Re: %s",
                "AW: [EXTERN] Antwort: %s (war: Confirm)",
                "=?UTF-8?Q?Re:_?= %s"
            })
    void shouldKnowTheSubjectAsMailProgramsWriteIt(String form) throws Exception {
        init(Map.of());
        ask("", "add jürgen.meier.aus.der.buchhaltung@bücher.example\nadd bob@stranger.example");
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        sent().getMsg().writeTo(written);
        Matcher subject =
                Pattern.compile("(?m)^Subject: (.*(?:\r\n[ \t].*)*)")
                        .matcher(written.toString(UTF_8));
        assertThat(subject.find()).isTrue();
        String folded = subject.group(1).replace("\r\n ", "\n\t");
        mailet.service(
                sentBy("From: sam@here.example\nSubject: " + form.formatted(folded) + "\n", "Yes")
                        .build());
        assertThat(lines())
                .containsExactlyInAnyOrder(
                        BOBS_LINE,
                        "jürgen.meier.aus.der.buchhaltung@xn--bcher-kva.example auth=any"
                                + " to=sam@here.example origin=user note=added 2026-11-23");
    }

    @Test
    void shouldDoWhatWasConfirmedAndNothingElse() throws Exception {
        init(Map.of());
        ask("add bob@stranger.example", "");
        String subject = sent().getMsg().getSubject();
        for (String other :
                List.of(
                        subject.replace("bob@", "rob@"),
                        subject.replace("add", "remove"),
                        subject.replace("bob@", "eve@evil.example, add bob@"),
                        subject.replace(" [", ", add eve@evil.example ["),
                        subject.replace("[", "[A"),
                        subject.substring(0, subject.length() - 1),
                        "Re: add eve@evil.example",
                        "")) {
            assertThat(ask(other, "yes"))
                    .isEqualTo(
                            "yes: not done; the subject is not that of a question to you, or was"
                                    + " changed, or the question is older than three days. Send"
                                    + " the command again. Nothing has changed.\n");
        }
        String eves = "From: eve@here.example\nSubject: " + subject + "\n";
        mailet.service(sentBy(eves, "yes").attribute(user("eve@here.example")).build());
        assertThat(answer()).startsWith("yes: not done; ");
        assertThat(lines()).isEmpty();

        assertThat(ask("Re: " + subject, "yes")).startsWith("add bob@stranger.example: done. ");
        assertThat(ask("Re: " + subject, "yes"))
                .isEqualTo("add bob@stranger.example: done before. Nothing has changed.\n");
        assertThat(lines()).containsExactly(BOBS_LINE);
    }

    @Test
    void shouldTakeAReplyInHtmlWithTheMarkOfAGateway() throws Exception {
        init(Map.of());
        ask("add bob@stranger.example", "");
        String headers =
                "From: sam@here.example\nSubject: [EXTERNAL] Re: "
                        + sent().getMsg().getSubject()
                        + "\nContent-Type: text/html\n";
        String quoted = "<blockquote><p>A mail from your account</p><p>yes</p></blockquote>";
        for (String own : List.of("", "<p>No!</p>", "<p>Yes, but not him</p>")) {
            mailet.service(sentBy(headers, own + quoted).build());
            assertThat(lines()).isEmpty();
        }
        mailet.service(sentBy(headers, "<div>[EXTERNAL]</div><p>Yes.</p>" + quoted).build());
        assertThat(lines()).containsExactly(BOBS_LINE);
    }

    @Test
    void shouldForgetAQuestionAfterThreeDays() throws Exception {
        init(Map.of("maxPerHour", "1000"));
        Instant asked = Instant.parse("2026-11-23T23:59:59Z");
        now = asked;
        ask("add bob@stranger.example", "");
        String subject = sent().getMsg().getSubject();
        now = asked.plus(Duration.ofDays(3)).plusSeconds(1);
        assertThat(ask(subject, "yes")).startsWith("yes: not done; ");
        now = asked.plus(Duration.ofDays(3));
        assertThat(ask(subject, "yes")).startsWith("add bob@stranger.example: done. ");
        now = asked.minus(Duration.ofDays(1));
        assertThat(ask(subject, "yes")).startsWith("add bob@stranger.example: done before. ");
        now = asked.minus(Duration.ofDays(2));
        assertThat(ask(subject, "yes")).startsWith("yes: not done; ");
    }

    @Test
    void shouldKnowTheQuestionsOfServersWithTheSameKey() throws Exception {
        Files.writeString(folder.resolve("shared.key"), "any 32 bytes will do to seal questions");
        init(Map.of("headerKey", "file://shared.key"));
        ask("add bob@stranger.example", "");
        String subject = sent().getMsg().getSubject();
        assertThat(replyToAnother(Map.of("workDirectory", "file://other"), subject))
                .startsWith("yes: not done; ")
                .contains("Send the command again.");
        assertThat(lines()).isEmpty();
        assertThat(replyToAnother(Map.of("headerKey", "file://shared.key"), subject))
                .startsWith("add bob@stranger.example: done. ");
    }

    private String replyToAnother(Map<String, String> parameters, String subject) throws Exception {
        WhitelistByMail other = new WhitelistByMail(new TestFiles(folder), shared, () -> now);
        FakeMailetConfig.Builder config = FakeMailetConfig.builder().mailetContext(context());
        config.setProperty("list", "own");
        parameters.forEach(config::setProperty);
        other.init(config.build());
        other.service(mail(subject, "yes", ASKED).build());
        other.destroy();
        return answer();
    }

    @Test
    void shouldShowWhatTheUserHasSaidAndWhatWasLearned() throws Exception {
        init(Map.of());
        assertThat(ask("show", "")).isEqualTo("show: no entries.\n");
        put("carol@x.example until=2027-01-01 auth=any to=sam@here.example origin=learned");
        put("!dave@x.example to=sam@here.example origin=user");
        put("erin@x.example to=sam@here.example note=ticket 4711");
        put("frank@x.example to=eve@here.example");
        put("grace@x.example");
        assertThat(ask("show", ""))
                .isEqualTo(
                        """
                        show:
                          carol@x.example until=2027-01-01 auth=any origin=learned
                          !dave@x.example origin=user
                        """);
    }

    @Test
    void shouldSayHowManyMoreThereAre() throws Exception {
        init(Map.of());
        Key sam = SmallLists.address(SAM).key();
        Rule rule = new Rule(false, null, null, AuthRequirement.ANY, Origin.LEARNED, "");
        list().write(
                        IntStream.range(0, 507)
                                .mapToObj(i -> SmallLists.address("u" + i + "@x.example").key())
                                .map(key -> Edit.put(new Entry(key, sam, List.of(rule))))
                                .toList(),
                        "the test");
        assertThat(ask("show", "").lines())
                .hasSize(502)
                .last()
                .asString()
                .startsWith("  and 7 more.");
    }

    @Test
    void shouldRemoveWhatWasLearnedAndWhatTheUserDeniedAndSayNothingOfOthers() throws Exception {
        init(Map.of());
        put("bob@x.example auth=any to=sam@here.example origin=learned");
        put("!bob@x.example to=sam@here.example origin=user");
        put("bob@x.example auth=any to=eve@here.example origin=learned");
        put("@x.example");
        assertThat(change("remove bob@x.example", "")).isEqualTo("remove bob@x.example: done.\n");
        put("carol@x.example to=sam@here.example");
        assertThat(change("remove carol@x.example", ""))
                .isEqualTo(change("remove nobody@y.example", "").replace("nobody@y", "carol@x"));
        assertThat(change("add carol@x.example", ""))
                .isEqualTo(change("add nobody@y.example", "").replace("nobody@y", "carol@x"));
        assertThat(change("", "remove carol@x.example\nremove nobody@y.example"))
                .isEqualTo("remove carol@x.example: done.\nremove nobody@y.example: done.\n");
        assertThat(lines())
                .containsExactlyInAnyOrder(
                        "bob@x.example auth=any to=eve@here.example origin=learned",
                        "@x.example",
                        "carol@x.example to=sam@here.example");
    }

    @Test
    void shouldSayWhatAnAdditionReplacesAndWhenItIsOfNoUse() throws Exception {
        init(Map.of());
        put("!bob@stranger.example to=sam@here.example origin=user");
        assertThat(change("add bob@stranger.example", ""))
                .startsWith(
                        "add bob@stranger.example: done, in place of '!bob@stranger.example"
                                + " origin=user'. The sender counts");
        assertThat(lines()).containsExactly(BOBS_LINE);
        put("!@stranger.example");
        assertThat(change("add carol@stranger.example", ""))
                .isEqualTo(
                        "add carol@stranger.example: done. But another entry denies this"
                                + " sender, and that wins.\n");
    }

    @Test
    void shouldRefuseMoreEntriesThanAllowed() throws Exception {
        init(Map.of("maxEntries", "2"));
        put("z@x.example auth=any to=sam@here.example origin=learned");
        assertThat(change("", "add b@x.example\nadd a@x.example\nadd c@x.example"))
                .contains("add b@x.example: done. ")
                .contains(
                        "add c@x.example: not done. You have 2 addresses of your own, and more are"
                                + " not allowed. Remove some first.\n");
        assertThat(change("add a@x.example", "")).startsWith("add a@x.example: done before.");
        assertThat(lines()).hasSize(3);
    }

    @Test
    void shouldReadNoMoreThanAHundredCommands() throws Exception {
        init(Map.of());
        String text =
                IntStream.range(0, 10_000)
                        .mapToObj(i -> "add u" + i + "@x.example\n")
                        .collect(Collectors.joining());
        assertThat(ask("", text))
                .contains(
                        "add u99@x.example: not done; one mail has no room for so many changes."
                                + " Send this one in another mail. Nothing has changed.\n"
                                + "Line 101 and what follows was not read: a mail may have 100"
                                + " commands.\n");
        assertThat(sent().getMsg().getSubject().length()).isLessThan(240);
        assertThat(reply("yes").lines()).hasSize(11);
        assertThat(lines()).hasSize(11);
    }

    @Test
    void shouldRefuseAddressesThatNoSubjectHasRoomFor() throws Exception {
        init(Map.of());
        String domain = ".domain-of-forty-characters-and-no-more".repeat(5).substring(1);
        assertThat(ask("add bob@" + domain, ""))
                .isEqualTo(
                        "add bob@"
                                + domain
                                + ": not done; the address is too long; only the administrator can"
                                + " change its entry. Nothing has changed.\n");
        assertThat(ask("add \"a b\"@x.example", "")).contains("has blanks or characters that do");
        assertThat(sent().getMsg().getSubject()).isEqualTo("Your whitelist");
    }

    @Test
    void shouldLetOtherRecipientsHaveTheMail() throws Exception {
        init(Map.of());
        FakeMail mail =
                mail(
                                "add bob@stranger.example",
                                "",
                                "eve@here.example",
                                "WhiteList@Also.example",
                                ASKED,
                                "whitelist@far.example",
                                "whitelist+x@here.example")
                        .state(Mail.DEFAULT)
                        .build();
        mailet.service(mail);
        assertThat(mail.getState()).isEqualTo(Mail.DEFAULT);
        assertThat(mail.getRecipients())
                .extracting(MailAddress::asString)
                .containsExactlyInAnyOrder(
                        "eve@here.example", "whitelist@far.example", "whitelist+x@here.example");
        assertThat(outbox.getSentMails()).hasSize(1);
    }

    @Test
    void shouldKnowAWholeAddress() throws Exception {
        init(Map.of("address", "list@HERE.example"));
        FakeMail mail = mail("show", "", "list@also.example", ASKED).state("root").build();
        mailet.service(mail);
        assertThat(outbox.getSentMails()).isEmpty();
        mailet.service(mail("show", "", "list@here.example").build());
        assertThat(outbox.getSentMails()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "Auto-Submitted, auto-replied",
        "Precedence, bulk",
        "List-Id, <a.b>",
        "Content-Type, multipart/report; report-type=disposition-notification",
        "Subject, unsubscribe"
    })
    void shouldLetAutomaticMailsGoOn(String header, String value) throws Exception {
        init(Map.of());
        shouldGoOn(
                mail("", "", ASKED)
                        .mimeMessage(
                                MimeMessageBuilder.mimeMessageBuilder().addHeader(header, value)));
    }

    @Test
    void shouldLetMailsOfOthersGoOn() throws Exception {
        init(Map.of());
        shouldGoOn(mail("show", "", ASKED).sender(MailAddress.nullSender()));
        shouldGoOn(mail("show", "", ASKED).attribute(user("eve@far.example")));
        shouldGoOn(mail("show", "", ASKED).attribute(user("no address")));
        shouldGoOn(mail("show", "", "eve@here.example"));
        shouldGoOn(mail("show", "", ASKED).attribute(Mail.SENT_BY_MAILET_ATTRIBUTE));
        shouldGoOn(
                FakeMail.builder()
                        .name("m")
                        .sender(SAM)
                        .recipient(ASKED)
                        .mimeMessage(message("add eve@far.example", "")));
        shouldGoOn(FakeMail.builder().name("m").sender(SAM).recipient(ASKED).attribute(user(SAM)));
    }

    private void shouldGoOn(FakeMail.Builder builder) throws Exception {
        FakeMail mail = builder.state("root").build();
        List<MailAddress> before = List.copyOf(mail.getRecipients());
        mailet.service(mail);
        assertThat(mail.getState()).isEqualTo("root");
        assertThat(mail.getRecipients()).containsExactlyInAnyOrderElementsOf(before);
        assertThat(outbox.getSentMails()).isEmpty();
        assertThat(lines()).isEmpty();
    }

    @Test
    void shouldReadMailsSentByJmap() throws Exception {
        init(Map.of());
        FakeMail mail =
                FakeMail.builder()
                        .name("m")
                        .sender(SAM)
                        .recipient(ASKED)
                        .attribute(
                                new Attribute(
                                        AttributeName.of(
                                                "org.apache.james.jmap.send.MailMetaData.username"),
                                        AttributeValue.of(SAM)))
                        .mimeMessage(message("show", ""))
                        .build();
        mailet.service(mail);
        assertThat(answer()).isEqualTo("show: no entries.\n");
    }

    @Test
    void shouldNotAnswerMoreThanAnHoursShare() throws Exception {
        init(Map.of("maxPerHour", "2"));
        assertThat(ask("show", "")).isEqualTo("show: no entries.\n");
        now = now.plus(Duration.ofMinutes(30));
        assertThat(ask("show", ""))
                .isEqualTo(
                        "show: no entries.\n\nThis is the last answer before 11:00 UTC. Mails until"
                                + " then are not read.\n");
        FakeMail third = mail("add bob@x.example", "", ASKED).build();
        mailet.service(third);
        assertThat(third.getState()).isEqualTo(Mail.GHOST);
        assertThat(outbox.getSentMails()).hasSize(2);
        assertThat(lines()).isEmpty();

        mailet.service(mail("show", "", ASKED).attribute(user("eve@here.example")).build());
        assertThat(sent().getRecipients()).containsExactly(new MailAddress("eve@here.example"));

        now = now.plus(Duration.ofMinutes(30));
        assertThat(ask("show", "")).isEqualTo("show: no entries.\n");
    }

    @Test
    void shouldWarnOnceInAnHourOfAUserWithTooMany() throws Exception {
        init(Map.of("maxPerHour", "1"));
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(WhitelistByMail.class);
        logger.addAppender(log);
        try {
            for (int i = 0; i < 10; i++) {
                mailet.service(mail("show", "", ASKED).build());
            }
        } finally {
            logger.detachAppender(log);
        }

        assertThat(log.list)
                .filteredOn(event -> event.getLevel() == Level.WARN)
                .singleElement()
                .extracting(ILoggingEvent::getFormattedMessage)
                .asString()
                .endsWith(
                        ": sam@here.example has sent more mails with commands than are allowed in"
                                + " an hour; none is read before 11:00 UTC");
    }

    @Test
    void shouldExplainItself() throws Exception {
        init(Map.of());
        assertThat(ask("help", "")).startsWith("\nWrite one command a line to " + ASKED);
        assertThat(ask("hello", "is there anybody?"))
                .startsWith(
                        "Line 1, 'is there anybody?', is no command. It and what follows was not"
                                + " read.\n\nWrite one command");
        assertThat(ask("hello", " \n"))
                .startsWith(
                        "The subject is no command, and the mail has no text of its own.\n\nWrite");
        assertThat(ask("help me", "")).contains("'me'; allowed: nothing").contains("Write one");
    }

    /** Takes as long as connections to databases are waited for. */
    @Test
    @Tag("large")
    void shouldSayThatTheDatabaseFails() throws Exception {
        init(Map.of("list", "gone"));
        assertThat(change("", "add a@x.example\nremove b@x.example"))
                .isEqualTo(
                        "add a@x.example: perhaps not done. The list does not answer. Send it again"
                                + " later; twice does no harm.\n"
                                + "remove b@x.example: not tried. Send it again later.\n");
    }

    @Test
    void shouldNotTryWhatIsLeftWhenTheDatabaseIsSlow() throws Exception {
        WhitelistByMail slow =
                new WhitelistByMail(
                        new TestFiles(folder), shared, () -> now = now.plus(Duration.ofSeconds(4)));
        FakeMailetConfig.Builder config = FakeMailetConfig.builder().mailetContext(context());
        slow.init(config.setProperty("list", "own").build());
        String text = "add a@x.example\nadd b@x.example\nadd c@x.example\nadd d@x.example\n";
        slow.service(mail("", text, ASKED).build());
        slow.service(mail(sent().getMsg().getSubject(), "yes", ASKED).build());
        assertThat(answer())
                .startsWith("add a@x.example: done. ")
                .endsWith("add d@x.example: not tried. Send it again later.\n");
        slow.destroy();
    }

    @Test
    void shouldLetTheMailGoOnWhenItCannotBeAnswered() throws Exception {
        init(Map.of());
        refusesMails = true;
        shouldGoOn(mail("show", "", ASKED));
    }

    @Test
    void shouldLetMailsGoOnBeforeTheStartAndAfterTheEnd() throws Exception {
        FakeMail mail = mail("show", "", ASKED).state("root").build();
        mailet.service(mail);
        init(Map.of());
        mailet.destroy();
        mailet.service(mail);
        assertThat(mail.getState()).isEqualTo("root");
        assertThat(outbox.getSentMails()).isEmpty();
    }

    /** Whoever reads the answer must see what was written, and nothing must become a header. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "add \u202emoc.elpmaxe@bob@",
                "add bob@x.example\u0007",
                "add \"a\\\r\nBcc: eve@far.example\"@x.example",
                "add bob@x.example, eve@x.example"
            })
    void shouldShowHostileTextAsItIs(String line) throws Exception {
        init(Map.of());
        String answer = ask("x", line);
        assertThat(answer).doesNotContain("done. The").doesNotContain("\u202e");
        assertThat(answer.chars().filter(c -> c != '\n')).noneMatch(Character::isISOControl);
        assertThat(sent().getMsg().getHeader("Bcc")).isNull();
        assertThat(lines()).isEmpty();
    }

    @Test
    void shouldNotTakeAnIdentifierThatIsNone() throws Exception {
        init(Map.of());
        FakeMail mail =
                mail("", "", ASKED)
                        .mimeMessage(
                                MimeMessageBuilder.mimeMessageBuilder()
                                        .addHeader("Message-ID", "<a b> <c@d>")
                                        .setText("show"))
                        .build();
        mailet.service(mail);
        assertThat(sent().getMsg().getHeader("In-Reply-To")).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "list | text | source is a database",
                "list | | source is a database",
                "list | nobody | list = 'nobody'; allowed: a list in conf/whitelists.xml",
                "address | a b | allowed: an address, or what stands before its '@'",
                "address | @here.example | allowed: an address",
                "address | | allowed: an address",
                "maxPerHour | many | a whole number from 0 to 1000",
                "maxNewPerDay | -1 | a whole number from 0 to 1000000",
                "maxEntries | 10001 | a whole number from 0 to 10000",
                "max | 1 | unknown parameter"
            })
    void shouldExplainWrongParameters(String name, String value, String message) {
        assertThatThrownBy(() -> init(Map.of(name, value == null ? "" : value)))
                .isInstanceOf(MessagingException.class)
                .hasMessageContaining("WhitelistByMail")
                .hasMessageContaining(message);
    }
}
