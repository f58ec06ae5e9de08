package io.github.senderwhitelist.it;

import java.io.IOException;
import java.util.List;

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

    int smtpPort();

    /** Returns the page of WebAdmin at this path. */
    String webAdmin(String path) throws IOException, InterruptedException;

    /** Returns all mails that have arrived so far in a folder of a local user. */
    List<Letter> mails(String user, String folder) throws IOException;

    /** Returns all mails that were sent on so far to this address at another server. */
    List<Letter> relayed(String recipient) throws IOException;

    ServerDirectory directory();

    /** Returns what the server has logged so far. */
    String log();

    @Override
    void close();
}
