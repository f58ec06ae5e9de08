package io.github.senderwhitelist.filter;

import java.nio.LongBuffer;

/**
 * An approximate set of 64-bit hashes with one-sided error: it never answers false for a hash that
 * was added, and answers true for others with the false-positive rate of its {@link FilterShape}.
 *
 * <p>Adding is for one thread; once the filter is published safely, any number of threads may ask.
 *
 * <p>Serial form: the m/64 words in order, little-endian; bit i of the filter is bit i mod 64 of
 * word i / 64.
 */
public abstract class BloomFilter {
    /**
     * Where the bits begin in {@link #words}. A large array begins 16 bytes after a boundary of
     * pages, so that from here on eight words are one cache line.
     */
    static final int ORIGIN = 6;

    /** The bits, from {@link #ORIGIN} on. */
    final long[] words;

    private final FilterShape shape;

    BloomFilter(FilterShape shape) {
        this.shape = shape;
        this.words = new long[ORIGIN + (int) (shape.m() / Long.SIZE)];
    }

    /** Whether the hash may have been added; false is certain. */
    public abstract boolean mightContain(long hash);

    /** Adds a hash. */
    public abstract void add(long hash);

    /** Kind, m and k. */
    public final FilterShape shape() {
        return shape;
    }

    /**
     * The words of the serial form: the bits themselves, for writing them out and filling them in.
     */
    public final LongBuffer words() {
        return LongBuffer.wrap(words, ORIGIN, words.length - ORIGIN).slice();
    }

    /** Spreads a hash over all 64 bits again (finalizer of SplitMix64; Steele, Lea, Flood 2014). */
    static long remix(long hash) {
        long z = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
