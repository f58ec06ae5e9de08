package io.github.senderwhitelist.filter;

import java.nio.LongBuffer;

/**
 * An approximate set of 64-bit hashes with one-sided error: it never answers false for a hash that
 * is in it. For other hashes it answers true with the false-positive rate of its {@link
 * FilterShape}.
 *
 * <p>The hashes must come from a good seeded hash, since all kinds rely on their bits being random.
 *
 * <p>Any number of threads may query a filter that was published safely. Nobody may change it then.
 *
 * <p>Serial form: m/64 words, little-endian. Each kind documents what they hold.
 */
public interface Filter {
    /** Returns whether the hash may be in the set; false is certain. */
    boolean mightContain(long hash);

    /**
     * Adds a hash, which may have been added before. One thread at a time may do that.
     *
     * @throws UnsupportedOperationException if the kind is {@linkplain FilterKind#isStatic static}
     */
    default void add(long hash) {
        throw new UnsupportedOperationException(shape().kind().label());
    }

    /** Returns the kind and size of the filter. */
    FilterShape shape();

    /**
     * Writes words of the serial form into a buffer until it is full.
     *
     * @param first the number of the first word
     */
    void write(long first, LongBuffer into);

    /**
     * Replaces words of the serial form by the remaining words of a buffer. No thread may query the
     * filter meanwhile.
     *
     * @param first the number of the first word
     */
    void read(long first, LongBuffer from);
}
