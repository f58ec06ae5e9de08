package io.github.senderwhitelist.filter;

import java.nio.LongBuffer;

/**
 * A Bloom filter in one array of m bits, which are never cleared.
 *
 * <p>Serial form: the m/64 words in order, little-endian; bit i of the filter is bit i mod 64 of
 * word i / 64.
 */
abstract class BloomFilter implements UpdatableFilter {
    /** The bits, from {@link Words#FIRST} on. */
    final long[] words;

    private final FilterShape shape;

    BloomFilter(FilterShape shape) {
        this.shape = shape;
        this.words = Words.allocate(shape.m());
    }

    @Override
    public final void write(long first, LongBuffer into) {
        Words.write(words, first, into);
    }

    @Override
    public final void read(long first, LongBuffer from) {
        Words.read(words, first, from);
    }

    @Override
    public final FilterShape shape() {
        return shape;
    }
}
