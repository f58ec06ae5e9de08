package io.github.senderwhitelist.filter;

import java.nio.LongBuffer;

/**
 * An approximate set of 64-bit hashes with one-sided error: it never answers false for a hash that
 * is in it. For others it answers true with the false-positive rate of its {@link FilterShape}, if
 * they come from a good seeded hash, since all kinds rely on their bits being random.
 *
 * <p>Any number of threads may query a filter that was published safely. Nobody may change it then.
 *
 * <p>Serial form: m/64 words, little-endian. Each kind documents what they hold.
 */
public abstract class Filter {
    /**
     * The word that the first cache line begins with. Large arrays begin 16 bytes after the start
     * of a page, so from this word on each eight words are one cache line.
     */
    static final int FIRST = 6;

    /** The words of the serial form, from {@link #FIRST} on. */
    final long[] words;

    private final FilterShape shape;

    Filter(FilterShape shape) {
        this.shape = shape;
        this.words = new long[Math.toIntExact(FIRST + shape.m() / Long.SIZE)];
    }

    /** Returns whether the hash may be in the set; false is certain. */
    public abstract boolean mightContain(long hash);

    /**
     * Adds a hash, which may have been added before. One thread at a time may do that. Not for
     * {@code ribbon}, which is built of all its keys at once.
     */
    public void add(long hash) {
        throw new UnsupportedOperationException(shape.kind().label());
    }

    /** Returns the kind and size of the filter. */
    public final FilterShape shape() {
        return shape;
    }

    /** Fills a buffer with words of the serial form, from number {@code first} on. */
    public final void write(long first, LongBuffer into) {
        into.put(words, FIRST + (int) first, into.remaining());
    }

    /** Replaces words of the serial form, from number {@code first} on, by those of a buffer. */
    public final void read(long first, LongBuffer from) {
        from.get(words, FIRST + (int) first, from.remaining());
    }

    /** Makes every bit depend on all (finalizer of SplitMix64; Steele, Lea, Flood 2014). */
    static long remix(long hash) {
        long z = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
