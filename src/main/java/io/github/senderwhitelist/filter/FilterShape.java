package io.github.senderwhitelist.filter;

/**
 * The numbers that make a filter.
 *
 * @param kind the kind
 * @param m bits of memory, all of them, a multiple of {@value #STEP}, at most {@link #MAX_M}
 * @param k positions tested per key, or bits of a fingerprint: what the rate falls with; from 1 to
 *     {@value #MAX_K}
 * @param rows of a kind that grows, how many filters it is by now; of a {@code fuse} filter, its
 *     parts; else 1
 */
public record FilterShape(FilterKind kind, long m, int k, int rows) {
    /** The most positions per key. */
    public static final int MAX_K = 31;

    /** The most rows. */
    public static final int MAX_ROWS = 0xffff;

    /** m is a multiple of this: whole cache lines. */
    public static final long STEP = 512;

    /** The most bits: what one Java array holds, 16 GiB. */
    public static final long MAX_M = (1L << 37) - (1L << 20);

    /** Checks the ranges. */
    public FilterShape {
        if (m < STEP || m > MAX_M || m % STEP != 0) {
            throw new IllegalArgumentException(
                    "filter of m = "
                            + m
                            + " bits; allowed: multiples of "
                            + STEP
                            + " up to "
                            + MAX_M);
        }
        if (k < 1 || k > MAX_K) {
            throw new IllegalArgumentException(
                    "filter with k = " + k + " positions per address; allowed: 1 to " + MAX_K);
        }
        if (rows < 1 || rows > MAX_ROWS) {
            throw new IllegalArgumentException(
                    "filter of " + rows + " rows; allowed: 1 to " + MAX_ROWS);
        }
        String wrong = kind.wrong(m, k, rows);
        if (!wrong.isEmpty()) {
            throw new IllegalArgumentException(
                    kind.label()
                            + " filter of m = "
                            + m
                            + " bits, k = "
                            + k
                            + ", "
                            + rows
                            + " rows; allowed: "
                            + wrong);
        }
    }

    /** A filter of one row. */
    public FilterShape(FilterKind kind, long m, int k) {
        this(kind, m, k, 1);
    }

    /** The least m of whole cache lines that has this many bits. */
    static long roundUp(double bits) {
        // More than the most is refused by the constructor; a long must be able to say so.
        double steps = Math.ceil(Math.min(bits, 2.0 * MAX_M) / STEP);
        return Math.max(STEP, ((long) steps) * STEP);
    }

    /** The false-positive rate to expect with n keys. */
    public double rate(long n) {
        return n == 0 ? 0 : kind.rate((double) n, this);
    }

    /** The memory the bits take. */
    public long bytes() {
        return m / 8;
    }

    /**
     * The words of memory far from each other, cache misses when the filter is large, that are read
     * for a key that is listed.
     */
    public double reads() {
        return kind.reads(this);
    }

    /** The shape that a filter had before it grew, or this one. */
    public FilterShape planned() {
        return kind.grows() && rows > 1
                ? new FilterShape(kind, GrowthRows.of(m, k, rows)[0], k)
                : this;
    }

    /** An empty filter of this shape; a static one is of use only when its words are read in. */
    public Filter create() {
        return kind.create(this);
    }
}
