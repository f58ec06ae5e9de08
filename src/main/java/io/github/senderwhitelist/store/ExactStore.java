package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** The exact set of entries of a list. Any number of threads may ask. */
public interface ExactStore {

    /**
     * What the list says of this key, or null when it does not hold it.
     *
     * @throws IOException when the store cannot answer: nothing is known of the key then
     */
    @Nullable Entry find(Key key) throws IOException;
}
