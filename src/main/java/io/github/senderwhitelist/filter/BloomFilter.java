package io.github.senderwhitelist.filter;

import java.nio.LongBuffer;

/**
 * A filter that sets bits for what is added, and forgets nothing.
 *
 * <p>Serial form: the m/64 words in order, little-endian; bit i of the filter is bit i mod 64 of
 * word i / 64.
 */
public abstract class BloomFilter implements UpdatableFilter {
    /** The bits, from {@link Words#FIRST} on. */
    final long[] words;

    private final FilterShape shape;

    BloomFilter(FilterShape shape) {
        this.shape = shape;
        this.words = Words.allocate(shape.m());
    }

    @Override
    public final void write(long first, LongBuffer into) {
        Words.write(first, into, words);
    }

    @Override
    public final void read(long first, LongBuffer from) {
        Words.read(first, from, words);
    }

    /** Kind, m and k. */
    @Override
    public final FilterShape shape() {
        return shape;
    }

    /**
     * The words of the serial form: the bits themselves, for writing them out and filling them in.
     */
    public final LongBuffer words() {
        return LongBuffer.wrap(words, Words.FIRST, (int) (shape.m() / Long.SIZE)).slice();
    }

    /** Spreads a hash over all 64 bits again (finalizer of SplitMix64; Steele, Lea, Flood 2014). */
    static long remix(long hash) {
        long z = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
