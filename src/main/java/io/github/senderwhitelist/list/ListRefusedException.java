package io.github.senderwhitelist.list;

import java.io.IOException;

/**
 * Signals that a list is unusable as a whole. The message is one line that names the list and says
 * what is wrong with it and what is allowed.
 */
public final class ListRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Makes a refusal with this message. */
    public ListRefusedException(String message) {
        super(message);
    }
}
