package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.ANN;
import static io.github.senderwhitelist.it.JamesServer.EVE;
import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.IVY;
import static io.github.senderwhitelist.it.JamesServer.JOE;
import static io.github.senderwhitelist.it.JamesServer.LEE;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;
import static io.github.senderwhitelist.it.JamesServer.patiently;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.it.SmtpClient.SmtpRefusal;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A list in SQLite in a whole James 3.8.1 with the shipped {@code conf/}, which users and an
 * administrator change in all ways: sam writes to strangers, ivy moves mails by IMAP, joe writes
 * commands by mail, and WebAdmin puts entries. Another extension has brought SQLite's driver.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LearningIT {
    private static final String LISTENERS =
            """
            <listeners>
              <listener>
                <class>io.github.senderwhitelist.mailet.LearnFromFolders</class>
                <configuration>
                  <list>own</list>
                  <spamFolder>Unlisted</spamFolder>
                </configuration>
              </listener>
            </listeners>
            """;
    private static final Pattern LINE = Pattern.compile("\"([^\" ]*) [^\"]*to=[^\"]*\"");
    private static final String TRASH = "Trash";
    private static final String BOB = "bob@stranger.example";
    private static final String ENTRIES = "/whitelists/own/entries/";

    /** To what users write commands. */
    private static final String ASKED = "whitelist@here.example";

    /** A header of mails that count as confirmed by SPF. */
    private static final String CONFIRMED = "X-Test-Confirmed: yes\r\n";

    @SuppressWarnings("NullAway.Init") // started before all tests
    private James38 james;

    @RegisterExtension final LogOnFailure logOnFailure = new LogOnFailure(() -> james.log());

    @BeforeAll
    void start() throws Exception {
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it/learning"), James38.JAR);
        directory.mailetContainer(
                conf ->
                        conf.attributes("HasHeader=X-Test-Confirmed", MailetContainer.SPF_PASSES)
                                .insert(
                                        "root",
                                        "All",
                                        "io.github.senderwhitelist.mailet.WhitelistByMail",
                                        Map.of("list", "own")));
        Files.writeString(directory.conf("listeners.xml"), LISTENERS);
        Files.copy(
                SqliteDriverIT.SAME,
                directory.path().resolve("extensions-jars/another-driver.jar"));
        launch(directory);
        assertThat(james.log()).doesNotContain("WARNING: A restricted method");
    }

    private void launch(ServerDirectory directory) throws IOException, InterruptedException {
        james =
                new James38(
                        directory,
                        James38.Ports.free(),
                        new Outside(),
                        "--enable-native-access=ALL-UNNAMED");
        james.awaitReady();
        james.withUsers();
    }

    @AfterAll
    void stop() {
        james.close();
    }

    private static Letter letter(String from, String headers) {
        return Letter.of(
                ("Message-ID: <" + UUID.randomUUID() + "@stranger.example>\r\n")
                        + ("From: Somebody <" + from + ">\r\nSubject: hello\r\n" + headers),
                "--x\r\n\r\nHello\r\n--x--\r\n");
    }

    /** Sends a mail of a sender, and returns the folder in which it arrives. */
    private String folder(String from, String recipient, boolean confirmed) throws IOException {
        return james.folder(from, recipient, letter(from, confirmed ? CONFIRMED : ""));
    }

    private Letter unlisted(String from, boolean confirmed) throws IOException {
        Letter letter = letter(from, confirmed ? CONFIRMED : "");
        assertThat(james.folder(from, IVY, letter)).isEqualTo(UNLISTED);
        return letter;
    }

    /** Returns the senders of a user's entries, with a mark before those that are denied. */
    private List<String> learned(String user) throws IOException, InterruptedException {
        return LINE.matcher(james.webAdmin("/whitelists/own/for/" + user))
                .results()
                .map(line -> line.group(1))
                .sorted()
                .toList();
    }

    private void awaitLearned(String user, String... senders) {
        patiently().untilAsserted(() -> assertThat(learned(user)).containsExactly(senders));
    }

    // Whom a user writes to, and what an administrator puts

    /** Lets sam log in and write, and waits until the mail has left. */
    private void write(String recipient, String headers) throws IOException {
        Letter letter = letter(SAM, headers);
        james.sendAs(SAM, SAM, List.of(recipient), letter);
        james.relayed(recipient, letter);
    }

    @Test
    void whomAUserWritesToAndWhatWebAdminPutsIsListedAndAKillForgetsNothing() throws Exception {
        assertThat(folder(BOB, SAM, true)).isEqualTo(UNLISTED);
        write("vacation@stranger.example", "Auto-Submitted: auto-replied\r\n");
        write("list@stranger.example", "List-Id: <news.here.example>\r\n");
        write("bulk@stranger.example", "Precedence: bulk\r\n");
        write("news-unsubscribe@stranger.example", "");
        write(
                "receipt@stranger.example",
                "Content-Type: multipart/report; report-type=disposition-notification;"
                        + " boundary=x\r\n");
        write(BOB, "");
        // It is learned from a mail while that goes on its way.
        awaitLearned(SAM, BOB);
        assertThat(folder("alice@put.example", EVE, false)).isEqualTo(UNLISTED);
        assertThat(folder("alice@example.com", EVE, false)).isEqualTo(INBOX);
        james.change("PUT", ENTRIES + "alice@put.example", "{}");
        james.change("PUT", ENTRIES + "alice@example.com", "{\"denied\":true}");
        everythingIsAsItShouldBe();

        // SQLite's library is loaded, and needs no file any more.
        try (Stream<Path> files = Files.list(james.directory().path().resolve("var/whitelist"))) {
            assertThat(files)
                    .noneMatch(file -> file.getFileName().toString().startsWith(".sqlite-"));
        }
        james.kill();
        launch(james.directory());
        everythingIsAsItShouldBe();
        james.change("DELETE", ENTRIES + "alice@put.example", "");
        assertThat(folder("alice@put.example", EVE, false)).isEqualTo(UNLISTED);
    }

    private void everythingIsAsItShouldBe() throws Exception {
        awaitLearned(SAM, BOB);
        assertThat(james.webAdmin("/whitelists/own/for/" + SAM))
                .contains("auth=any to=sam@here.example origin=learned");
        assertThat(folder(BOB, SAM, true)).as("answer").isEqualTo(INBOX);
        assertThat(folder(BOB, SAM, false)).as("forged").isEqualTo(UNLISTED);
        assertThat(folder(BOB, EVE, true)).as("to another user").isEqualTo(UNLISTED);
        assertThat(folder("alice@put.example", EVE, false)).as("put").isEqualTo(INBOX);
        assertThat(folder("alice@example.com", EVE, false)).as("denied").isEqualTo(UNLISTED);
        assertThat(james.webAdmin("/whitelists/explain?sender=alice@put.example"))
                .contains("\"verdict\":\"listed\"");
    }

    // What a user moves

    private void move(Letter letter, String from, String to) throws IOException {
        try (ImapClient imap = james.imap(IVY)) {
            imap.move(from, to, imap.uid(from, letter));
        }
    }

    @Test
    void whatAUserMovesChangesTheNextVerdict() throws Exception {
        String carl = "carl@moved.example";
        String dora = "dora@moved.example";
        String ben = "ben@moved.example";
        Letter first = unlisted(ben, false);
        move(first, UNLISTED, INBOX);
        awaitLearned(IVY, ben);
        assertThat(folder(ben, IVY, false)).as("forged").isEqualTo(UNLISTED);
        assertThat(folder(ben, EVE, true)).as("for another user").isEqualTo(UNLISTED);

        Letter confirmed = letter(ben, CONFIRMED);
        assertThat(james.folder(ben, IVY, confirmed)).isEqualTo(INBOX);
        Letter forged = unlisted(ben, false);
        move(forged, UNLISTED, TRASH);
        move(forged, TRASH, UNLISTED);
        move(first, INBOX, UNLISTED);
        thrownAwayOrManyAtOnce();
        // Two more. What came before was learned from before them.
        Letter copied = unlisted(carl, false);
        try (ImapClient imap = james.imap(IVY)) {
            imap.copy(UNLISTED, INBOX, imap.uid(UNLISTED, copied));
        }
        move(unlisted(dora, false), UNLISTED, INBOX);
        awaitLearned(IVY, ben, carl, dora);

        move(confirmed, INBOX, UNLISTED);
        awaitLearned(IVY, "!" + ben, carl, dora);
        assertThat(folder(ben, IVY, true)).isEqualTo(UNLISTED);
        move(confirmed, UNLISTED, INBOX);
        awaitLearned(IVY, ben, carl, dora);
        assertThat(folder(ben, IVY, true)).isEqualTo(INBOX);
    }

    private void thrownAwayOrManyAtOnce() throws IOException {
        Letter garbled = letter(Letter.octets("jos\u00e9@moved.example"), "");
        assertThat(james.folder("josef@moved.example", IVY, garbled)).isEqualTo(UNLISTED);
        move(garbled, UNLISTED, INBOX);
        move(unlisted("thrown@moved.example", true), UNLISTED, TRASH);
        Letter kept = unlisted("kept@moved.example", true);
        List<Letter> bulk = new ArrayList<>();
        try (SmtpClient smtp = new SmtpClient(james.smtpPort())) {
            for (int i = 0; i < 21; i++) {
                String sender = "bulk" + i + "@moved.example";
                bulk.add(letter(sender, CONFIRMED));
                smtp.send(sender, List.of(IVY), bulk.getLast().bytes());
            }
        }
        bulk.forEach(letter -> james.arrival(IVY, letter));
        try (ImapClient imap = james.imap(IVY)) {
            imap.unmark(UNLISTED, "$Junk", imap.uid(UNLISTED, kept));
            List<Long> all = List.copyOf(imap.fetch(UNLISTED, 0).keySet());
            imap.move(
                    UNLISTED,
                    INBOX,
                    all.subList(all.size() - bulk.size(), all.size()).stream()
                            .mapToLong(uid -> uid)
                            .toArray());
        }
    }

    // What a user commands by mail

    /** Lets joe log in and write as one of his addresses. */
    private void command(String from, String subject, String text, String... recipients)
            throws IOException {
        String to = String.join(", ", recipients);
        james.sendAs(
                JOE,
                from,
                List.of(recipients),
                Letter.of(
                        ("From: " + from + "\r\nTo: " + to + "\r\nSubject: " + subject + "\r\n"),
                        text + "\r\n--\r\nSent from my telephone\r\n"));
    }

    /** Waits for mails of a user, and returns them. */
    private List<Letter> inbox(String user, int count) {
        return patiently().until(() -> james.mails(user, INBOX), mails -> mails.size() >= count);
    }

    @Test
    void usersChangeTheirEntriesByMailAndAreAnswered() throws Exception {
        String joey = "joey@here.example";
        assertThatThrownBy(() -> command(JOE, "show", "", ASKED)).isInstanceOf(SmtpRefusal.class);
        james.addAlias(ASKED, ANN);
        james.addAlias(joey, JOE);

        command(JOE, "add Bob@Asked.example", "", ASKED);
        Letter question = inbox(JOE, 1).getFirst();
        assertThat(question.text())
                .contains("add bob@asked.example: lists this sender for you")
                .contains("Auto-Submitted: auto-replied")
                .containsPattern("(?m)^From: " + ASKED)
                .containsPattern("(?m)^To: " + JOE);
        assertThat(learned(JOE)).isEmpty();

        String subject = "Re: " + question.header("Subject").orElseThrow();
        command("somebody@else.example", subject, "yes", ASKED);
        assertThat(inbox(JOE, 2).getLast().text()).contains("Your mail was not read");
        assertThat(learned(JOE)).isEmpty();

        command(joey, subject, "yes", ASKED, LEE);
        assertThat(inbox(JOE, 3).getLast().text()).contains("add bob@asked.example: done. ");
        assertThat(james.webAdmin("/whitelists/own/for/" + JOE))
                .contains("bob@asked.example auth=any to=" + JOE + " origin=user");
        // The other recipient has it, and the alias does not.
        assertThat(inbox(LEE, 1)).singleElement().asString().contains("Confirm: add bob");
        assertThat(james.mails(ANN, INBOX)).isEmpty();

        // Whoever has not logged in writes to the mailbox of the alias.
        Letter strangers = Letter.simple("add mallory@evil.example");
        james.send("carol@example.com", List.of(ASKED), strangers);
        assertThat(james.arrival(ANN, strangers).folder()).isIn(INBOX, UNLISTED);
        assertThat(james.webAdmin("/whitelists/own/entries")).doesNotContain("mallory");
    }
}
