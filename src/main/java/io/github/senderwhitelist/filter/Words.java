package io.github.senderwhitelist.filter;

import java.nio.LongBuffer;

/** Arrays of words that hold the bits of filters, and the mixing of hashes that filters share. */
final class Words {
    /**
     * The word that the first cache line begins with. Large arrays begin 16 bytes after the start
     * of a page, so from this word on each eight words are one cache line.
     */
    static final int FIRST = 6;

    private Words() {}

    /** Allocates an array for m bits from {@link #FIRST} on and one word after them. */
    static long[] allocate(long m) {
        return new long[Math.toIntExact(FIRST + m / Long.SIZE + 1)];
    }

    /**
     * Writes words into a buffer until it is full, from word {@code first} of all rows taken as
     * one.
     */
    static void write(long first, LongBuffer into, long[]... rows) {
        long at = first;
        for (long[] row : rows) {
            int length = row.length - FIRST - 1;
            int count = Math.clamp(length - at, 0, into.remaining());
            if (count > 0) {
                into.put(row, FIRST + (int) at, count);
            }
            at = Math.max(0, at - length);
        }
    }

    /**
     * Replaces words by the remaining ones of a buffer, from word {@code first} of all rows taken
     * as one.
     */
    static void read(long first, LongBuffer from, long[]... rows) {
        long at = first;
        for (long[] row : rows) {
            int length = row.length - FIRST - 1;
            int count = Math.clamp(length - at, 0, from.remaining());
            if (count > 0) {
                from.get(row, FIRST + (int) at, count);
            }
            at = Math.max(0, at - length);
        }
    }

    /**
     * Returns whether k of the first m bits are all set: those at the hash and at each further step
     * from it, reduced to [0, m).
     */
    static boolean hasAll(long[] words, long m, int k, long hash, long step) {
        long point = hash;
        for (int i = 0; i < k; i++) {
            long bit = Math.unsignedMultiplyHigh(point, m);
            if ((words[FIRST + (int) (bit >>> 6)] >>> bit & 1) == 0) {
                return false;
            }
            point += step;
        }
        return true;
    }

    /** Returns the 64 bits that begin at that bit of a word; the next word gives the high ones. */
    static long window(long[] words, int word, long bit) {
        return (words[word] >>> bit) | (words[word + 1] << 1 << ~bit);
    }

    /**
     * Mixes a hash so that every bit of the result depends on all of its bits (finalizer of
     * SplitMix64; Steele, Lea, Flood 2014).
     */
    static long remix(long hash) {
        long z = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
