package io.github.senderwhitelist.list;

import java.io.IOException;
import java.util.List;

/**
 * Signals that a list is unusable as a whole. The message is one line that names the list and says
 * what is wrong with it and what is allowed.
 */
public final class ListRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String reason;
    private final transient List<String> badLines;

    /** Makes a refusal with this message. */
    public ListRefusedException(String message) {
        this(message, List.of());
    }

    /** Makes a refusal for bad lines, whose complaints end the message. */
    ListRefusedException(String reason, List<String> badLines) {
        super(badLines.isEmpty() ? reason : reason + ". " + String.join("; ", badLines));
        this.reason = reason;
        this.badLines = badLines;
    }

    /** Returns the message without that of single lines. */
    public String reason() {
        return reason;
    }

    /** Returns what is wrong with the first bad lines, {@code LIST:LINE: REASON}; at most ten. */
    public List<String> badLines() {
        return badLines;
    }
}
