package io.github.senderwhitelist.filter;

import java.io.IOException;
import java.util.function.Supplier;

/** The design of a kind that is built from all keys at once and takes no others later. */
interface StaticDesign extends FilterDesign {
    /**
     * Builds a filter.
     *
     * @param hashes the hashes of all keys
     * @param more makes room for hashes that have to be kept aside
     */
    Filter build(FilterShape shape, SortedHashes hashes, Supplier<SortedHashes> more)
            throws IOException;
}
