package io.github.senderwhitelist.list;

import java.io.IOException;

/** A list that cannot be used as it is; the message says which, why, and what is allowed. */
public final class ListRefusedException extends IOException {
    private static final long serialVersionUID = 1L;

    /** A refusal with this one-line reason. */
    public ListRefusedException(String message) {
        super(message);
    }
}
