package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.DomainHash;

import java.util.Arrays;

/** A hash table from domains to their ranks in a dictionary. */
final class DomainRanks {
    private static final int FREE = -1;
    private static final int UNKNOWN = -2;

    private final DomainDictionary dictionary;
    private final int[] table;

    /** The rank of the domain of each number that was looked up, or {@link #UNKNOWN}. */
    private int[] known = {};

    DomainRanks(DomainDictionary dictionary) {
        this.dictionary = dictionary;
        this.table = new int[Integer.highestOneBit(Math.max(4, dictionary.size() * 2)) * 2];
        Arrays.fill(table, FREE);
        for (int rank = 0; rank < dictionary.size(); rank++) {
            int slot = dictionary.hash(rank) & (table.length - 1);
            while (table[slot] != FREE) {
                slot = next(slot);
            }
            table[slot] = rank;
        }
    }

    /**
     * Returns the rank of the domain {@code bytes[from, to)}, or -1 if it has none.
     *
     * @param number a small number that only this domain has, or a negative one
     */
    int of(int number, byte[] bytes, int from, int to) {
        if (number < 0) {
            return of(bytes, from, to);
        }
        if (number >= known.length) {
            int length = known.length;
            known = Arrays.copyOf(known, Integer.highestOneBit(number) * 2 + 1);
            Arrays.fill(known, length, known.length, UNKNOWN);
        }
        if (known[number] == UNKNOWN) {
            known[number] = of(bytes, from, to);
        }
        return known[number];
    }

    /** Returns the rank of the domain {@code bytes[from, to)}, or -1 if it has none. */
    int of(byte[] bytes, int from, int to) {
        int slot = DomainHash.of(bytes, from, to) & (table.length - 1);
        while (table[slot] != FREE && !dictionary.isDomain(table[slot], bytes, from, to)) {
            slot = next(slot);
        }
        return table[slot];
    }

    private int next(int slot) {
        return (slot + 1) & (table.length - 1);
    }
}
