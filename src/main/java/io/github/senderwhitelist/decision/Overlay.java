package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;

import org.jspecify.annotations.Nullable;

/** Changes of a list since its snapshot was made. Safe for use by any number of threads. */
public interface Overlay {
    /**
     * Returns whether there may be changes for a sender; false is certain. Allocates nothing.
     *
     * @param hash the hash that the snapshot's filters have for the sender
     */
    boolean mayHave(long hash);

    /**
     * Returns what a list says once its changes are applied to what the snapshot says.
     *
     * @param entry what the snapshot says, or null if that is nothing
     * @param to the recipients, or null for all
     */
    @Nullable Entry over(@Nullable Entry entry, Key sender, @Nullable Key to);

    /** Returns whether a change may be a user's, or learned. */
    boolean hasPersonal();
}
