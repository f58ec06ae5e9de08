package io.github.senderwhitelist.filter;

/**
 * The three numbers that make a filter.
 *
 * @param kind the kind
 * @param m bits, a multiple of {@value #STEP}, at most {@link #MAX_M}
 * @param k positions tested per key, from 1 to {@value #MAX_K}
 */
public record FilterShape(FilterKind kind, long m, int k) {
    /** The most positions per key. */
    public static final int MAX_K = 31;

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
    }

    /** The least m of whole cache lines that has this many bits. */
    static long roundUp(double bits) {
        // More than the most is refused by the constructor; a long must be able to say so.
        double steps = Math.ceil(Math.min(bits, 2.0 * MAX_M) / STEP);
        return Math.max(STEP, ((long) steps) * STEP);
    }

    /** The false-positive rate to expect with n keys. */
    public double rate(long n) {
        return kind.rate((double) n, (double) m, k);
    }

    /** The memory the bits take. */
    public long bytes() {
        return m / 8;
    }

    /** An empty filter of this shape. */
    public BloomFilter create() {
        return kind.create(m, k);
    }
}
