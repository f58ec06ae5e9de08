package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

/** One of {@link SortedEntries}. The object is reused: the next entry overwrites it. */
public final class SortedEntry {
    final byte[] key = new byte[SortKey.MAX_LENGTH];
    int keyLength;

    /** The number of the last domain of the key in the table of its runs; negative if none. */
    int domain = -1;

    byte[] rules = RulesCodec.PLAIN;

    SortedEntry() {}

    /** Returns the array that holds the sort key ({@code local 00 domain}), from index 0 on. */
    public byte[] key() {
        return key;
    }

    /** Returns the length of the sort key. */
    public int keyLength() {
        return keyLength;
    }

    /** Returns the rules of the key, encoded by {@link RulesCodec}. */
    public byte[] rules() {
        return rules;
    }
}
