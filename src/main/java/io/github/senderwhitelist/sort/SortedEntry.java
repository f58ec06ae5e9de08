package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

/** One of {@link SortedEntries}. The object is reused: the next entry overwrites it. */
public final class SortedEntry {
    final byte[] key = new byte[SortKey.MAX_LENGTH];
    int keyLength;

    /**
     * The id of the last domain of the key in the {@link DomainTable} of its runs, if it has one.
     */
    int domain = -1;

    /** How many bytes it shares with the key before, if it is one of {@link DistinctEntries}. */
    int shared;

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

    /**
     * Returns a small number of the last domain of the key, or a negative one if it has none.
     * Entries with equal numbers have equal last domains; a domain may have several numbers.
     */
    public int domain() {
        return domain;
    }

    /** Returns the rules of the key, encoded by {@link RulesCodec}. */
    public byte[] rules() {
        return rules;
    }
}
