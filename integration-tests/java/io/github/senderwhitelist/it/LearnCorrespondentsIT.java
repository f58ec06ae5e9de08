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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A user logs in to a whole James 3.8.1 that runs the shipped {@code conf/}, and writes to
 * strangers.
 */
class LearnCorrespondentsIT extends OneJames38 {
    private static final String BOB = "bob@stranger.example";

    /** Stands for what SPF finds. Its mailet finds nothing for domains that are not there. */
    private static final String CONFIRMED = "X-Test-Confirmed";

    /** What looks for SPF and DKIM in the shipped pipeline. */
    private static final String VERIFIERS =
            "<mailet match=\"[^\"]+\"\\s+class=\"(SPF|[\\w.]+DKIMVerify)\">\\s*"
                    + "<onMailetException>ignore</onMailetException>\\s*</mailet>";

    private static final String UNCONFIRMED = "neither SPF nor DKIMVerify stands before";

    private static final String JUDGE =
            "<mailet match=\"from-others\""
                    + " class=\"io.github.senderwhitelist.mailet.SenderWhitelist\">";

    private void start(ServerDirectory directory) throws IOException, InterruptedException {
        start(directory, new Outside());
    }

    private static Letter letter(String from, String headers) {
        return Letter.of(
                "From: <" + from + ">\r\nSubject: hello\r\n" + headers,
                "--x\r\n\r\nHello\r\n--x--\r\n");
    }

    /** Lets sam log in and write, and waits until the mail has left. */
    private void write(String recipient, String headers) throws IOException {
        Letter letter = letter(SAM, headers);
        try (SmtpClient smtp = new SmtpClient(james().smtpPort())) {
            smtp.login(SAM, "secret");
            smtp.send(SAM, List.of(recipient), letter.bytes());
        }
        await().pollInSameThread()
                .until(
                        () ->
                                james().relayed(recipient).stream()
                                        .anyMatch(mail -> mail.id().equals(letter.id())));
    }

    /** Sends a mail of a sender, and returns the folder in which it arrives. */
    private String folder(String from, String recipient, boolean confirmed) throws IOException {
        return james().folder(
                        from, recipient, letter(from, confirmed ? CONFIRMED + ": yes\r\n" : ""));
    }

    private static ServerDirectory directory() throws IOException {
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it/learn-correspondents"), James38.JAR);
        directory.mailetContainer(
                conf ->
                        conf.before(
                                MailetContainer.WHITELIST,
                                "HasHeader=" + CONFIRMED,
                                "SetMailAttribute",
                                JamesServer.SPF_PASSES));
        return directory;
    }

    @Test
    void whomAUserWritesToIsListedForThatUserAndARestartForgetsNothing() throws Exception {
        ServerDirectory directory = directory();
        start(directory);
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
        everythingIsAsItShouldBe();

        james().kill();
        directory.resetPorts();
        start(directory);
        everythingIsAsItShouldBe();
    }

    /** Whoever follows the message to the letter has a server that starts and says no more. */
    @Test
    void withoutSpfAndDkimTheLogSaysWhatToAdd() throws Exception {
        String shipped = Files.readString(Path.of("conf/mailetcontainer.xml"));
        String without = shipped.replaceAll(VERIFIERS, "");
        assertThat(without).isNotEqualTo(shipped).contains(JUDGE);

        start(directory(without));
        String log = james().log();
        assertThat(log).contains(UNCONFIRMED);
        Matcher advice =
                Pattern.compile("<mailet .*</mailet>").matcher(log.split(UNCONFIRMED, 2)[1]);
        assertThat(advice.find()).isTrue();
        james().close();
        String lines = advice.group().replace("LISTS", "file://conf/whitelist.txt,own");
        start(directory(without.replace(JUDGE, lines + JUDGE)));
        assertThat(james().log()).doesNotContain(UNCONFIRMED);
    }

    private static ServerDirectory directory(String mailetContainer) throws IOException {
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it/learn-unconfirmed"), James38.JAR);
        Files.writeString(directory.conf("mailetcontainer.xml"), mailetContainer);
        return directory;
    }

    private void everythingIsAsItShouldBe() throws Exception {
        // It is learned from a mail while that goes on its way.
        String learned =
                await().pollInSameThread()
                        .until(
                                () ->
                                        james().webAdmin("GET", "/whitelists/own/for/" + SAM, "")
                                                .body(),
                                body -> body.contains("bob@stranger.example from="));
        assertThat(learned)
                .contains("auth=any to=sam@here.example origin=learned")
                .doesNotContain("vacation", "list@", "bulk", "unsubscribe", "receipt");
        assertThat(folder(BOB, SAM, true)).as("answer").isEqualTo(INBOX);
        assertThat(folder(BOB, SAM, false)).as("forged").isEqualTo(UNLISTED);
        assertThat(folder(BOB, EVE, true)).as("to another user").isEqualTo(UNLISTED);
        assertThat(folder("jim@stranger.example", SAM, true)).as("other").isEqualTo(UNLISTED);
    }
}
