package io.github.senderwhitelist.filter;

import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

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

    /** What small filters need more of, is not held against their k. */
    private static final double LEAST_KEYS = 10_000;

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
        return kind.shape(this, n);
    }

    /** The bits per key, or the fewest, to a thousandth, with which this kind keeps the rate. */
    double bitsPerKey(FilterKind kind, DoubleUnaryOperator rateOfBits) {
        if (!byRate) {
            return value;
        }
        double low = FilterMath.floorBitsPerKey(value);
        double high = kind.removes() ? 4 * MAX_BITS : MAX_BITS;
        require(kind, rateOfBits.applyAsDouble(high));
        while (high - low > 0.001) {
            double middle = (low + high) / 2;
            if (rateOfBits.applyAsDouble(middle) <= value) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return high;
    }

    /** The fewest bits of a fingerprint with a rate of two to the minus them, and some more. */
    int fingerprint(FilterKind kind, int most, int more) {
        require(kind, Math.pow(2, more - most));
        return Math.max(1, (int) Math.ceil(FilterMath.floorBitsPerKey(value) - 1e-9) + more);
    }

    /** The greatest k, from 1, with which n keys need no more than the bits per key. */
    int most(int greatest, long n, ToBits toBits) {
        double keys = Math.max((double) n, LEAST_KEYS);
        int k = greatest;
        while (k > 1 && toBits.bits(keys, k) > value * keys) {
            k--;
        }
        return k;
    }

    /** The bits that n keys need with that k. */
    @FunctionalInterface
    interface ToBits {
        /** The bits. */
        double bits(double n, int k);
    }

    /** Refuses the rate when it is less than the least that a kind has. */
    void require(FilterKind kind, double least) {
        if (least > value) {
            throw new IllegalArgumentException(
                    "a "
                            + kind.label()
                            + " filter has no false-positive rate of "
                            + value
                            + ", the least is about "
                            + String.format(Locale.ROOT, "%.1g", least)
                            + "; ask for a higher rate, or take kind "
                            + FilterKind.CLASSIC.label());
        }
    }
}
