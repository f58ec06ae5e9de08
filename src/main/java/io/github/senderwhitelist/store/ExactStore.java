package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** The exact set of entries of a list, safe for use by many threads. */
public interface ExactStore {

    /**
     * Returns the entry of a key, or null if the list does not hold the key.
     *
     * @throws IOException if the store cannot answer; nothing is known about the key then
     */
    @Nullable Entry find(Key key) throws IOException;
}
