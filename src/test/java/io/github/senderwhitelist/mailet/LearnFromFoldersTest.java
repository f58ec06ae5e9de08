package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.mailet.TestServer.MONDAY;
import static io.github.senderwhitelist.mailet.TestServer.SAM;
import static io.github.senderwhitelist.mailet.TestServer.SPF;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.mailet.Mailboxes.Folder;
import io.github.senderwhitelist.mailet.Mailboxes.Mail;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.mailet.settings.SettingException;
import io.github.senderwhitelist.tools.SmallLists;
import io.github.senderwhitelist.tools.TableSource;
import io.github.senderwhitelist.tools.TextResource;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.james.events.Event;
import org.apache.james.events.Group;
import org.apache.james.mailbox.exception.MailboxException;
import org.apache.mailet.Attribute;
import org.apache.mailet.AttributeName;
import org.apache.mailet.AttributeValue;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** A user moves mails, and what follows from it, with a real database. */
class LearnFromFoldersTest {
    private static final String EVE = "eve@here.example";
    private static final String BOB = "bob@stranger.example";
    private static final String LISTS_BOB =
            "bob@stranger.example auth=any to=sam@here.example origin=learned";
    private static final String LEARNED =
            "bob@stranger.example from=2026-11-23 until=2027-11-23 auth=any to=sam@here.example"
                    + " origin=learned";
    private static final String DENIED =
            "!bob@stranger.example from=2026-11-23 to=sam@here.example origin=user note=moved to"
                    + " spam";

    @RegisterExtension
    final TestServer server =
            new TestServer(
                    TestServer.living("own")
                            + "<whitelist name=\"text\"><source>file://conf/x.txt</source>"
                            + "</whitelist>");

    private final Mailboxes james = new Mailboxes();
    private final Folder inbox = james.folder(SAM, "INBOX");
    private final Folder spam = james.folder(SAM, "Spam");

    @SuppressWarnings("NullAway.Init") // made before each test
    private SenderWhitelist whitelist;

    private int sent;

    @BeforeEach
    void start() throws MessagingException {
        serve("envelope");
    }

    /** Starts the mailet that judges mails and writes the header. */
    private void serve(String sender) throws MessagingException {
        whitelist = server.mailet("own", "sender", sender, "header", "on");
    }

    private LearnFromFolders learning(String xml) throws Exception {
        return server.listener(james, xml);
    }

    /** Tells the listener of events, and waits until it has learned from them. */
    private void happens(LearnFromFolders learning, Event... events) throws Exception {
        for (Event event : events) {
            assertThat(learning.isHandling(event)).isTrue();
            learning.event(event);
        }
        server.learned();
    }

    /** Moves mails of sam, tells the listener, and waits until it has learned from that. */
    private void move(Folder from, Folder to, Mail... mails) throws Exception {
        happens(learning(""), james.move(SAM, from, to, List.of(mails)));
    }

    private void put(String line) throws IOException {
        server.list("own").put(Lines.entry(line), "test");
    }

    /**
     * Lets a mail arrive in a folder of sam. SPF confirms its envelope sender, if anything does.
     */
    private Mail mail(Folder folder, String from, String envelope, boolean confirmed)
            throws MessagingException {
        return james.put(folder, header(judged(from, envelope, confirmed), envelope, SAM));
    }

    private Mail mail(Folder folder) throws MessagingException {
        return mail(folder, BOB, BOB, true);
    }

    private FakeMail judged(String from, String envelope, boolean confirmed)
            throws MessagingException {
        String head = "Message-ID: <" + sent++ + "@x.example>\r\nFrom: " + from + "\r\n\r\n";
        FakeMail mail = TestServer.mail(envelope, TestServer.message(head), SAM, EVE);
        if (confirmed) {
            mail.setAttribute(SPF);
        }
        whitelist.service(mail);
        return mail;
    }

    /** Returns the header as James delivers it to a recipient. */
    private static String header(FakeMail mail, String envelope, String recipient)
            throws MessagingException {
        StringBuilder header = new StringBuilder("Return-Path: <" + envelope + ">\r\n");
        for (String name : List.of("Message-ID", "From")) {
            header.append(name + ": " + mail.getMessage().getHeader(name)[0] + "\r\n");
        }
        mail.getPerRecipientSpecificHeaders()
                .getHeadersForRecipient(new MailAddress(recipient))
                .forEach(each -> header.append(each.getName() + ": " + each.getValue() + "\r\n"));
        return header + "\r\n";
    }

