package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.SortKey;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * A cursor over records in the order of their bytes. A record is a line of a list: its sort key,
 * two zeros, and its encoded rule. No sort key contains two zeros, and what follows a key within a
 * longer one is never two zeros. So records are in the order of their keys, all of one key are
 * together, and their rules are in the order of bytes. For one thread.
 */
interface Records {
    /** The longest record; a rule has at most 512 bytes. */
    int MAX_LENGTH = SortKey.MAX_LENGTH + 2 + 512;

    /** Returns the next record, or null after the last one. */
    byte @Nullable [] next() throws IOException;
}
