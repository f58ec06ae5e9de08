package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.decision.SenderList;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;

/** A list that is open, with its figures shown, until it is closed. */
sealed interface ServedList extends Closeable permits ServedFile, ServedDatabase {
    /** Returns the list. */
    SenderList list();

    /**
     * Brings to the disk what only the memory has, since the server stops, perhaps without closing.
     */
    default void settle() {}

    /** Returns what is wrong with the list, or null. */
    @Nullable String problem();
}
