package io.github.senderwhitelist.filter;

import java.nio.LongBuffer;

/** The words of a filter that lies in one array, and the hashing that filters share. */
final class Words {
    /**
     * The word that the first line begins with. A large array begins 16 bytes after a boundary of
     * pages, so that from here on eight words are one cache line.
     */
    static final int FIRST = 6;

    private Words() {}

    /** An array for m bits from {@link #FIRST}, and one word more. */
    static long[] allocate(long m) {
        return new long[Math.toIntExact(FIRST + m / Long.SIZE + 1)];
    }

    /** Fills the rest of a buffer from word {@code first} of all rows, one after the other. */
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

    /** Replaces words from word {@code first} of all rows by the rest of a buffer. */
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
     * The 64 bits that begin at that bit of the word, of which those of the next word are the high
     * ones.
     */
    static long window(long[] words, int word, long bit) {
        return (words[word] >>> bit) | (words[word + 1] << 1 << ~bit);
    }

    /** Spreads a hash over all 64 bits again (finalizer of SplitMix64; Steele, Lea, Flood 2014). */
    static long remix(long hash) {
        return BloomFilter.remix(hash);
    }
}
