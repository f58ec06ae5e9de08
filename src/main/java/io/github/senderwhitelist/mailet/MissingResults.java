package io.github.senderwhitelist.mailet;

import org.jspecify.annotations.Nullable;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Notices when nothing looks for SPF and DKIM before the whitelist. Entries that need a
 * confirmation then list nobody, and nothing else would tell the administrator.
 */
final class MissingResults {
    /** How many mails in a row may lack a result. */
    static final int MOST = 100;

    private static final String IGNORE = "<onMailetException>ignore</onMailetException></mailet>";

    private final AtomicInteger inARow = new AtomicInteger();

    /** Takes note of a mail from outside that was not listed because nothing confirmed it. */
    void unconfirmed(boolean hasResult) {
        if (hasResult) {
            inARow.set(0);
        } else {
            inARow.updateAndGet(count -> Math.min(MOST, count + 1));
        }
    }

    /** Returns what to do, on one line, or null if nothing is missing. */
    @Nullable String problem() {
        return inARow.get() < MOST
                ? null
                : "the last "
                        + MOST
                        + " mails whose senders are listed if confirmed had no result of SPF or"
                        + " DKIM at all, so none was listed; put these lines before SenderWhitelist"
                        + " in mailetcontainer.xml and restart James: <mailet match=\"All\""
                        + " class=\"SPF\">"
                        + IGNORE
                        + " <mailet match=\"All\""
                        + " class=\"org.apache.james.jdkim.mailets.DKIMVerify\">"
                        + IGNORE;
    }
}
