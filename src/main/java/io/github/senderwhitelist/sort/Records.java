package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.SortKey;

import java.io.IOException;
import java.util.Arrays;

/**
 * A cursor over records in the order of their bytes. A record is a line of a list: its sort key,
 * two zeros, and its encoded rule. No sort key contains two zeros, and what follows a key within a
 * longer one is never two zeros. So records are in the order of their keys, all of one key are
 * together, and their rules are in the order of bytes. For one thread.
 */
abstract class Records implements Comparable<Records> {
    /** The longest record; a rule has at most 512 bytes. */
    static final int MAX_LENGTH = SortKey.MAX_LENGTH + 2 + 512;

    /** Room for a record; what follows its length is left over from others. */
    final byte[] record = new byte[MAX_LENGTH];

    int length;

    /** Moves to the next record; returns false after the last one. */
    abstract boolean next() throws IOException;

    /** Compares the records that both have come to. */
    @Override
    public final int compareTo(Records other) {
        return Arrays.compareUnsigned(record, 0, length, other.record, 0, other.length);
    }
}
