package io.github.senderwhitelist.filter;

/**
 * How large filters are made: by a wanted false-positive rate, or by bits per key.
 *
 * @param value the rate, above 0 and below 1; or the bits per key, from {@value #MIN_BITS} to
 *     {@value #MAX_BITS}
 * @param byRate which of the two
 */
public record FilterSize(double value, boolean byRate) {
    /** The fewest bits per key. */
    public static final double MIN_BITS = 1;

    /** The most bits per key. */
    public static final double MAX_BITS = 64;

    /** The least rate that can be asked for. */
    public static final double MIN_RATE = 1e-9;

    /** The greatest rate that can be asked for. */
    public static final double MAX_RATE = 0.5;

    /** Checks the range. */
    public FilterSize {
        double least = byRate ? MIN_RATE : MIN_BITS;
        double most = byRate ? MAX_RATE : MAX_BITS;
        if (!(value >= least && value <= most)) {
            throw new IllegalArgumentException(
                    (byRate ? "false-positive rate " : "bits per address ")
                            + value
                            + " is not from "
                            + least
                            + " to "
                            + most);
        }
    }

    /** Filters with at most this false-positive rate. */
    public static FilterSize ofRate(double p) {
        return new FilterSize(p, true);
    }

    /** Filters with this many bits per key. */
    public static FilterSize ofBitsPerKey(double bits) {
        return new FilterSize(bits, false);
    }

    /** The shape of a filter of that kind for n keys; for no keys, the smallest there is. */
    public FilterShape shape(FilterKind kind, long n) {
        if (n < 0) {
            throw new IllegalArgumentException("a filter of " + n + " keys");
        }
        double bits = byRate ? bitsForRate(kind) : value;
        return new FilterShape(kind, FilterShape.roundUp(bits * n), kind.bestK(bits));
    }

    /** The fewest bits per key, to a thousandth, that keep the rate. */
    private double bitsForRate(FilterKind kind) {
        double low = FilterMath.floorBitsPerKey(value);
        double high = MAX_BITS;
        if (limitRate(kind, high) > value) {
            throw new IllegalArgumentException(
                    "a "
                            + kind.label()
                            + " filter has no false-positive rate of "
                            + value
                            + " with up to "
                            + MAX_BITS
                            + " bits per address; ask for a higher rate, or take kind "
                            + FilterKind.CLASSIC.label());
        }
        while (high - low > 0.001) {
            double middle = (low + high) / 2;
            if (limitRate(kind, middle) <= value) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return high;
    }

    private static double limitRate(FilterKind kind, double bitsPerKey) {
        double n = 1e9;
        return kind.rate(n, n * bitsPerKey, kind.bestK(bitsPerKey));
    }
}
