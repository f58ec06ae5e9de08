package io.github.senderwhitelist.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A running James with the plugin, as a test sees it. Its local domain is {@code here.example}, its
 * users are those below. It has a few aliases.
 */
interface JamesServer extends AutoCloseable {
    String SAM = "sam@here.example";
    String IVY = "ivy@here.example";
    String EVE = "eve@here.example";
    String ANN = "ann@here.example";
    String JOE = "joe@here.example";

    /** An alias of ivy's. */
    String ALIAS_OF_IVY = "i.vy@here.example";

    /** An address of lee's with a tag, which reaches lee as a group does. */
    String TAGGED_LEE = "lee+shop@here.example";

    /** An alias of the local domain. */
    String ALIAS_DOMAIN = "other.example";

    /** A user who gets thousands of mails, so that the mailboxes of the others stay short. */
    String LEE = "lee@here.example";

    String INBOX = "INBOX";

    /** The folder in which the shipped pipeline puts mails of senders who are not listed. */
    String UNLISTED = "Unlisted";

    /** What the shipped SPF mailet leaves on a mail that SPF confirms. */
    Map<String, String> SPF_PASSES =
            Map.of("org.apache.james.transport.mailets.spf.result", "pass");

    /** Where a mail arrived, and as what. */
    record Arrival(String folder, Letter letter) {}

    ServerProcess process();

    /** Returns what the server logs when it has started. */
    String readyLine();

    /** Waits until the server is ready, or has ended. */
    default void awaitStart() {
        await().until(() -> log().contains(readyLine()) || !process().alive());
    }

    /** Waits until the server is ready, which it must become. */
    default void awaitReady() {
        awaitStart();
        assertThat(process().alive()).as(() -> "started\n" + log()).isTrue();
    }

    /** Kills the server, so that it can save nothing. */
    default void kill() {
        ProcessHandle server = ProcessHandle.of(process().pid()).orElseThrow();
        server.destroyForcibly();
        server.onExit().join();
        close();
    }

    int smtpPort();

    /** Returns the page of WebAdmin at this path. */
    String webAdmin(String path) throws IOException, InterruptedException;

    /** Returns all mails that have arrived so far in a folder of a local user. */
    List<Letter> mails(String user, String folder) throws IOException;

    /** Returns all mails that were sent on so far to this address at another server. */
    List<Letter> relayed(String recipient) throws IOException;

    /** Sends a mail without a login. */
    default void send(String sender, List<String> recipients, Letter letter) throws IOException {
        try (SmtpClient smtp = new SmtpClient(smtpPort())) {
            smtp.send(sender, recipients, letter.bytes());
        }
    }

    /** Returns where a mail has arrived, if it has. */
    default Optional<Arrival> find(String user, Letter letter) throws IOException {
        for (String folder : List.of(INBOX, UNLISTED)) {
            for (Letter mail : mails(user, folder)) {
                if (mail.id().equals(letter.id())) {
                    return Optional.of(new Arrival(folder, mail));
                }
            }
        }
        return Optional.empty();
    }

    /** Waits until a mail has arrived. */
    default Arrival arrival(String user, Letter letter) {
        return await().pollInterval(Duration.ofMillis(100))
                .pollInSameThread()
                .until(() -> find(user, letter), Optional::isPresent)
                .orElseThrow();
    }

    /** Sends a mail to one user, and returns the folder in which it arrives. */
    default String folder(String sender, String user, Letter letter) throws IOException {
        send(sender, List.of(user), letter);
        return arrival(user, letter).folder();
    }

    ServerDirectory directory();

    /** Returns what the server has logged so far. */
    default String log() {
        return process().log();
    }

    @Override
    void close();
}
