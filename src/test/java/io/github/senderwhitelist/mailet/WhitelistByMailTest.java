package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.SmallLists;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.LivingList;

import jakarta.mail.MessagingException;
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

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Users write commands to the whitelist, with a real database. */
class WhitelistByMailTest {
    private static final String XML =
            "<whitelists><whitelist name=\"own\">"
                    + "<source>jdbc:h2:file://var/lists</source></whitelist>"
                    + "<whitelist name=\"text\"><source>file://conf/x.txt</source></whitelist>"
                    + "<whitelist name=\"gone\">"
                    + "<source>jdbc:postgresql://127.0.0.1:1/none</source><user>james</user>"
                    + "</whitelist>"
                    + "</whitelists>";
    private static final String SAM = "sam@here.example";
    private static final String ASKED = "whitelist@here.example";
    private static final String BOBS_LINE =
            "bob@stranger.example auth=any to=sam@here.example origin=user";

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
        list().table().forEach(entry -> lines.addAll(entry.lines()));
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
                .addHeader("From", "eve@far.example")
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
                        "add bob@stranger.example: done. The sender counts as listed for you when"
                                + " SPF or DKIM confirms the address.\n");
        assertThat(lines()).containsExactly(BOBS_LINE);
        assertThat(verdict(whitelist, SAM, true)).isEqualTo("listed listed");
        assertThat(verdict(whitelist, SAM, false)).isEqualTo("not-listed unauthenticated");
        assertThat(verdict(whitelist, "eve@here.example", true)).isEqualTo("not-listed stranger");

        assertThat(ask("remove bob@stranger.example", ""))
                .isEqualTo("remove bob@stranger.example: done.\n");
        assertThat(verdict(whitelist, SAM, true)).isEqualTo("not-listed stranger");
        assertThat(list().table().history(SmallLists.address("bob@stranger.example").key(), 9))
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
                        add bob@stranger.example: done. The sender counts as listed for you when\
                         SPF or DKIM confirms the address.
                        add @stranger.example: not done; nothing before '@' in '@stranger.example';\
                         allowed: local@domain. Nothing has changed.
                        add: not done; the address is missing; allowed: local@domain. Nothing has\
                         changed.
                        add bob@stranger.example: done before. Nothing has changed.
                        remove carol@x.example: not done. You have no entry for this address.\
                         Nothing has changed.
                        show me: not done; 'me'; allowed: nothing after it. Nothing has changed.
                        show:
                          bob@stranger.example auth=any origin=user
                        Line 10, 'Sam Smith', is no command. It and what follows was not read.
                        """);
        assertThat(lines()).containsExactly(BOBS_LINE);
    }

    @Test
    void shouldShowEntriesOfAllOriginsForTheUserAlone() throws Exception {
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
                          erin@x.example note=ticket 4711
                        """);
    }

    @Test
    void shouldSayHowManyMoreThereAre() throws Exception {
        init(Map.of());
        Key sam = SmallLists.address(SAM).key();
        Rule rule = new Rule(false, null, null, AuthRequirement.ANY, Origin.LEARNED, "");
        list().putAll(
                        IntStream.range(0, 507)
                                .mapToObj(i -> SmallLists.address("u" + i + "@x.example").key())
                                .map(key -> new Entry(key, sam, List.of(rule)))
                                .toList(),
                        "the test");
        assertThat(ask("show", "").lines())
                .hasSize(502)
                .last()
                .asString()
                .startsWith("  and 7 more.");
    }

    @Test
    void shouldRemoveWhatWasLearnedAndWhatTheUserDeniedButNothingOfTheAdministrator()
            throws Exception {
        init(Map.of());
        put("bob@x.example auth=any to=sam@here.example origin=learned");
        put("!bob@x.example to=sam@here.example origin=user");
        put("bob@x.example auth=any to=eve@here.example origin=learned");
        put("@x.example");
        assertThat(ask("remove bob@x.example", ""))
                .isEqualTo(
                        "remove bob@x.example: done. But another entry still lists"
                                + " this sender.\n");
        assertThat(lines())
                .containsExactlyInAnyOrder(
                        "bob@x.example auth=any to=eve@here.example origin=learned", "@x.example");
    }

    @Test
    void shouldSayWhatAnAdditionReplacesAndWhenItIsOfNoUse() throws Exception {
        init(Map.of());
        put("!bob@stranger.example to=sam@here.example origin=user");
        assertThat(ask("add bob@stranger.example", ""))
                .startsWith(
                        "add bob@stranger.example: done, in place of '!bob@stranger.example"
                                + " origin=user'. The sender counts");
        assertThat(lines()).containsExactly(BOBS_LINE);
        put("!@stranger.example");
        assertThat(ask("add carol@stranger.example", ""))
                .isEqualTo(
                        "add carol@stranger.example: done. But another entry denies this"
                                + " sender, and that wins.\n");
    }

    @Test
    void shouldRefuseMoreEntriesThanAllowed() throws Exception {
        init(Map.of("maxEntries", "2"));
        put("z@x.example auth=any to=sam@here.example origin=learned");
        assertThat(ask("", "add a@x.example\nadd b@x.example\nadd c@x.example\nadd a@x.example"))
                .contains("add b@x.example: done. ")
                .contains(
                        "add c@x.example: not done. You have 2 addresses of your own, and more are"
                                + " not allowed. Remove some first.\n"
                                + "add a@x.example: done before.");
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
                .endsWith(
                        "Line 101 and what follows was not read: a mail may have 100 commands.\n");
        assertThat(lines()).hasSize(100);
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
    void shouldExplainItself() throws Exception {
        init(Map.of());
        assertThat(ask("help", "")).startsWith("\nWrite one command a line to " + ASKED);
        assertThat(ask("hello", "is there anybody?"))
                .startsWith(
                        "Line 1, 'is there anybody?', is no command. It and what follows was not"
                                + " read.\n\nWrite one command");
        assertThat(ask("hello", " \n"))
                .startsWith("The subject is no command, and the mail has no text.\n\nWrite one");
        assertThat(ask("help me", "")).contains("'me'; allowed: nothing").contains("Write one");
    }

    /** Takes as long as connections to databases are waited for. */
    @Test
    @Tag("large")
    void shouldSayThatTheDatabaseFails() throws Exception {
        init(Map.of("list", "gone"));
        assertThat(ask("", "add a@x.example\nshow\nadd"))
                .isEqualTo(
                        "add a@x.example: perhaps not done. The list does not answer. Send it again"
                                + " later; twice does no harm.\n"
                                + "show: not tried. Send it again later.\n"
                                + "add: not tried. Send it again later.\n");
    }

    @Test
    void shouldNotTryWhatIsLeftWhenTheDatabaseIsSlow() throws Exception {
        WhitelistByMail slow =
                new WhitelistByMail(
                        new TestFiles(folder), shared, () -> now = now.plus(Duration.ofSeconds(4)));
        FakeMailetConfig.Builder config = FakeMailetConfig.builder().mailetContext(context());
        slow.init(config.setProperty("list", "own").build());
        slow.service(mail("", "add a@x.example\n".repeat(50), ASKED).build());
        assertThat(answer()).contains("done. ").contains("not tried. Send it again later.");
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
