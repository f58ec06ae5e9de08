package io.github.senderwhitelist.filter;

import java.nio.LongBuffer;

/**
 * An approximate set of 64-bit hashes with one-sided error: it never answers false for a hash that
 * is in it, and answers true for others with the false-positive rate of its {@link FilterShape}.
 *
 * <p>The hashes must come from a good seeded hash: all kinds take their bits for random ones.
 *
 * <p>Any number of threads may ask a filter that was published safely, also while one thread
 * updates it. What one thread updated is certain to be seen by those that synchronize with it
 * afterwards; what was in the filter all the time is always seen.
 *
 * <p>Serial form: m/64 words, little-endian; what they mean each kind says.
 */
public interface Filter {
    /** Whether the hash may be in the set; false is certain. */
    boolean mightContain(long hash);

    /** What the filter is, and how large. */
    FilterShape shape();

    /**
     * Fills the rest of a buffer with words of the serial form.
     *
     * @param first the number of the first
     */
    void write(long first, LongBuffer into);

    /**
     * Replaces words of the serial form by the rest of a buffer, in a filter that nobody asks yet.
     *
     * @param first the number of the first
     */
    void read(long first, LongBuffer from);
}
