package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.SAM;
import static io.github.senderwhitelist.mailet.TestServer.SPF;
import static io.github.senderwhitelist.mailet.TestServer.marked;
import static io.github.senderwhitelist.mailet.TestServer.user;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.tools.SmallLists;
import io.github.senderwhitelist.tools.TableSource;
import io.github.senderwhitelist.tools.TextResource;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.apache.james.core.MailAddress;
import org.apache.james.metrics.tests.RecordingMetricFactory;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
import org.apache.mailet.Mail;
import org.apache.mailet.base.test.FakeMail;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Users write commands to the whitelist, with a real database. */
class WhitelistByMailTest {
    private static final String ASKED = "whitelist@here.example";
    private static final String FROM = "From: Sam <Sam@here.example>\n";
    private static final String ADD_BOB = "add bob@stranger.example";
    private static final String BOBS_LINE =
            "bob@stranger.example auth=any to=sam@here.example origin=user note=added"
                    + " 2026-11-23";
    private static final String WRONG_YES =
            "yes: not done; the subject is not that of a question to you, or was changed, or the"
                    + " question is older than three days. Send the command again. Nothing has"
                    + " changed.\n";

    private boolean tableFails;

    @RegisterExtension
    final TestServer server =
            new TestServer(
                    TestServer.living("own")
                            + "<whitelist name=\"text\"><source>file://conf/x.txt</source>"
                            + "</whitelist>",
                    this::userOf,
                    new RecordingMetricFactory());

    private WhitelistByMail mailet = new WhitelistByMail(server.shared);

    private @Nullable Address userOf(Address recipient) throws IOException {
        if (tableFails) {
            throw new IOException("the table fails");
        }
        return recipient.toString().equals("sammy@also.example") ? SmallLists.address(SAM) : null;
    }

    private void init(String... parameters) throws MessagingException {
        mailet = new WhitelistByMail(server.shared);
        server.start(mailet, parameters.length == 0 ? new String[] {"list", "own"} : parameters);
    }

    private void put(String line) throws IOException {
        server.list("own").put(Lines.entry(line), "the test");
    }

    /** Returns a mail of sam, whose envelope and Reply-To: lead elsewhere. */
    private static FakeMail mail(String headers, String text, String... to)
            throws MessagingException {
        String lines = headers + "Reply-To: eve@far.example\n\n" + text;
        return with(TestServer.mail("bounce@here.example", TestServer.lines(lines), to), user(SAM));
    }

    private static FakeMail show(String... to) throws MessagingException {
        return mail(FROM + "Subject: show\n", "", to);
    }

    private static FakeMail with(FakeMail mail, Attribute attribute) {
        mail.setAttribute(attribute);
        return mail;
    }

    /** Writes to the whitelist and returns the text of the answer. */
    private String ask(String subject, String text) throws Exception {
        return ask(mail(FROM + "Subject: " + subject + "\n", text, ASKED));
    }

    private String ask(FakeMail mail) throws Exception {
        int before = server.outbox.messages.size();
        mailet.service(mail);
        assertThat(mail.getState()).isEqualTo(Mail.GHOST);
        assertThat(server.outbox.messages).hasSize(before + 1);
        return ((String) answer().getContent()).replace("\r\n", "\n");
    }

    private MimeMessage answer() {
        return server.outbox.messages.getLast();
    }

    /** Writes to the whitelist, replies yes to its question, and returns the text of the answer. */
    private String change(String command) throws Exception {
        return ask("Re: " + question(command), "yes");
    }

    /** Writes a command, and returns the subject of the question whether it is meant. */
    private String question(String command) throws Exception {
        ask("whitelist", command);
        return answer().getSubject();
    }

