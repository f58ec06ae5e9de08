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

    private ListRefusedException(String reason, List<String> badLines) {
        super(badLines.isEmpty() ? reason : reason + ". " + String.join("; ", badLines));
        this.reason = reason;
        this.badLines = badLines;
    }

    /**
     * Makes a refusal because {@linkplain TextList#areTooMany too many} lines are bad.
     *
     * @param complaints what is wrong with the first of them, each as {@code LIST:LINE: REASON}
     */
    public static ListRefusedException mostlyBad(
            String name, long bad, long lines, List<String> complaints) {
        String counts = name + ": " + bad + " of " + lines;
        String reason =
                counts
                        + " entries are bad; with more than 3 and more than 1 %, or all, a list is"
                        + " refused";
        return new ListRefusedException(reason, complaints);
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
