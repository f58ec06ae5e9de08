package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;

/** About how much heap a comparison takes, for those who would wait for it in vain. */
public final class HeapNeed {
    /** Classes, questions, and what else does not depend on the addresses. */
    private static final long BASE = 64L << 20;

    /** A key of 23 bytes with its array. */
    private static final long KEY = 72;

    /**
     * A String of an address of 23 bytes, its entry in a HashSet, and the references to both; a
     * second HashSet while they are measured.
     */
    private static final long TEXT = 64 + 2 * (32 + 16) + 3 * 8;

    private HeapNeed() {}

    /**
     * The bytes that comparing n addresses takes.
     *
     * @param texts whether the contrasts are compared, too
     */
    public static double bytes(double n, FilterSize size, boolean texts) {
        long counted = (long) Math.min(n, ListedAddresses.MOST);
        double filters = 0;
        double largest = 0;
        for (FilterShape shape : Comparison.shapes(size, counted).values()) {
            double bytes = shape.bytes() * (n / counted);
            filters += bytes;
            largest = Math.max(largest, bytes);
        }
        // While a filter is made again, or grows, it is there three times.
        return BASE
                + n * Long.BYTES
                + Math.min(n, ListedAddresses.MOST_KEYS) * KEY
                + filters
                + 2 * largest
                + Math.min(n * 64, 2.0 * Builder.MOST_MEMORY)
                + (texts ? n * TEXT : 0);
    }
}
