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

    /** Writes words into a buffer until it is full, from word {@code first} on. */
    static void write(long[] words, long first, LongBuffer into) {
        into.put(words, FIRST + (int) first, into.remaining());
    }

    /** Replaces words, from word {@code first} on, by the remaining ones of a buffer. */
    static void read(long[] words, long first, LongBuffer from) {
        from.get(words, FIRST + (int) first, from.remaining());
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
