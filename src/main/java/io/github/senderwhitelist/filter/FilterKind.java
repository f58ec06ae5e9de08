package io.github.senderwhitelist.filter;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The kinds of filter. Names and codes are part of the snapshot format and of the configuration.
 */
public enum FilterKind {
    /** The textbook filter (Bloom 1970): k positions anywhere in m bits. */
    CLASSIC(1) {
        @Override
        public double rate(double n, double m, int k) {
            return n == 0 ? 0 : FilterMath.classicRate(n, m, k);
        }

        @Override
        int bestK(double bitsPerKey) {
            return FilterMath.bestClassicK(bitsPerKey);
        }

        @Override
        BloomFilter create(long m, int k) {
            return new ClassicFilter(m, k);
        }
    },
    /**
     * All k positions in one block of 512 bits, a cache line: one memory access per answer (Putze
     * et al. 2007).
     */
    BLOCKED(2) {
        @Override
        public double rate(double n, double m, int k) {
            return n == 0 ? 0 : FilterMath.blockedRate(m / n, k, BlockedFilter.BLOCK);
        }

        @Override
        int bestK(double bitsPerKey) {
            return FilterMath.bestBlockedK(bitsPerKey, BlockedFilter.BLOCK);
        }

        @Override
        BloomFilter create(long m, int k) {
            return new BlockedFilter(m, k);
        }
    };

    private final int code;

    FilterKind(int code) {
        this.code = code;
    }

    /** The number a snapshot writes for this kind. */
    public int code() {
        return code;
    }

    /** The name that configuration and commands use. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The kind of that label, or empty. */
    public static Optional<FilterKind> of(String label) {
        return Arrays.stream(values()).filter(kind -> kind.label().equals(label)).findFirst();
    }

    /** The kind of that code, or empty. */
    public static Optional<FilterKind> of(int code) {
        return Arrays.stream(values()).filter(kind -> kind.code == code).findFirst();
    }

    /** All labels, for messages. */
    public static String labels() {
        return Arrays.stream(values()).map(FilterKind::label).collect(Collectors.joining(", "));
    }

    /** The false-positive rate to expect of n keys in m bits with k positions each. */
    public abstract double rate(double n, double m, int k);

    /** The k with the least rate. */
    abstract int bestK(double bitsPerKey);

    abstract BloomFilter create(long m, int k);
}
