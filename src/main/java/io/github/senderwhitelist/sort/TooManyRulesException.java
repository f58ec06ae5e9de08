package io.github.senderwhitelist.sort;

import java.io.IOException;

/** Thrown if a list has more rules for one key than an entry can hold. */
public final class TooManyRulesException extends IOException {
    private static final long serialVersionUID = 1L;

    TooManyRulesException(String message) {
        super(message);
    }
}
