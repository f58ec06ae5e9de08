package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;

/** An estimate of the heap that a comparison takes, so that one that would fail is not begun. */
public final class HeapNeed {
    /** The heap that does not depend on the number of addresses. */
    private static final long BASE = 64L << 20;

    /** The heap of a key of 23 bytes with its array. */
    private static final long KEY = 72;

    /**
     * The heap of the String of an address of 23 bytes, its entry in a HashSet, and references to
     * both; a second HashSet exists while the memory is measured.
     */
    private static final long TEXT = 64 + 2 * (32 + 16) + 3 * 8;

    private HeapNeed() {}

    /**
     * Returns the approximate heap of comparing n addresses, in bytes.
     *
     * @param texts whether {@code HashSet} and sorted array are compared, too
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
        // A filter that is made again, or grows, exists three times for a while.
        return BASE
                + n * Long.BYTES
                + Math.min(n, ListedAddresses.MOST_KEYS) * KEY
                + filters
                + 2 * largest
                + Math.min(n * 64, 2.0 * CandidateBuilder.MOST_MEMORY)
                + (texts ? n * TEXT : 0);
    }
}
