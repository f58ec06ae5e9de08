package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;

import org.jspecify.annotations.Nullable;

/** Changes of a list since its snapshot was made. Safe for use by any number of threads. */
public interface Overlay {
    /** Returns whether there may be changes for a sender with this hash; false is certain. */
    boolean mayHave(long hash);

    /**
     * Returns what a list says, null if that is nothing.
     *
     * @param entry what the snapshot says, or null
     * @param to the recipients, or null for all
     */
    @Nullable Entry over(@Nullable Entry entry, Key sender, @Nullable Key to);

    /** Returns whether a change may be a user's, or learned. */
    boolean hasPersonal();
}
