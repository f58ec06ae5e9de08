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
import io.github.senderwhitelist.learning.Learner;
import io.github.senderwhitelist.mailet.Mailboxes.Folder;
import io.github.senderwhitelist.mailet.Mailboxes.Mail;
import io.github.senderwhitelist.mailet.learned.LearningQueue;
import io.github.senderwhitelist.mailet.mail.MissingResults;
import io.github.senderwhitelist.tools.SmallLists;

import jakarta.mail.MessagingException;

import org.apache.james.core.MailAddress;
import org.apache.james.core.builder.MimeMessageBuilder;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

/** A user moves and marks mails, and what follows from it, with a real database. */
class LearnFromFoldersTest {
    private static final String EVE = "eve@here.example";
    private static final String BOB = "bob@stranger.example";
    private static final Key SAM_KEY = SmallLists.address(SAM).key();
    private static final Key BOB_KEY = SmallLists.address(BOB).key();
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
                            + TestServer.living("others")
                            + "<whitelist name=\"text\"><source>file://conf/x.txt</source>"
                            + "</whitelist>");

    private final Mailboxes james = new Mailboxes();
    private final Folder inbox = james.folder(SAM, "INBOX");
    private final Folder spam = james.folder(SAM, "Spam");
    private final Folder trash = james.folder(SAM, "Trash");
    private final SteppedThread thread = new SteppedThread();
    private final LearningQueue queue = new LearningQueue(server.shared.metrics(), thread);

    @SuppressWarnings("NullAway.Init") // made before each test
    private SenderWhitelist whitelist;

    private int sent;

    @BeforeEach
    void start() throws MessagingException {
        serve("own", "envelope");
        server.atTheEnd(queue::close);
    }

    /** Starts the mailet that judges mails and writes the header. */
    private void serve(String lists, String sender) throws MessagingException {
        whitelist = server.mailet(lists, "sender", sender, "header", "on");
    }

    private LearnFromFolders learning(String xml) throws Exception {
        return new LearnFromFolders(
                server.files,
                server.shared,
                james.messages(),
                james.manager(),
                TestLists.configuration(
                        "<configuration>%s%s</configuration>"
                                .formatted(
                                        xml.startsWith("<list>") ? "" : "<list>own</list>", xml)),
                queue);
    }

    /** Tells the listener of events, and waits until it has learned from them. */
    private void happens(Event... events) throws Exception {
        happens(learning(""), events);
    }

    private void happens(LearnFromFolders learning, Event... events) throws Exception {
        for (Event event : events) {
            assertThat(learning.isHandling(event)).isTrue();
            learning.event(event);
        }
        thread.finish();
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
        FakeMail.Builder mail =
                FakeMail.builder()
                        .name("mail")
                        .sender(envelope.isEmpty() ? MailAddress.nullSender() : address(envelope))
                        .recipients(SAM, EVE)
                        .mimeMessage(
                                MimeMessageBuilder.mimeMessageBuilder()
                                        .addHeader("Message-ID", "<" + sent++ + "@x.example>")
                                        .addHeader("From", from));
        if (confirmed) {
            mail.attribute(SPF);
        }
        FakeMail built = mail.build();
        whitelist.service(built);
        return built;
    }

    private static MailAddress address(String text) throws MessagingException {
        return new MailAddress(text);
    }

    /** Returns the header as James delivers it to a recipient. */
    private static String header(FakeMail mail, String envelope, String recipient)
            throws MessagingException {
        StringBuilder header = new StringBuilder("Return-Path: <" + envelope + ">\r\n");
        for (String name : List.of("Message-ID", "From")) {
            header.append(name + ": " + mail.getMessage().getHeader(name)[0] + "\r\n");
        }
        mail.getPerRecipientSpecificHeaders()
                .getHeadersForRecipient(address(recipient))
                .forEach(each -> header.append(each.getName() + ": " + each.getValue() + "\r\n"));
        return header + "\r\n";
    }

    /** Returns the verdict on the next mail of bob to sam. */
    private String next() throws MessagingException {
        return next(BOB);
    }

    private String next(String from) throws MessagingException {
        String header = header(judged(from, BOB, true), BOB, SAM);
        return header.substring(
                header.indexOf("X-Sender-Whitelist: ") + 20, header.indexOf("; sender"));
    }

    private void put(Rule... rules) throws IOException {
        server.list("own").put(new Entry(BOB_KEY, SAM_KEY, List.of(rules)), "test");
    }

    private static Rule rule(boolean denied, Origin origin, String note) {
        return new Rule(denied, null, null, denied ? null : AuthRequirement.ANY, origin, note);
    }

    @Test
    void shouldListWhomTheUserTakesOutOfTheSpamFolder() throws Exception {
        Mail mail = mail(spam, "Bob <Bob@Stranger.example>", "bounce@mailer.example", false);
        assertThat(next()).isEqualTo("not-listed; reason=stranger");
        Event event = james.move(SAM, spam, inbox, List.of(mail));
        happens(event, event);
        assertThat(server.lines()).containsExactly(LEARNED);
        assertThat(next()).isEqualTo("listed; reason=listed");

        server.now = MONDAY.plus(Duration.ofDays(3));
        happens(event);
        assertThat(server.lines()).first().asString().contains("from=2026-11-23 until=2027-11-26");
    }

    @Test
    void shouldDenyWhomTheUserPutsIntoTheSpamFolderAndTakeThatBack() throws Exception {
        put(rule(false, Origin.LEARNED, ""));
        assertThat(next()).isEqualTo("listed; reason=listed");
        Mail mail = mail(inbox);
        Event in = james.move(SAM, inbox, spam, List.of(mail));
        happens(in, in);
        assertThat(server.lines()).containsExactly(DENIED);
        assertThat(next()).isEqualTo("not-listed; reason=denied");

        Event out = james.move(SAM, spam, inbox, List.of(mail));
        happens(out, out);
        assertThat(server.lines()).containsExactly(LEARNED);
        assertThat(next()).isEqualTo("listed; reason=listed");
    }

    @Test
    void shouldTakeCopiesForMoves() throws Exception {
        Mail mail = mail(inbox);
        happens(james.copy(SAM, inbox, spam, List.of(mail)));
        assertThat(server.lines()).containsExactly(DENIED);
        james.delete(mail);

        Mail second = mail(spam);
        happens(james.copy(SAM, spam, inbox, List.of(second)));
        assertThat(server.lines()).containsExactly(LEARNED);
    }

    @Test
    void shouldDenyTheAddressWithoutItsTagWhenThatLists() throws Exception {
        put(rule(false, Origin.LEARNED, ""));
        Mail mail = mail(inbox, "bob+1@stranger.example", BOB, true);
        assertThat(next("bob+2@stranger.example")).isEqualTo("listed; reason=listed");
        happens(james.move(SAM, inbox, spam, List.of(mail)));
        assertThat(server.lines()).containsExactly(DENIED);
        assertThat(next("bob+2@stranger.example")).isEqualTo("not-listed; reason=denied");
        assertThat(next()).isEqualTo("not-listed; reason=denied");

        happens(james.move(SAM, spam, inbox, List.of(mail)));
        assertThat(server.lines()).containsExactly(LEARNED);
        assertThat(next("bob+2@stranger.example")).isEqualTo("listed; reason=listed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // What there is, what is denied beside it.
                "bob@stranger.example | !bob",
                "bob@stranger.example note=x;bob+1@stranger.example to=@here.example | !bob+1 !bob",
                "bob+1@stranger.example | !bob+1",
                "@stranger.example | !bob+1",
                "bob@stranger.example to=eve@here.example | !bob+1",
                "bob+1@stranger.example to=sam@here.example origin=user;"
                        + "bob@stranger.example to=sam@here.example origin=user | !bob+1 !bob",
                "!bob+1@stranger.example to=sam@here.example origin=user;bob@stranger.example"
                        + " | !bob+1 !bob",
                "bob@stranger.example until=2026-11-01 | !bob+1",
            })
    void shouldDenyWhateverAddressLists(String there, String denied) throws Exception {
        for (String line : there.split(";", -1)) {
            server.list("own").put(Lines.entry(line.strip()), "test");
        }
        Mail mail = mail(inbox, "bob+1@stranger.example", BOB, true);
        happens(james.move(SAM, inbox, spam, List.of(mail)));
        assertThat(server.lines())
                .filteredOn(line -> line.startsWith("!"))
                .extracting(line -> line.substring(0, line.indexOf('@')))
                .containsExactlyInAnyOrder(denied.split(" ", -1));
    }

    @Test
    void shouldDenyTheEnvelopeSenderWhenThatLists() throws Exception {
        put(rule(false, Origin.LEARNED, ""));
        Mail mail = mail(inbox, "new1@stranger.example", BOB, true);
        assertThat(next("new2@stranger.example")).isEqualTo("listed; reason=listed");
        happens(james.move(SAM, inbox, spam, List.of(mail)));
        assertThat(next("new2@stranger.example")).isEqualTo("not-listed; reason=denied");
        assertThat(server.lines()).containsExactly(DENIED);

        happens(james.move(SAM, spam, inbox, List.of(mail)));
        assertThat(server.lines()).containsExactly(LEARNED);
        assertThat(next("new2@stranger.example")).isEqualTo("listed; reason=listed");
    }

    /** Whoever has a mail that was signed can send it again under another envelope. */
    @Test
    void shouldDenyNoEnvelopeSenderThatASignatureAloneConfirms() throws Exception {
        put(rule(false, Origin.LEARNED, ""));
        FakeMail signed =
                FakeMail.builder()
                        .name("mail")
                        .sender(BOB)
                        .recipients(SAM, EVE)
                        .attribute(
                                new Attribute(
                                        AttributeName.of("jDKIM.AUTHRESULT"),
                                        AttributeValue.of("pass (identity @stranger.example)")))
                        .mimeMessage(
                                MimeMessageBuilder.mimeMessageBuilder()
                                        .addHeader("Message-ID", "<signed@x.example>")
                                        .addHeader("From", "eve@stranger.example")
                                        .addHeader(
                                                "DKIM-Signature",
                                                "v=1; a=rsa-sha256; d=stranger.example; b=aGk="))
                        .build();
        whitelist.service(signed);
        String header = header(signed, BOB, SAM);
        assertThat(header).contains("reason=unauthenticated").contains("confirmed=dkim;");
        happens(james.move(SAM, inbox, spam, List.of(james.put(inbox, header))));
        assertThat(server.lines())
                .extracting(line -> line.substring(0, line.indexOf('@')))
                .containsExactlyInAnyOrder("bob", "!eve");
    }

    @Test
    void shouldTakeTheDelimiterOfTheServer() throws Exception {
        LearnFromFolders learning = learning("<subaddressDelimiter>-</subaddressDelimiter>");
        put(rule(false, Origin.LEARNED, ""));
        Mail plus = mail(inbox, "bob+1@stranger.example", "x@stranger.example", true);
        happens(learning, james.move(SAM, inbox, spam, List.of(plus)));
        assertThat(server.lines()).noneMatch(line -> line.startsWith("!bob@"));
        Mail minus = mail(inbox, "bob-1@stranger.example", "x@stranger.example", true);
        happens(learning, james.move(SAM, inbox, spam, List.of(minus)));
        assertThat(server.lines()).contains(DENIED);
    }

    @Test
    void shouldComeToTheSameEndInWhateverOrderEventsCome() throws Exception {
        Mail mail = mail(inbox);
        Event in = james.move(SAM, inbox, spam, List.of(mail));
        Event out = james.move(SAM, spam, inbox, List.of(mail));
        happens(out, in);
        assertThat(server.lines()).containsExactly(LEARNED);

        Event again = james.move(SAM, inbox, spam, List.of(mail));
        happens(again, out, in, out);
        assertThat(server.lines()).containsExactly(DENIED);
        james.delete(mail);
        happens(out, in);
        assertThat(server.lines()).containsExactly(DENIED);
    }

    @Test
    void shouldLearnNothingFromWhatIsThrownAway() throws Exception {
        Mail mail = mail(spam);
        happens(james.move(SAM, spam, trash, List.of(mail)));
        happens(james.move(SAM, trash, inbox, List.of(mail)));
        happens(james.move(SAM, inbox, james.folder(SAM, "work"), List.of(mail)));
        Mail late = mail(spam);
        Event thrownAway = james.move(SAM, spam, trash, List.of(late));
        james.move(SAM, trash, inbox, List.of(late));
        happens(thrownAway);
        Mail second = mail(spam);
        happens(
                james.move(SAM, spam, james.folder(SAM, "Spam.old"), List.of(second)),
                james.move(
                        SAM,
                        james.folder(SAM, "Spam.old"),
                        james.folder(SAM, "Trash.2026"),
                        List.of(second)));
        assertThat(server.lines()).isEmpty();
        Mail third = mail(spam);
        happens(james.move(SAM, spam, james.folder(SAM, "Trashy"), List.of(third)));
        assertThat(server.lines()).containsExactly(LEARNED);
    }

    @Test
    void shouldNotDenyWhoMayBeForged() throws Exception {
        put(rule(false, Origin.LEARNED, ""));
        List<String> before = server.lines();
        FakeMail other = judged(BOB, BOB, true);
        Folder work = james.folder(SAM, "work");
        List<Mail> forged =
                List.of(
                        mail(inbox, BOB, BOB, false),
                        mail(inbox, BOB, "mallory@evil.example", true),
                        mail(inbox, BOB, "", true),
                        // Another recipient's header, one for another mail, none, no path.
                        james.put(inbox, header(other, BOB, EVE)),
                        james.put(
                                inbox,
                                header(other, BOB, SAM).replace("Message-ID: <", "Message-ID: <x")),
                        james.put(inbox, header(other, BOB, SAM).replace("X-Sender", "X-S")),
                        james.put(inbox, header(other, BOB, SAM).replace("Return-Path", "X-P")),
                        james.put(inbox, header(other, BOB, SAM).replace("spf", "dkim")),
                        james.put(
                                inbox,
                                "Return-Path: <"
                                        + BOB
                                        + ">\r\nReturn-Path: <a@b.c>\r\n"
                                        + header(other, BOB, SAM)));
        for (Mail mail : forged) {
            happens(james.move(SAM, inbox, spam, List.of(mail)));
            assertThat(server.lines()).as("%s", mail).isEqualTo(before);
        }
        // The same header, as it was delivered, is believed.
        Mail genuine = james.put(work, header(other, BOB, SAM));
        happens(james.move(SAM, work, spam, List.of(genuine)));
        assertThat(server.lines()).containsExactly(DENIED);
    }

    @ParameterizedTest
    @CsvSource({
        "from, bob@stranger.example, true",
        "from, bounces@mail.stranger.example, true",
        "from, mallory@evil.example, false",
        "both, bob@stranger.example, true",
        "either, mallory@evil.example, false",
        "envelope, bounces@mail.stranger.example, true",
        "envelope, mallory@evil.example, false",
        "envelope, stranger.example@evil.example, false",
        "envelope, eve+caf_=sam=here.example@stranger.example, false",
        "from, eve+caf_=sam=here.example@stranger.example, false"
    })
    void shouldDenyWhoWasConfirmedByWhateverAddressWasAsked(
            String sender, String envelope, boolean denied) throws Exception {
        whitelist.destroy();
        serve("own", sender);
        Mail mail = mail(inbox, BOB, envelope, true);
        happens(james.move(SAM, inbox, spam, List.of(mail)));
        assertThat(server.lines()).isEqualTo(denied ? List.of(DENIED) : List.of());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bob",
                "bob@stranger.example, eve@stranger.example",
                "\"bob@stranger.example\" <>",
                "eve@x.example <bob@stranger.example>",
                "Sam@HERE.example",
                "jos??@stranger.example"
            })
    void shouldLearnNothingWithoutOneOtherPersonInFrom(String from) throws Exception {
        Mail mail = james.put(spam, "Return-Path: <a@x.example>\r\nFrom: " + from + "\r\n\r\n");
        Mail none = james.put(spam, "Subject: x\r\n\r\n");
        Mail empty = james.put(spam, "");
        happens(james.move(SAM, spam, inbox, List.of(mail, none, empty)));
        assertThat(server.lines()).isEmpty();
    }

    @Test
    void shouldLearnNothingFromBouncesButFromLists() throws Exception {
        happens(james.move(SAM, spam, inbox, List.of(mail(spam, BOB, "", false))));
        assertThat(server.lines()).isEmpty();
        Mail news =
                james.put(
                        spam,
                        "Return-Path: <b-17@mailer.example>\r\nFrom: Bob <"
                                + BOB
                                + ">\r\n"
                                + "List-Id: <news.stranger.example>\r\nPrecedence: bulk\r\n\r\n");
        happens(james.move(SAM, spam, inbox, List.of(news)));
        assertThat(server.lines()).containsExactly(LEARNED);
    }

    @Test
    void shouldNeverTouchWhatWasPutByHand() throws Exception {
        Rule byHand = rule(true, Origin.USER, "ticket 4711");
        put(byHand);
        put(rule(true, Origin.ADMIN, Learner.MOVED));
        List<String> before = server.lines();
        Mail mail = mail(inbox);
        happens(james.move(SAM, inbox, spam, List.of(mail)));
        assertThat(server.lines()).isEqualTo(before);
        happens(james.move(SAM, spam, inbox, List.of(mail)));
        assertThat(server.lines()).containsAll(before).contains(LEARNED).hasSize(3);
    }

    /** The user puts a line at the moment at which the listener writes a denial beside it. */
    @Test
    void shouldNeverLoseWhatIsPutByHandMeanwhile() throws Exception {
        Rule byHand = rule(false, Origin.USER, "a friend");
        LearnFromFolders learning = learning("<maxNewPerDay>1000</maxNewPerDay>");
        for (int i = 0; i < 100; i++) {
            String sender = "b" + i + "@stranger.example";
            Key key = SmallLists.address(sender).key();
            Mail mail = mail(inbox, sender, sender, true);
            learning.event(james.move(SAM, inbox, spam, List.of(mail)));
            server.list("own").put(new Entry(key, SAM_KEY, List.of(byHand)), SAM);
            thread.finish();
            Entry entry = Objects.requireNonNull(server.list("own").record().find(key, SAM_KEY));
            assertThat(entry.rules()).as(sender).contains(byHand);
        }
    }

    @Test
    void shouldDenyBesideWhatTheUserHasListed() throws Exception {
        put(rule(false, Origin.USER, "a friend"));
        List<String> before = server.lines();
        Mail mail = mail(inbox);
        happens(james.move(SAM, inbox, spam, List.of(mail)));
        assertThat(server.lines()).containsAll(before).contains(DENIED).hasSize(2);
        assertThat(next()).isEqualTo("not-listed; reason=denied");
        happens(james.move(SAM, spam, inbox, List.of(mail)));
        assertThat(server.lines()).containsAll(before).contains(LEARNED).hasSize(2);
        assertThat(next()).isEqualTo("listed; reason=listed");
    }

    @Test
    void shouldDenyBesideADenialThatDoesNotHoldYet() throws Exception {
        Instant later = MONDAY.plus(Duration.ofDays(9));
        put(new Rule(true, later, null, null, Origin.USER, "from then on"));
        happens(james.move(SAM, inbox, spam, List.of(mail(inbox))));
        assertThat(server.lines()).contains(DENIED).hasSize(2);
    }

    @Test
    void shouldNeverLearnTheUsersThemselves() throws Exception {
        Mail mail = mail(inbox, "Sam@HERE.example", SAM, true);
        happens(james.move(SAM, inbox, spam, List.of(mail)));
        assertThat(server.lines()).isEmpty();
        happens(james.move(SAM, spam, inbox, List.of(mail)));
        assertThat(server.lines()).isEmpty();
    }

    @Test
    void shouldBeRightAfterTheClockWasAhead() throws Exception {
        server.now = MONDAY.plus(Duration.ofDays(700));
        happens(james.move(SAM, spam, inbox, List.of(mail(spam))));
        server.now = MONDAY;
        happens(james.move(SAM, spam, inbox, List.of(mail(spam))));
        assertThat(server.lines()).containsExactly(LEARNED);

        server.now = MONDAY.plus(Duration.ofDays(700));
        happens(james.move(SAM, inbox, spam, List.of(mail(inbox))));
        server.now = MONDAY;
        happens(james.move(SAM, inbox, spam, List.of(mail(inbox))));
        assertThat(server.lines()).containsExactly(DENIED);
    }

    /** What was learned by a mail sent ends later, and that stays so. */
    @Test
    void shouldNotShortenWhatEndsLater() throws Exception {
        happens(james.move(SAM, spam, inbox, List.of(mail(spam))));
        happens(
                learning("<validity>10d</validity>"),
                james.move(SAM, spam, inbox, List.of(mail(spam))));
        assertThat(server.lines()).containsExactly(LEARNED);
    }

    @Test
    void shouldForgetAndTakeBackThoughTheDaysShareIsUsedUp() throws Exception {
        LearnFromFolders learning = learning("<maxNewPerDay>1</maxNewPerDay>");
        Mail mail = mail(inbox);
        happens(learning, james.move(SAM, inbox, spam, List.of(mail)));
        assertThat(server.lines()).containsExactly(DENIED);
        happens(learning, james.move(SAM, spam, inbox, List.of(mail)));
        assertThat(server.lines()).containsExactly(LEARNED);
        happens(learning, james.move(SAM, inbox, spam, List.of(mail)));
        assertThat(server.lines()).containsExactly(DENIED);
    }

    @Test
    void shouldGiveUpWhenNoMailetHasTheListOpen() throws Exception {
        List<Mail> mails = List.of(mail(spam), mail(spam));
        whitelist.destroy();
        happens(james.move(SAM, spam, inbox, mails));
        assertThat(counted("failed")).isEqualTo(2);
        assertThat(server.shared.isEmpty()).isTrue();
    }

    private long counted(String what) {
        return server.metrics.countFor("senderWhitelist.learning." + what);
    }

    @Test
    void shouldLetJamesCallAgainOnlyWhenJamesItselfFails() throws Exception {
        Mail mail = mail(spam);
        Event event = james.move(SAM, spam, inbox, List.of(mail));
        for (Exception failure : List.of(Mailboxes.down(), new IllegalStateException("driver"))) {
            james.failure = failure;
            LearnFromFolders learning = learning("");
            assertThatThrownBy(() -> learning.event(event)).isInstanceOf(MailboxException.class);
        }
        james.failure = null;
        happens(event);
        assertThat(server.lines()).containsExactly(LEARNED);
    }

    @Test
    void shouldGiveUpWhenMailsCannotBeRead() throws Exception {
        Mail mail = mail(spam);
        Event event = james.move(SAM, spam, inbox, List.of(mail));
        james.failsToRead = 1;
        happens(event);
        assertThat(counted("failed")).isEqualTo(1);
        assertThat(server.lines()).isEmpty();
        happens(event);
        assertThat(server.lines()).containsExactly(LEARNED);
    }

    @Test
    void shouldNotLearnForUsersWithoutADomain() throws Exception {
        Folder own = james.folder("sam", "Spam");
        Mail mail = james.put(own, "From: " + BOB + "\r\n\r\n");
        happens(james.move("sam", own, james.folder("sam", "INBOX"), List.of(mail)));
        assertThat(server.lines()).isEmpty();
        assertThat(james.read).hasValue(0);
    }

    @Test
    void shouldTakeOtherNamesOfFolders() throws Exception {
        LearnFromFolders learning =
                learning(
                        "<spamFolder>Unlisted, JUNK</spamFolder><spamFolder>INBOX.Spam</spamFolder>"
                                + "<trashFolder>Deleted</trashFolder>");
        for (String name : List.of("Unlisted", "Junk", "INBOX.Spam")) {
            Folder from = james.folder(SAM, name);
            Mail mail = mail(from, name + "@x.example", BOB, false);
            happens(learning, james.move(SAM, from, james.folder(SAM, "DELETED"), List.of(mail)));
            assertThat(server.lines()).noneMatch(line -> line.startsWith(name));
            Mail second = mail(from, name + "@x.example", BOB, false);
            happens(learning, james.move(SAM, from, trash, List.of(second)));
            assertThat(server.lines()).anyMatch(line -> line.contains("@x.example"));
        }
        assertThat(server.lines()).hasSize(3);
        happens(learning, james.move(SAM, spam, inbox, List.of(mail(spam))));
        assertThat(server.lines()).hasSize(3);
    }

    @Test
    void shouldBeInAGroupThatJamesCanLoad() throws Exception {
        Group group = learning("").getDefaultGroup();
        assertThat(Group.deserialize(group.asString())).isEqualTo(group);
    }

    /** James may start the mailets later, so the warning cannot wait for what they say. */
    @ParameterizedTest
    @CsvSource({
        "SenderWhitelist, on, false",
        "SenderWhitelist, ' on ', false",
        "SenderWhitelist, off, true",
        "SenderWhitelist, '', true",
        "SenderIsWhitelisted, on, true"
    })
    void shouldWarnAtTheStartIfNoMailetWritesTheHeader(String mailet, String header, boolean warns)
            throws Exception {
        server.pipeline =
                "<mailetcontainer><processors><processor><mailet class='SPF'/>"
                        + "<mailet class='io.github.senderwhitelist.mailet.%s'><header>%s</header>"
                                .formatted(mailet, header)
                        + "</mailet></processor></processors></mailetcontainer>";
        List<String> log = server.logged(MissingResults.class, Level.WARN);
        new LearnFromFolders(
                server.files,
                server.shared,
                james.messages(),
                james.manager(),
                TestLists.configuration("<configuration><list>own</list></configuration>"));
        assertThat(log)
                .filteredOn(
                        line ->
                                line.startsWith("LearnFromFolders: in mailetcontainer.xml no")
                                        && line.contains("put <header>on</header>")
                                        && !line.contains("\n"))
                .hasSize(warns ? 1 : 0);
    }

    @Test
    void nothingShouldBeLearnedFromManyMailsAtOnce() throws Exception {
        List<Mail> mails = new ArrayList<>();
        for (int i : IntStream.range(0, 21).toArray()) {
            mails.add(mail(spam, "u" + i + "@x.example", BOB, false));
        }
        LearnFromFolders learning = learning("");
        Event bulk = james.move(SAM, spam, inbox, mails);
        assertThat(learning.isHandling(bulk)).isFalse();
        learning.event(bulk);
        thread.finish();
        assertThat(server.lines()).isEmpty();
        happens(
                james.move(SAM, inbox, spam, mails.subList(0, 20)),
                james.move(SAM, spam, inbox, mails.subList(0, 20)));
        assertThat(server.lines()).hasSize(20);
    }

    @Test
    void nothingShouldBeLearnedInFoldersOfOthers() throws Exception {
        Folder foreign = james.folder(EVE, "Spam");
        Folder team = james.folder(EVE, "team");
        happens(
                james.move(SAM, foreign, inbox, List.of(mail(foreign))),
                james.move(SAM, spam, team, List.of(mail(spam))),
                james.move(SAM, inbox, foreign, List.of(mail(inbox))));
        Folder gone = james.folder(SAM, "gone");
        Event event = james.move(SAM, spam, gone, List.of(mail(spam)));
        james.deleteFolder(gone);
        happens(event);
        assertThat(server.lines()).isEmpty();
    }

    @Test
    void whatWaitsShouldBeWrittenBeforeTheListIsClosed() throws Exception {
        learning("").event(james.move(SAM, inbox, spam, List.of(mail(inbox))));
        whitelist.destroy();
        serve("own", "envelope");
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
        assertThat(server.lines())
                .extracting(line -> line.substring(0, line.indexOf('@')))
                .containsExactlyInAnyOrder("!s00", "!s01", "!s10", "r20", "r21", "r22");
        assertThat(counted("learned")).isEqualTo(4 + 4 + 3);
        assertThat(counted("refused")).isEqualTo(2 + 2 + 3);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "<list></list> | parameter list is missing",
                "<list>text</list> | list = 'text'",
                "<spamFolder/> | spamFolder = ''; allowed: names of folders",
                "<spamFolder>a,,b</spamFolder> | spamFolder = 'a,,b'",
                "<trashFolder>b,SPAM</trashFolder> | trashFolder = 'spam'; allowed: folders that",
                "<validity>1h</validity> | validity = '1h'",
                "<maxNewPerDay>x</maxNewPerDay> | a whole number",
                "<maxPerUser>-1</maxPerUser> | a whole number",
                "<learnLocal>true</learnLocal> | unknown parameter 'learnLocal'",
                "<a><b>x</b></a> | unknown parameter 'a.b'"
            })
    void wrongParametersShouldBeExplained(String xml, String message) {
        assertThatThrownBy(() -> learning(xml))
                .isInstanceOf(MessagingException.class)
                .hasMessageContaining("LearnFromFolders")
                .hasMessageContaining(message);
    }
}
