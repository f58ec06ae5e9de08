package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * The exact set of entries of a list, for many threads. If it throws an IOException, it cannot
 * answer, and nothing is known about the sender.
 */
public interface ExactStore {
    /**
     * Returns the entry for a sender and some recipients, or all if {@code to} is null; null if
     * there is none. That for all has the kinds of recipients of the others.
     */
    @Nullable Entry find(Key key, @Nullable Key to) throws IOException;
}
