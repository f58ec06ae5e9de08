package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** The exact set of entries of a list, safe for use by many threads. */
public interface ExactStore {

    /**
     * Returns the entry for a sender and some recipients, or null if the list has none.
     *
     * @param to the recipients, or null for all; the entry for all has the kinds of recipients that
     *     the others are for
     * @throws IOException if the store cannot answer; nothing is known about the sender then
     */
    @Nullable Entry find(Key key, @Nullable Key to) throws IOException;

    /**
     * Returns the entry for a sender and all recipients, or null if the list does not have the
     * sender.
     *
     * @throws IOException as {@link #find(Key, Key)} does
     */
    default @Nullable Entry find(Key key) throws IOException {
        return find(key, null);
    }
}