    static Stream<Arguments> scenarios() {
        return TextResource.scenarios(WhitelistByMailTest.class, "commands-by-mail.txt");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void mailsShouldBeAnsweredAsInCommandsByMail(String name, List<String> steps) throws Exception {
        server.write("conf/x.txt", "!carol@stranger.example\nx@x.example\n");
        init();
        SenderWhitelist whitelist = server.mailet("own,text");
        String answer = "";
        for (String step : steps) {
            String verb = step.split(" ", -1)[0];
            String rest = step.substring(verb.length()).strip();
            String text = rest.translateEscapes();
            switch (verb) {
                case "put" -> put(rest);
                case "ask" -> answer = ask(text.split(" \\|", 2)[0], text.split(" \\| ?", 2)[1]);
                case "change" -> answer = change(rest);
                case "is" -> assertThat(answer).as(step).isEqualTo(text);
                case "begins" -> assertThat(answer).as(step).startsWith(text);
                case "ends" -> assertThat(answer).as(step).endsWith(text);
                case "has" -> assertThat(answer).as(step).contains(text);
                case "mail", "forged" -> {
                    FakeMail mail =
                            TestServer.mail(
                                    "bounce-17@stranger.example",
                                    TestServer.message("From: bob@stranger.example\r\n\r\n"),
                                    rest.split(" ", -1)[0]);
                    whitelist.service(verb.equals("mail") ? with(mail, SPF) : mail);
                    assertThat(marked(mail, "verdict") + ' ' + marked(mail, "reason"))
                            .as(step)
                            .isEqualTo(rest.substring(rest.indexOf(' ') + 1));
                }
                case "lines" ->
                        assertThat(String.join("; ", server.lines()).split("; ", -1))
                                .as(step)
                                .containsExactlyInAnyOrder(
                                        rest.replace("BOB", BOBS_LINE).split("; ", -1));
                default -> throw new AssertionError(step);
            }
        }
    }

    @Test
    void historyShouldNameTheUser() throws Exception {
        init();
        change(ADD_BOB);
        change("remove bob@stranger.example");
        Key bob = SmallLists.address("bob@stranger.example").key();
        assertThat(server.list("own").record().history(bob, 9))
                .extracting("who")
                .containsExactly(SAM, SAM);
    }

    @Test
    void answerShouldGoToTheUserWhoHasLoggedInAndToNobodyElse() throws Exception {
        init();
        ask(mail(FROM + "Subject: show\nMessage-ID:\n <17@sam.example>\n", "", ASKED));
        assertThat(answer().getFrom()).extracting(Object::toString).containsExactly(ASKED);
        assertThat(answer().getAllRecipients()).extracting(Object::toString).containsExactly(SAM);
        assertThat(answer().getHeader("Auto-Submitted")).containsExactly("auto-replied");
        assertThat(answer().getHeader("In-Reply-To")).containsExactly("<17@sam.example>");
        assertThat(answer().getHeader("References")).containsExactly("<17@sam.example>");
        assertThat(answer().getSubject()).isEqualTo("Your whitelist");

        ask(mail(FROM + "Message-ID: <a b> <c@d>\n", "show", ASKED));
        assertThat(answer().getHeader("In-Reply-To")).as("no identifier").isNull();
    }

    /**
     * A stranger's mail says {@code List-Unsubscribe: <mailto:whitelist@here.example?subject=…>}.
     */
    @ParameterizedTest
    @TableSource
    void nothingShouldChangeWhenAnUnsubscribeButtonAsks(String program, String subject, String text)
            throws Exception {
        init();
        put("friend@x.example auth=any to=sam@here.example origin=learned");
        List<String> before = server.lines();
        assertThat(ask(mail(FROM + program + "\nSubject: " + subject + "\n", text, ASKED)))
                .contains("If you did not ask, do nothing. Then nothing changes.");
        String refusal =
                """
                I never asked!

                On 2026-11-23 10:00, whitelist@here.example wrote:
                > A mail from your account asks for this:
                > Write "yes" as the first line, and leave the subject as it is.
                > yes
                """;
        assertThat(ask("Re: " + answer().getSubject(), refusal))
                .startsWith("I never asked!: not done; this is no command.");
        assertThat(server.lines()).isEqualTo(before);
    }

    /** Each is a header of From:, and what may come with it. */
    @ParameterizedTest
    @TableSource
    void mailsThatMayNotBeTheUsersOwnShouldNotBeRead(String headers) throws Exception {
        init();
        String confirm = headers + "\nSubject: Re: " + question("add eve@evil.example") + "\n";
        for (String text : List.of("yes\n", "add mallory@evil.example\n", "show\n")) {
            assertThat(ask(mail(confirm, text, ASKED)))
                    .startsWith("Your mail was not read: it")
                    .endsWith("Nothing has changed.\n");
        }
        assertThat(server.lines()).isEmpty();
    }

    @Test
    void mailsOfAnAliasShouldBeReadOnceItIsKnownWhoseItIs() throws Exception {
        init();
        String confirm = "From: S <Sammy@Also.example>\nSubject: " + question(ADD_BOB) + "\n";
        tableFails = true;
        assertThat(ask(mail(confirm, "yes", ASKED)))
                .contains("send it again later. Nothing has changed.");
        assertThat(server.lines()).isEmpty();
        tableFails = false;
        assertThat(ask(mail(confirm, "yes", ASKED))).startsWith(ADD_BOB + ": done.");
    }

    /** The subject is on the way to a mail program and back. */
    @ParameterizedTest
    @TableSource
    void subjectShouldBeKnownAsMailProgramsWriteIt(String form) throws Exception {
        init();
        question("add jürgen.meier.aus.der.buchhaltung@bücher.example");
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        answer().writeTo(written);
        Matcher subject =
                Pattern.compile("(?m)^Subject: (.*(?:\r\n[ \t].*)*)")
                        .matcher(written.toString(UTF_8));
        assertThat(subject.find()).isTrue();
        String folded = subject.group(1).replace("\r\n ", "\n\t");
        ask(form.formatted(folded), "Yes");
        assertThat(server.lines())
                .containsExactly(
                        "jürgen.meier.aus.der.buchhaltung@xn--bcher-kva.example auth=any"
                                + " to=sam@here.example origin=user note=added 2026-11-23");
    }

    @Test
    void nothingShouldBeDoneButWhatWasConfirmed() throws Exception {
        init();
        String subject = question(ADD_BOB);
        assertThat(subject).matches("Confirm: add bob@stranger\\.example \\[[A-Za-z0-9_-]{22}]");
        for (String other :
                List.of(
                        subject.replace("bob@", "rob@"),
                        subject.replace("bob@", "b\u200bob@"),
                        subject.replace("add", "remove"),
                        subject.replace("bob@", "eve@evil.example, add bob@"),
                        subject.replace(" [", ", add eve@evil.example ["),
                        subject + " Confirm: add eve@evil.example [AAAAAAAAAAAAAAAAAAAAAA]",
                        subject.replace("[", "[A"),
                        subject.substring(0, subject.length() - 1),
                        "Re: add eve@evil.example",
                        "")) {
            assertThat(ask(other, "yes")).as(other).isEqualTo(WRONG_YES);
        }
        FakeMail ofEve = mail("From: eve@here.example\nSubject: " + subject + "\n", "yes", ASKED);
        assertThat(ask(with(ofEve, user("eve@here.example")))).isEqualTo(WRONG_YES);
        assertThat(server.lines()).isEmpty();

        assertThat(ask("Re: " + subject, "yes")).startsWith(ADD_BOB + ": done. ");
        assertThat(ask("Re: " + subject, "yes"))
                .isEqualTo(ADD_BOB + ": done before. Nothing has changed.\n");
        assertThat(server.lines()).containsExactly(BOBS_LINE);
    }

    @Test
    void questionShouldBeForgottenAfterThreeDays() throws Exception {
        init();
        Instant asked = Instant.parse("2026-11-23T23:59:59Z");
        server.now = asked;
        String subject = question(ADD_BOB);
        server.now = asked.plus(Duration.ofDays(3)).plusSeconds(1);
        assertThat(ask(subject, "yes")).isEqualTo(WRONG_YES);
        server.now = asked.plus(Duration.ofDays(3));
        assertThat(ask(subject, "yes")).startsWith(ADD_BOB + ": done. ");
        server.now = asked.minus(Duration.ofDays(1));
        assertThat(ask(subject, "yes")).startsWith(ADD_BOB + ": done before. ");
        server.now = asked.minus(Duration.ofDays(2));
        assertThat(ask(subject, "yes")).isEqualTo(WRONG_YES);
    }

    @Test
    void questionShouldBeKnownToServersWithTheSameKey() throws Exception {
        String key = "any 32 bytes will do to seal questions";
        server.write("one/header.key", key);
        server.write("two/header.key", key);
        init("list", "own", "workDirectory", "file://one");
        String subject = question(ADD_BOB);
        init("list", "own", "workDirectory", "file://other");
        assertThat(ask(subject, "yes")).isEqualTo(WRONG_YES);
        init("list", "own", "workDirectory", "file://two");
        assertThat(ask(subject, "yes")).startsWith(ADD_BOB + ": done. ");
    }

    /** Such as a rule of the user's mail program, which sends with the user's login. */
    @Test
    void programThatAnswersEveryAnswerShouldNotBeAnsweredForEver() throws Exception {
        init();
        ask("help", "");
        for (int i = 0; i < 100; i++) {
            FakeMail reply =
                    mail(FROM + "Subject: " + answer().getSubject() + "\n", "I am away", ASKED);
            mailet.service(reply);
            assertThat(reply.getState()).isEqualTo(Mail.GHOST);
        }
        assertThat(server.outbox.messages).hasSize(50);
        assertThat((String) answer().getContent())
                .startsWith("Your mail was not read: you have sent 50 in an hour.");
        ask(with(show(ASKED), user("eve@here.example")));
    }

    @Test
    void showShouldEndAfterFiveHundredLines() throws Exception {
        init();
        putMany(509, Origin.LEARNED);
        assertThat(ask("show", "").lines())
                .hasSize(502)
                .last()
                .asString()
                .startsWith("  and 9 more.");
    }

    private void putMany(int count, Origin origin) throws IOException {
        Key sam = SmallLists.address(SAM).key();
        Rule rule = new Rule(false, null, null, AuthRequirement.ANY, origin, "");
        server.list("own")
                .write(
                        IntStream.range(0, count)
                                .mapToObj(i -> SmallLists.address("u" + i + "@x.example").key())
                                .map(key -> Edit.put(new Entry(key, sam, List.of(rule))))
                                .toList(),
                        "the test");
    }

    @Test
    void addShouldBeRefusedWhenTheUserHasEnough() throws Exception {
        init();
        putMany(1_000, Origin.USER);
        assertThat(change("add c@x.example"))
                .startsWith("add c@x.example: not done. You may have 1000 addresses of your own");
        assertThat(change("add u0@x.example")).startsWith("add u0@x.example: done before.");
        assertThat(server.lines()).hasSize(1_000);
    }

    @Test
    void otherRecipientsShouldHaveTheMail() throws Exception {
        init();
        List<String> others =
                List.of("eve@here.example", "whitelist@far.example", "whitelist+x@here.example");
        FakeMail mail =
                show(
                        Stream.concat(others.stream(), Stream.of("WhiteList@HERE.example"))
                                .toArray(String[]::new));
        mailet.service(mail);
        assertThat(mail.getState()).isEqualTo("root");
        assertThat(mail.getRecipients())
                .extracting(MailAddress::asString)
                .containsExactlyInAnyOrderElementsOf(others);
        assertThat(server.outbox.messages).hasSize(1);
    }

    @Test
    void mailsOfOthersShouldGoOn() throws Exception {
        shouldGoOn(show(ASKED));
        init();
        MimeMessage show = TestServer.lines(FROM + "Subject: show\n\n");
        shouldGoOn(with(TestServer.mail("", show, ASKED), user(SAM)));
        shouldGoOn(with(show(ASKED), user("eve@far.example")));
        shouldGoOn(with(show(ASKED), user("no address")));
        shouldGoOn(show("eve@here.example"));
        shouldGoOn(with(show(ASKED), Mail.SENT_BY_MAILET_ATTRIBUTE));
        FakeMail strangers = mail(FROM, ADD_BOB, ASKED);
        strangers.removeAttribute(Mail.SMTP_AUTH_USER);
        shouldGoOn(strangers);
        shouldGoOn(
                FakeMail.builder()
                        .name("m")
                        .sender(SAM)
                        .recipient(ASKED)
                        .state("root")
                        .attribute(user(SAM))
                        .build());
        server.outbox.refuses = true;
        shouldGoOn(show(ASKED));
        server.outbox.refuses = false;
        assertThat(server.lines()).isEmpty();
        mailet.destroy();
        shouldGoOn(show(ASKED));
    }

    private void shouldGoOn(FakeMail mail) throws Exception {
        List<MailAddress> before = List.copyOf(mail.getRecipients());
        mailet.service(mail);
        assertThat(mail.getState()).isEqualTo("root");
        assertThat(mail.getRecipients()).containsExactlyInAnyOrderElementsOf(before);
        assertThat(server.outbox.messages).isEmpty();
    }

    /** Or two programs would write to each other. */
    @ParameterizedTest
    @TableSource
    void automaticMailsShouldGoOn(String header) throws Exception {
        init();
        shouldGoOn(mail(FROM + header + "\n", "show", ASKED));
    }

    @Test
    void mailsSentByJmapShouldBeRead() throws Exception {
        init();
        AttributeName jmap = AttributeName.of("org.apache.james.jmap.send.MailMetaData.username");
        FakeMail mail = with(show(ASKED), new Attribute(jmap, AttributeValue.of(SAM)));
        mail.removeAttribute(Mail.SMTP_AUTH_USER);
        assertThat(ask(mail)).isEqualTo("show: no entries.\n");
    }

    @Test
    void answerShouldSayThatTheDatabaseFails() throws Exception {
        init();
        server.list("own").close();
        assertThat(change("add a@x.example"))
                .isEqualTo(
                        "add a@x.example: perhaps not done. The list does not answer. Send it again"
                                + " later; twice does no harm.\n");
    }

    /** Whoever reads the answer must see what was written, and nothing must become a header. */
    @ParameterizedTest
    @TableSource
    void hostileTextShouldBeShownAsItIs(String line) throws Exception {
        init();
        String answer = ask("x", line);
        assertThat(answer).contains(": not done; ").doesNotContain("\u202e");
        assertThat(answer.chars().filter(c -> c != '\n')).noneMatch(Character::isISOControl);
        assertThat(answer().getHeader("Bcc")).isNull();
    }

    @ParameterizedTest
    @TableSource
    void wrongParametersShouldBeExplained(String name, @Nullable String value, String message) {
        String list = name.equals("list") ? Objects.requireNonNullElse(value, "") : "own";
        assertThatThrownBy(() -> init("list", list, name, Objects.requireNonNullElse(value, "")))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("WhitelistByMail")
                .hasMessageContaining(message);
    }

    @Test
    void addressShouldBeThatOfTheParameter() throws Exception {
        init("list", "own", "address", "My-List");
        shouldGoOn(show(ASKED));
        assertThat(ask(show("my-list@here.example"))).startsWith("show");
    }
}