    /** Returns the verdict on the next mail to sam that has bob's envelope. */
    private String next(String from) throws MessagingException {
        String header = header(judged(from, BOB, true), BOB, SAM);
        return header.substring(
                header.indexOf("X-Sender-Whitelist: ") + 20, header.indexOf("; sender"));
    }

    private List<String> names() throws IOException {
        return server.lines().stream().map(line -> line.substring(0, line.indexOf('@'))).toList();
    }

    private long counted(String what) {
        return server.metrics.countFor("senderWhitelist.learning." + what);
    }

    static Stream<Arguments> scenarios() {
        return TextResource.scenarios(LearnFromFoldersTest.class, "folder-moves.txt");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("scenarios")
    void shouldLearnAsInFolderMoves(String name, List<String> steps) throws Exception {
        LearnFromFolders learning = learning("");
        Map<String, Mail> mails = new HashMap<>();
        Map<String, Folder> places = new HashMap<>();
        Map<String, Event> events = new HashMap<>();
        for (String step : steps) {
            String rest = step.substring(step.indexOf(' ') + 1);
            String[] words = step.split(" ", -1);
            switch (words[0]) {
                case "set" -> learning = learning(rest);
                case "put" -> put(rest);
                case "day" -> server.now = MONDAY.plus(Duration.ofDays(Long.parseLong(rest)));
                case "mail" -> {
                    String[] parts = rest.split("; ", -1);
                    Folder folder = james.folder(SAM, parts[1]);
                    places.put(parts[0], folder);
                    mails.put(parts[0], arrive(folder, List.of(parts)));
                }
                case "delete" -> james.delete(Objects.requireNonNull(mails.get(rest)));
                case "rename" -> james.rename(SAM, words[1], words[3]);
                case "hear" -> happens(learning, Objects.requireNonNull(events.get(rest)));
                case "move", "copy", "unheard" -> {
                    List<Mail> moved = List.of(Objects.requireNonNull(mails.get(words[1])));
                    Folder from = Objects.requireNonNull(places.get(words[1]));
                    Folder to = james.folder(SAM, words[3]);
                    Event event =
                            words[0].equals("copy")
                                    ? james.copy(SAM, from, to, moved)
                                    : james.move(SAM, from, to, moved);
                    places.put(words[1], to);
                    events.put(words[1] + ">" + words[3], event);
                    if (!words[0].equals("unheard")) {
                        happens(learning, event);
                    }
                }
                case "has" -> {
                    String all = rest.replace("LEARNED", LEARNED).replace("DENIED", DENIED);
                    assertThat(String.join("; ", server.lines()).split("; ", -1))
                            .as(step)
                            .containsExactlyInAnyOrder(
                                    step.equals("has") ? new String[] {""} : all.split("; ", -1));
                }
                case "next" -> {
                    boolean isBob = !words[1].contains("@");
                    String verdict = isBob ? rest : rest.substring(words[1].length() + 1);
                    assertThat(next(isBob ? BOB : words[1])).as(step).isEqualTo(verdict);
                }
                default -> throw new AssertionError(step);
            }
        }
    }

    private Mail arrive(Folder folder, List<String> parts) throws MessagingException {
        String from = value(parts, "from=");
        return mail(folder, from, value(parts, "envelope="), !parts.contains("unconfirmed"));
    }

    private static String value(List<String> parts, String name) {
        return parts.stream()
                .filter(part -> part.startsWith(name))
                .map(part -> part.substring(name.length()))
                .findFirst()
                .orElse(BOB);
    }

    @ParameterizedTest
    @TableSource
    void shouldDenyWhateverAddressLists(String there, String denied) throws Exception {
        for (String line : there.split(";", -1)) {
            put(line.strip());
        }
        move(inbox, spam, mail(inbox, "bob+1@stranger.example", BOB, true));
        assertThat(names())
                .filteredOn(name -> name.startsWith("!"))
                .containsExactlyInAnyOrder(denied.split(" ", -1));
    }

    /** Whoever has a mail that was signed can send it again under another envelope. */
    @Test
    void shouldDenyNoEnvelopeSenderThatASignatureAloneConfirms() throws Exception {
        put(LISTS_BOB);
        FakeMail signed =
                TestServer.mail(
                        BOB,
                        TestServer.lines(
                                """
                                Message-ID: <signed@x.example>
                                From: eve@stranger.example
                                DKIM-Signature: v=1; d=stranger.example; b=aGk=

                                """),
                        SAM,
                        EVE);
        signed.setAttribute(
                new Attribute(
                        AttributeName.of("jDKIM.AUTHRESULT"),
                        AttributeValue.of("pass (identity @stranger.example)")));
        whitelist.service(signed);
        String header = header(signed, BOB, SAM);
        assertThat(header).contains("reason=unauthenticated").contains("confirmed=dkim;");
        move(inbox, spam, james.put(inbox, header));
        assertThat(names()).containsExactlyInAnyOrder("bob", "!eve");
    }

    @Test
    void shouldNotDenyWhoMayBeForged() throws Exception {
        put(LISTS_BOB);
        List<String> before = server.lines();
        FakeMail other = judged(BOB, BOB, true);
        String genuine = header(other, BOB, SAM);
        List<String> forged =
                List.of(
                        header(judged(BOB, BOB, false), BOB, SAM),
                        header(
                                judged(BOB, "mallory@evil.example", true),
                                "mallory@evil.example",
                                SAM),
                        header(judged(BOB, "", true), "", SAM),
                        // Another recipient's header, one for another mail, none, no path.
                        header(other, BOB, EVE),
                        genuine.replace("Message-ID: <", "Message-ID: <x"),
                        genuine.replace("X-Sender", "X-S"),
                        genuine.replace("Return-Path", "X-P"),
                        genuine.replace("spf", "dkim"),
                        "X-Sender-Whitelist: listed\r\n" + genuine,
                        "Return-Path: <a@b.c>\r\n" + genuine);
        for (String header : forged) {
            move(inbox, spam, james.put(inbox, header));
            assertThat(server.lines()).as(header).isEqualTo(before);
        }
        // The same header, as it was delivered, is believed.
        move(inbox, spam, james.put(inbox, genuine));
        assertThat(server.lines()).containsExactly(DENIED);
    }

    @ParameterizedTest
    @TableSource
    void shouldDenyWhoWasConfirmedByWhateverAddressWasAsked(
            String sender, String envelope, boolean denied) throws Exception {
        whitelist.destroy();
        serve(sender);
        move(inbox, spam, mail(inbox, BOB, envelope, true));
        assertThat(server.lines()).isEqualTo(denied ? List.of(DENIED) : List.of());
    }

    /** Each is a whole header; mails of mailing lists teach as others do. */
    @ParameterizedTest
    @TableSource
    void shouldLearnOfOneOtherPersonInFromAlone(String header, boolean learned) throws Exception {
        move(spam, inbox, james.put(spam, header + "\r\n\r\n"));
        assertThat(server.lines()).isEqualTo(learned ? List.of(LEARNED) : List.of());
    }

    /** The user puts a line at the moment at which the listener writes a denial beside it. */
    @Test
    void shouldNeverLoseWhatIsPutByHandMeanwhile() throws Exception {
        Rule byHand = new Rule(false, null, null, AuthRequirement.ANY, Origin.USER, "a friend");
        Key sam = SmallLists.address(SAM).key();
        LearnFromFolders learning = learning("<maxNewPerDay>1000</maxNewPerDay>");
        for (int i = 0; i < 100; i++) {
            String sender = "b" + i + "@stranger.example";
            Key key = SmallLists.address(sender).key();
            Mail mail = mail(inbox, sender, sender, true);
            learning.event(james.move(SAM, inbox, spam, List.of(mail)));
            server.list("own").put(new Entry(key, sam, List.of(byHand)), SAM);
            server.learned();
            Entry entry = Objects.requireNonNull(server.list("own").record().find(key, sam));
            assertThat(entry.rules()).as(sender).contains(byHand);
        }
    }

    @Test
    void shouldGiveUpWhenNoMailetHasTheListOpen() throws Exception {
        Mail one = mail(spam);
        Mail two = mail(spam);
        whitelist.destroy();
        move(spam, inbox, one, two);
        assertThat(counted("failed")).isEqualTo(2);
        assertThat(server.shared.isEmpty()).isTrue();
    }

    @Test
    void shouldLetJamesCallAgainOnlyWhenJamesItselfFails() throws Exception {
        Event event = james.move(SAM, spam, inbox, List.of(mail(spam)));
        LearnFromFolders learning = learning("");
        for (Exception failure : List.of(Mailboxes.down(), new IllegalStateException("driver"))) {
            james.failure = failure;
            assertThatThrownBy(() -> learning.event(event)).isInstanceOf(MailboxException.class);
        }
        james.failure = null;
        james.failsToRead = 1;
        happens(learning, event);
        assertThat(counted("failed")).isEqualTo(1);
        assertThat(server.lines()).isEmpty();
        happens(learning, event);
        assertThat(server.lines()).containsExactly(LEARNED);
    }

    @Test
    void shouldNotLearnForUsersWithoutADomain() throws Exception {
        Folder own = james.folder("sam", "Spam");
        Mail mail = james.put(own, "From: " + BOB + "\r\n\r\n");
        happens(learning(""), james.move("sam", own, james.folder("sam", "INBOX"), List.of(mail)));
        assertThat(server.lines()).isEmpty();
        assertThat(james.read).hasValue(0);
    }

    @Test
    void shouldBeInAGroupThatJamesCanLoad() throws Exception {
        Group group = learning("").getDefaultGroup();
        assertThat(Group.deserialize(group.asString())).isEqualTo(group);
    }

    /** James may start the mailets later, so the warning cannot wait for what they say. */
    @ParameterizedTest
    @TableSource
    void shouldWarnAtTheStartIfNoMailetWritesTheHeader(String mailet, String header, boolean warns)
            throws Exception {
        server.pipeline =
                "<mailetcontainer><processors><processor><mailet class='SPF'/>"
                        + "<mailet class='io.github.senderwhitelist.mailet.%s'><header>%s</header>"
                                .formatted(mailet, header)
                        + "</mailet></processor></processors></mailetcontainer>";
        List<String> log = server.logged(MissingResults.class, Level.WARN);
        new LearnFromFolders(
                server.shared,
                james.messages(),
                james.manager(),
                TestLists.configuration("<configuration><list>own</list></configuration>"));
        assertThat(log)
                .hasSize(warns ? 1 : 0)
                .allMatch(
                        line ->
                                line.startsWith("LearnFromFolders: in mailetcontainer.xml no")
                                        && line.contains("put <header>on</header>")
                                        && !line.contains("\n"));
    }

    @Test
    void nothingShouldBeLearnedFromManyMailsAtOnce() throws Exception {
        List<Mail> mails = new ArrayList<>();
        for (int i = 0; i < 21; i++) {
            mails.add(mail(spam, "u" + i + "@x.example", BOB, false));
        }
        LearnFromFolders learning = learning("");
        Event bulk = james.move(SAM, spam, inbox, mails);
        assertThat(learning.isHandling(bulk)).isFalse();
        learning.event(bulk);
        server.learned();
        assertThat(server.lines()).isEmpty();
        happens(
                learning,
                james.move(SAM, inbox, spam, mails.subList(0, 20)),
                james.move(SAM, spam, inbox, mails.subList(0, 20)));
        assertThat(server.lines()).hasSize(20);
    }

    @Test
    void nothingShouldBeLearnedInFoldersOfOthersOrThatAreGone() throws Exception {
        Folder foreign = james.folder(EVE, "Spam");
        move(foreign, inbox, mail(foreign));
        move(spam, james.folder(EVE, "team"), mail(spam));
        move(inbox, foreign, mail(inbox));
        Folder gone = james.folder(SAM, "gone");
        Event event = james.move(SAM, spam, gone, List.of(mail(spam)));
        james.deleteFolder(gone);
        happens(learning(""), event);
        assertThat(server.lines()).isEmpty();
    }

    @Test
    void whatWaitsShouldBeWrittenBeforeTheListIsClosed() throws Exception {
        learning("").event(james.move(SAM, inbox, spam, List.of(mail(inbox))));
        whitelist.destroy();
        serve("envelope");
        assertThat(server.lines()).containsExactly(DENIED);
    }

    @Test
    void limitsShouldHoldForBothWays() throws Exception {
        LearnFromFolders learning =
                learning("<maxNewPerDay>4</maxNewPerDay><maxPerUser>3</maxPerUser>");
        for (int day = 0; day < 3; day++) {
            server.now = MONDAY.plus(Duration.ofDays(day));
            for (int i = 0; i < 3; i++) {
                Mail rescued = mail(spam, "r" + day + i + "@x.example", "a@x.example", false);
                happens(learning, james.move(SAM, spam, inbox, List.of(rescued)));
                String spammer = "s" + day + i + "@x.example";
                Mail denied = mail(inbox, spammer, spammer, true);
                happens(learning, james.move(SAM, inbox, spam, List.of(denied)));
            }
        }
        assertThat(names()).containsExactlyInAnyOrder("!s00", "!s01", "!s10", "r20", "r21", "r22");
        assertThat(counted("learned")).isEqualTo(4 + 4 + 3);
        assertThat(counted("refused")).isEqualTo(2 + 2 + 3);
    }

    @ParameterizedTest
    @TableSource
    void wrongParametersShouldBeExplained(String xml, String message) {
        assertThatThrownBy(() -> learning(xml))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("LearnFromFolders")
                .hasMessageContaining(message);
    }
}
