package io.github.senderwhitelist.filter;

import java.util.Locale;

/**
 * The wanted size of filters, given as a false-positive rate or as bits per key.
 *
 * @param value the rate, from {@value #MIN_RATE} to {@value #MAX_RATE}; or the bits per key, from
 *     {@value #MIN_BITS} to {@value #MAX_BITS}
 * @param byRate whether the value is a rate
 */
public record FilterSize(double value, boolean byRate) {
    public static final double MIN_BITS = 1;
    public static final double MAX_BITS = 64;
    public static final double MIN_RATE = 1e-9;
    public static final double MAX_RATE = 0.5;

    /** The fewest bits per key that a {@code ribbon} filter makes use of. */
    private static final double MIN_OF_RIBBON = 7.25;

    /** Throws an {@link IllegalArgumentException} if the value is out of range. */
    public FilterSize {
        double least = byRate ? MIN_RATE : MIN_BITS;
        double most = byRate ? MAX_RATE : MAX_BITS;
        if (!(value >= least && value <= most)) {
            String what = byRate ? "false-positive rate " : "bits per address ";
            throw new IllegalArgumentException(
                    what + value + " is not from " + least + " to " + most);
        }
    }

    /** Returns the size of filters with at most this false-positive rate. */
    public static FilterSize ofRate(double p) {
        return new FilterSize(p, true);
    }

    /** Returns the size of filters with this many bits per key. */
    public static FilterSize ofBitsPerKey(double bits) {
        return new FilterSize(bits, false);
    }

    /**
     * Returns the kind of filter that this size suggests. With as many bits per key, {@code ribbon}
     * has the lower rate, and a stranger costs less in all. At the same rate {@code blocked}
     * answers faster.
     */
    public FilterKind usualKind() {
        return byRate || value < MIN_OF_RIBBON ? FilterKind.BLOCKED : FilterKind.RIBBON;
    }

    /**
     * Returns the shape of a filter of that kind for n keys; for no keys, the smallest there is.
     *
     * @throws IllegalArgumentException if the kind cannot have this size
     */
    public FilterShape shape(FilterKind kind, long n) {
        if (n < 0) {
            throw new IllegalArgumentException("a filter of " + n + " keys");
        }
        if (kind == FilterKind.RIBBON) {
            return RibbonMix.plan(this, n);
        }
        double bits = byRate ? bitsPerKey(kind) : value;
        return new FilterShape(kind, FilterShape.roundUp(bits * n), FilterMath.bestK(kind, bits));
    }

    private static double rate(FilterKind kind, double bits) {
        return FilterMath.rate(kind, bits, FilterMath.bestK(kind, bits));
    }

    /** Returns the fewest bits per key that keep the wanted rate, to a thousandth of a bit. */
    private double bitsPerKey(FilterKind kind) {
        double low = FilterMath.floorBitsPerKey(value);
        double high = MAX_BITS;
        double lowest = rate(kind, high);
        if (lowest > value) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "a blocked filter has no false-positive rate of %s, the least is about"
                                    + " %.1g; ask for a higher rate, or take kind classic",
                            value,
                            lowest));
        }
        while (high - low > 0.001) {
            double middle = (low + high) / 2;
            if (rate(kind, middle) <= value) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return high;
    }
}
