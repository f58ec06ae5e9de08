package io.github.senderwhitelist.sort;

import java.io.IOException;

/** A list says more of one key than an entry can hold. */
public final class TooManyRulesException extends IOException {
    private static final long serialVersionUID = 1L;

    TooManyRulesException(String message) {
        super(message);
    }
}
