package io.github.senderwhitelist.filter;

import java.io.IOException;
import java.util.function.Supplier;

/** The design of a kind that is built from all keys at once and takes no others later. */
interface StaticDesign extends FilterDesign {
    /** Returns 2^-k: a stranger yields a random number, which is the fingerprint by chance. */
    @Override
    default double rate(double n, FilterShape shape) {
        return Math.pow(2, -shape.k());
    }

    /**
     * Builds a filter.
     *
     * @param hashes the hashes of all keys
     * @param more makes room for hashes that have to be kept aside
     */
    Filter build(FilterShape shape, SortedHashes hashes, Supplier<SortedHashes> more)
            throws IOException;
}
