package io.github.senderwhitelist.sort;

import java.io.IOException;

/** Entries that come one after the other in the order of their keys. For one thread. */
public interface SortedEntries {
    /** Comes to the next entry; false after the last. */
    boolean next() throws IOException;

    /**
     * The sort key of the entry ({@code local 00 domain}), from index 0; valid until {@link #next}.
     */
    byte[] key();

    /** The length of the sort key. */
    int keyLength();

    /** What the entry says, as {@link io.github.senderwhitelist.address.RulesCodec} has it. */
    byte[] rules();
}
