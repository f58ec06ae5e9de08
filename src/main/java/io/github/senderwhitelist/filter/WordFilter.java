package io.github.senderwhitelist.filter;

import java.nio.LongBuffer;

/** A filter whose m bits are one array of words, in the order of its serial form. */
abstract class WordFilter implements Filter {
    /**
     * The word that the first cache line begins with. Large arrays begin 16 bytes after the start
     * of a page, so from this word on each eight words are one cache line.
     */
    static final int FIRST = 6;

    /** The words, from {@link #FIRST} on. */
    final long[] words;

    private final FilterShape shape;

    WordFilter(FilterShape shape) {
        this.shape = shape;
        this.words = new long[Math.toIntExact(FIRST + shape.m() / Long.SIZE)];
    }

    @Override
    public final FilterShape shape() {
        return shape;
    }

    @Override
    public final void write(long first, LongBuffer into) {
        into.put(words, FIRST + (int) first, into.remaining());
    }

    @Override
    public final void read(long first, LongBuffer from) {
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
