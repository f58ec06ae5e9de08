package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.EVE;
import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

/** A user moves mails by IMAP in a whole James 3.8.1, and the next mails go where that says. */
class LearnFromFoldersIT extends OneJames38 {
    private static final Pattern LINE = Pattern.compile("\"([^\"]* to=[^\"]*)\"");
    private static final String TRASH = "Trash";
    private static final String BOB = "bob@stranger.example";

    /** Stands for what SPF finds. Its mailet finds nothing for domains that are not there. */
    private static final String CONFIRMED = "X-Test-Confirmed: yes\r\n";

    private void launch(String configuration) throws IOException {
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it/learn-from-folders"), James38.JAR);
        directory.mailetContainer(
                conf ->
                        conf.before(
                                MailetContainer.WHITELIST,
                                "HasHeader=X-Test-Confirmed",
                                "SetMailAttribute",
                                JamesServer.SPF_PASSES));
        Files.writeString(
                directory.conf("listeners.xml"),
                """
                <listeners>
                  <listener>
                    <class>io.github.senderwhitelist.mailet.LearnFromFolders</class>
                    <configuration>
                      <list>own</list>
                      %s
                    </configuration>
                  </listener>
                </listeners>
                """
                        .formatted(configuration));
        launch(directory, null);
    }

    private void awaitLog(String text) {
        await().until(() -> james().log().contains(text) || !james().process().alive());
        assertThat(james().log()).contains(text);
    }

    private static Letter letter(String from, boolean confirmed) {
        return Letter.of(
                (confirmed ? CONFIRMED : "")
                        + ("Message-ID: <" + UUID.randomUUID() + "@stranger.example>\r\n")
                        + ("From: Somebody <" + from + ">\r\n")
                        + "Subject: hello\r\n",
                "Hello\r\n");
    }

    private String next(String recipient, boolean confirmed) throws IOException {
        return james().folder(BOB, recipient, letter(BOB, confirmed));
    }

    private Letter unlisted(String from, boolean confirmed) throws IOException {
        Letter letter = letter(from, confirmed);
        assertThat(james().folder(from, SAM, letter)).isEqualTo(UNLISTED);
        return letter;
    }

    private void uid(String folder, Letter letter, String command, String argument)
            throws IOException {
        try (ImapClient imap = james().imap(SAM)) {
            long uid =
                    imap.fetch(folder, 0).stream()
                            .filter(mail -> mail.letter().id().equals(letter.id()))
                            .findFirst()
                            .orElseThrow()
                            .uid();
            imap.uid(folder, command, Long.toString(uid), argument);
        }
    }

    private void move(Letter letter, String from, String to) throws IOException {
        uid(from, letter, "MOVE", to);
    }

    /** Returns the senders of sam's entries, with a mark before those that are denied. */
    private List<String> learned() throws IOException, InterruptedException {
        return LINE.matcher(james().webAdmin("GET", "/whitelists/own/for/" + SAM, "").body())
                .results()
                .map(line -> line.group(1).split(" ", 2)[0])
                .sorted()
                .toList();
    }

    private void awaitLearned(String... senders) {
        await().pollInSameThread()
                .untilAsserted(() -> assertThat(learned()).containsExactly(senders));
    }

    @Test
    void whatAUserMovesChangesTheNextVerdict() throws Exception {
        launch("<spamFolder>Unlisted</spamFolder>");
        james().awaitReady();
        james().withUsers();

        Letter first = unlisted(BOB, false);
        move(first, UNLISTED, INBOX);
        awaitLearned(BOB);
        assertThat(next(SAM, true)).isEqualTo(INBOX);
        assertThat(next(SAM, false)).as("forged").isEqualTo(UNLISTED);
        assertThat(next(EVE, true)).as("for another user").isEqualTo(UNLISTED);

        Letter confirmed = letter(BOB, true);
        assertThat(james().folder(BOB, SAM, confirmed)).isEqualTo(INBOX);
        Letter forged = unlisted(BOB, false);
        move(forged, UNLISTED, TRASH);
        move(forged, TRASH, UNLISTED);
        move(first, INBOX, UNLISTED);
        thrownAwayOrManyAtOnce();
        awaitLearnedAfterAll();

        move(confirmed, INBOX, UNLISTED);
        awaitLearned("!" + BOB, "carl@stranger.example", "dora@stranger.example");
        assertThat(next(SAM, true)).isEqualTo(UNLISTED);
        move(confirmed, UNLISTED, INBOX);
        awaitLearned(BOB, "carl@stranger.example", "dora@stranger.example");
        assertThat(next(SAM, true)).isEqualTo(INBOX);
    }

    private void thrownAwayOrManyAtOnce() throws IOException {
        Letter garbled = letter(Letter.octets("jos\u00e9@stranger.example"), false);
        assertThat(james().folder("josef@stranger.example", SAM, garbled)).isEqualTo(UNLISTED);
        move(garbled, UNLISTED, INBOX);
        move(unlisted("thrown@stranger.example", true), UNLISTED, TRASH);
        uid(UNLISTED, unlisted("kept@stranger.example", true), "STORE", "-FLAGS ($Junk)");
        try (SmtpClient smtp = new SmtpClient(james().smtpPort())) {
            for (int i = 0; i < 21; i++) {
                String sender = "bulk" + i + "@stranger.example";
                smtp.send(sender, List.of(SAM), letter(sender, true).bytes());
            }
        }
        await().pollInSameThread()
                .until(
                        () ->
                                james().mails(SAM, UNLISTED).stream()
                                                .filter(mail -> mail.text().contains("<bulk"))
                                                .count()
                                        == 21);
        try (ImapClient imap = james().imap(SAM)) {
            List<ImapClient.Fetched> all = imap.fetch(UNLISTED, 0);
            long last = all.getLast().uid();
            imap.uid(UNLISTED, "MOVE", all.get(all.size() - 21).uid() + ":" + last, INBOX);
        }
    }

    /** Learns two more. What came before was learned from before them. */
    private void awaitLearnedAfterAll() throws IOException {
        uid(UNLISTED, unlisted("carl@stranger.example", false), "COPY", INBOX);
        Letter dora = unlisted("dora@stranger.example", false);
        move(dora, UNLISTED, INBOX);
        awaitLearned(BOB, "carl@stranger.example", "dora@stranger.example");
    }

    /** This James does not end then, because it cannot log what its injector throws. */
    @Test
    void aWrongParameterIsTold() throws Exception {
        launch("<spamFolders>Unlisted</spamFolders>");
        awaitLog(
                "conf/listeners.xml: LearnFromFolders: unknown parameter 'spamFolders' (did you"
                        + " mean 'spamFolder'?); allowed: list, maxNewPerDay,");
        awaitLog("Exception in thread \"main\"");
        assertThat(james().log()).doesNotContain(James38.READY);
    }
}
