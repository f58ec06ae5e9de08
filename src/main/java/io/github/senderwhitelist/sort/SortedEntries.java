package io.github.senderwhitelist.sort;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** A sequence of entries in the order of their keys. For one thread. */
public interface SortedEntries {
    /** Returns the next entry, which is valid until the next call, or null after the last one. */
    @Nullable SortedEntry next() throws IOException;
}
