package io.github.senderwhitelist.filter;

/**
 * Adds many hashes to a large filter: gathers them by the part of the filter they fall into, so
 * that each part is in the processor's cache while its bits are set. For one thread; complete after
 * {@link #finish}.
 */
public final class FilterFiller {
    private static final int PARTS_BITS = 8;
    private static final int GATHERED = 1 << 10;

    private final BloomFilter filter;
    private final long[][] gathered = new long[1 << PARTS_BITS][GATHERED];
    private final int[] counts = new int[1 << PARTS_BITS];

    /** A filler of this filter. */
    public FilterFiller(BloomFilter filter) {
        this.filter = filter;
    }

    /** Adds a hash, now or later. */
    public void add(long hash) {
        // Both kinds place a hash by its high bits first.
        int part = (int) (hash >>> (Long.SIZE - PARTS_BITS));
        gathered[part][counts[part]++] = hash;
        if (counts[part] == GATHERED) {
            flush(part);
        }
    }

    private void flush(int part) {
        for (int i = 0; i < counts[part]; i++) {
            filter.add(gathered[part][i]);
        }
        counts[part] = 0;
    }

    /** Adds what is still gathered and returns the filter. */
    public BloomFilter finish() {
        for (int part = 0; part < counts.length; part++) {
            flush(part);
        }
        return filter;
    }
}
