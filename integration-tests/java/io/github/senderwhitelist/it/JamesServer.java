package io.github.senderwhitelist.it;

import java.io.IOException;
import java.util.List;

/**
 * A running James with the plugin, as a test sees it. Its local domain is {@code here.example}, its
 * users are those below.
 */
interface JamesServer extends AutoCloseable {
    String SAM = "sam@here.example";
    String IVY = "ivy@here.example";
    String EVE = "eve@here.example";

    /** Gets thousands of mails, which nobody else wants to leaf through. */
    String LEE = "lee@here.example";

    String INBOX = "INBOX";

    /** Where the shipped pipeline files mails of senders who are not listed. */
    String UNLISTED = "Unlisted";

    int smtpPort();

    /** What its page for administrators says at this path. */
    String webAdmin(String path) throws IOException, InterruptedException;

    /** All mails that have arrived in a folder of a local user so far. */
    List<Letter> mails(String user, String folder) throws IOException;

    /** All mails that were sent on to this address at another server so far. */
    List<Letter> relayed(String recipient) throws IOException;

    ServerDirectory directory();

    /** What the server has logged so far. */
    String log();

    @Override
    void close();
}
