package io.github.senderwhitelist.filter;

/**
 * The kind and the size of a filter.
 *
 * @param m all bits of its memory: a multiple of {@value #STEP}, at most {@link #MAX_M}
 * @param k positions tested per key, or bits per fingerprint, from 1 to {@value #MAX_K}; the rate
 *     falls as k rises
 * @param rows for a {@code ribbon} filter, one more than the 256ths of its keys whose fingerprints
 *     are longer than k; 1 for other kinds
 */
public record FilterShape(FilterKind kind, long m, int k, int rows) {
    /** The most positions per key, or bits per fingerprint. */
    public static final int MAX_K = 31;

    /** The bits of a cache line; m is a multiple of it. */
    public static final long STEP = 512;

    /** The most bits: a Java array holds no more, 16 GiB. */
    static final long MAX_M = (1L << 37) - (1L << 20);

    /** Throws an {@link IllegalArgumentException} if no such filter can be made. */
    public FilterShape {
        if (m < STEP || m > MAX_M || m % STEP != 0) {
            throw new IllegalArgumentException(
                    "filter of %s bits; allowed: multiples of %s up to %s, which is 17.2 GB"
                            .formatted(m > MAX_M ? "too many" : "m = " + m, STEP, MAX_M));
        }
        boolean isRibbon = kind == FilterKind.RIBBON;
        if (isRibbon ? !RibbonMix.exists(k, rows) : k < 1 || k > MAX_K || rows != 1) {
            String allowed = isRibbon ? RibbonMix.ALLOWED : "1 to " + MAX_K + " for k, one row";
            throw new IllegalArgumentException(
                    "%s filter of k = %s, %s rows; allowed: %s"
                            .formatted(kind.label(), k, rows, allowed));
        }
    }

    public FilterShape(FilterKind kind, long m, int k) {
        this(kind, m, k, 1);
    }

    /** Returns the bits of the fewest whole cache lines that hold at least {@code bits}. */
    static long roundUp(double bits) {
        // The constructor refuses what is more than MAX_M, so it must still fit into a long here.
        double steps = Math.ceil(Math.min(bits, 2.0 * MAX_M) / STEP);
        return Math.max(STEP, ((long) steps) * STEP);
    }

    /** Returns the false-positive rate to expect with n keys. */
    public double rate(long n) {
        if (n == 0) {
            return 0;
        }
        return kind == FilterKind.RIBBON
                ? new RibbonMix(this).rate()
                : FilterMath.rate(kind, (double) m / (double) n, k);
    }

    public long bytes() {
        return m / 8;
    }

    /** Creates an empty filter of this shape. */
    public Filter create() {
        return switch (kind) {
            case CLASSIC -> new ClassicFilter(this);
            case BLOCKED -> new BlockedFilter(this);
            case RIBBON -> new RibbonFilter(this);
        };
    }
}
