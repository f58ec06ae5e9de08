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
        double rate(double n, FilterShape shape) {
            return FilterMath.classicRate(n, (double) shape.m(), shape.k());
        }

        @Override
        FilterShape shape(FilterSize size, long n) {
            double bits = size.bitsPerKey(this, FilterKind::bestClassicRate);
            return new FilterShape(
                    this, FilterShape.roundUp(bits * n), FilterMath.bestClassicK(bits));
        }

        @Override
        double reads(FilterShape shape) {
            return shape.k();
        }

        @Override
        Filter create(FilterShape shape) {
            return new ClassicFilter(shape.m(), shape.k());
        }
    },
    /**
     * All k positions in one block of 512 bits, a cache line: one memory access per answer (Putze
     * et al. 2007).
     */
    BLOCKED(2) {
        @Override
        double rate(double n, FilterShape shape) {
            return FilterMath.blockedRate((double) shape.m() / n, shape.k(), BlockedFilter.BLOCK);
        }

        @Override
        FilterShape shape(FilterSize size, long n) {
            double bits = size.bitsPerKey(this, FilterKind::bestBlockedRate);
            return new FilterShape(
                    this,
                    FilterShape.roundUp(bits * n),
                    FilterMath.bestBlockedK(bits, BlockedFilter.BLOCK));
        }

        @Override
        Filter create(FilterShape shape) {
            return new BlockedFilter(shape.m(), shape.k());
        }
    },
    /** Blocks with a counter for every bit, so that keys can be removed (Fan et al. 2000). */
    COUNTING(3) {
        @Override
        double rate(double n, FilterShape shape) {
            return FilterMath.blockedRate(
                    (double) shape.m() / 2 / n, shape.k(), BlockedFilter.BLOCK);
        }

        @Override
        FilterShape shape(FilterSize size, long n) {
            double bits = size.bitsPerKey(this, all -> countingRate(all / 2));
            return new FilterShape(
                    this, 2 * FilterShape.roundUp(bits / 2 * n), countingK(bits / 2));
        }

        @Override
        Filter create(FilterShape shape) {
            return new CountingFilter(shape);
        }

        @Override
        String wrong(long m, int k, int rows) {
            return m % (2 * FilterShape.STEP) == 0 && rows == 1
                    ? ""
                    : "multiples of " + 2 * FilterShape.STEP + " bits, one row";
        }

        @Override
        public boolean removes() {
            return true;
        }
    },
    /** A row of classic filters, each larger and with a lower rate (Almeida et al. 2007). */
    SCALABLE(4) {
        @Override
        double rate(double n, FilterShape shape) {
            return ScalableFilter.rate(n, shape);
        }

        @Override
        FilterShape shape(FilterSize size, long n) {
            // All rows together have less than twice the rate of the first.
            int k =
                    size.byRate()
                            ? size.fingerprint(this, ScalableFilter.MOST_K, 1)
                            : size.most(ScalableFilter.MOST_K, n, ScalableFilter::bits);
            return new FilterShape(
                    this, FilterShape.roundUp(ScalableFilter.bits((double) n, k)), k);
        }

        @Override
        double reads(FilterShape shape) {
            return (double) shape.k() * shape.rows();
        }

        @Override
        Filter create(FilterShape shape) {
            return new ScalableFilter(shape);
        }

        @Override
        String wrong(long m, int k, int rows) {
            return k <= ScalableFilter.MOST_K ? rowsWrong(m, k, rows) : upTo(ScalableFilter.MOST_K);
        }

        @Override
        public boolean grows() {
            return true;
        }
    },
    /** Fingerprints in two buckets; keys can be removed (Fan et al. 2014). */
    CUCKOO(5) {
        @Override
        double rate(double n, FilterShape shape) {
            return CuckooFilter.rate(n, shape);
        }

        @Override
        FilterShape shape(FilterSize size, long n) {
            int k = CuckooFilter.LEAST_K;
            if (size.byRate()) {
                while (k < CuckooFilter.MOST_K && fullRate(k) > size.value()) {
                    k++;
                }
                size.require(this, fullRate(k));
            } else {
                k = Math.max(k, size.most(CuckooFilter.MOST_K, n, CuckooFilter::bits));
            }
            return new FilterShape(this, FilterShape.roundUp(CuckooFilter.bits((double) n, k)), k);
        }

        // At the usual load.
        private double fullRate(int k) {
            return 1 - Math.pow(1 - 1 / (Math.pow(2, k) - 1), 8 * CuckooFilter.load(k));
        }

        @Override
        double reads(FilterShape shape) {
            return 2.0 * shape.rows();
        }

        @Override
        Filter create(FilterShape shape) {
            return new CuckooFilter(shape);
        }

        @Override
        String wrong(long m, int k, int rows) {
            return k < CuckooFilter.LEAST_K || k > CuckooFilter.MOST_K || k + rows - 1 > MAX_BITS
                    ? CuckooFilter.LEAST_K + " to " + CuckooFilter.MOST_K + ", and few rows"
                    : rowsWrong(m, k, rows);
        }

        @Override
        public boolean grows() {
            return true;
        }

        @Override
        public boolean removes() {
            return true;
        }
    },
    /** A static array of fingerprints, three of which make a key's (Graf, Lemire 2022). */
    FUSE(6) {
        @Override
        double rate(double n, FilterShape shape) {
            return Math.pow(2, -shape.k());
        }

        @Override
        FilterShape shape(FilterSize size, long n) {
            int k =
                    size.byRate()
                            ? size.fingerprint(this, FilterShape.MAX_K, 0)
                            : size.most(
                                    FilterShape.MAX_K,
                                    n,
                                    (keys, bits) -> (double) FuseFilter.shape(keys, bits).m());
            return FuseFilter.shape((double) n, k);
        }

        @Override
        double reads(FilterShape shape) {
            return 3;
        }

        @Override
        Filter create(FilterShape shape) {
            return new FuseFilter(shape);
        }

        @Override
        String wrong(long m, int k, int rows) {
            return FuseFilter.wrong(m, k, rows);
        }

        @Override
        public boolean isStatic() {
            return true;
        }
    },
    /** A static system of equations in one cache line (after Dillinger, Walzer 2021). */
    RIBBON(7) {
        @Override
        double rate(double n, FilterShape shape) {
            return Math.pow(2, -shape.k());
        }

        @Override
        FilterShape shape(FilterSize size, long n) {
            int k =
                    size.byRate()
                            ? size.fingerprint(this, RibbonFilter.MOST_K, 0)
                            : size.most(RibbonFilter.MOST_K, n, RibbonFilter::bits);
            k = Math.max(k, RibbonFilter.LEAST_K);
            return new FilterShape(this, FilterShape.roundUp(RibbonFilter.bits((double) n, k)), k);
        }

        @Override
        double reads(FilterShape shape) {
            return 1.1;
        }

        @Override
        Filter create(FilterShape shape) {
            return new RibbonFilter(shape);
        }

        @Override
        String wrong(long m, int k, int rows) {
            return k >= RibbonFilter.LEAST_K && k <= RibbonFilter.MOST_K && rows == 1
                    ? ""
                    : RibbonFilter.LEAST_K + " to " + RibbonFilter.MOST_K + ", one row";
        }

        @Override
        public boolean isStatic() {
            return true;
        }
    };

    private static final int MAX_BITS = 31;

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

    /** Whether a filter that holds more keys than planned keeps its rate by growing. */
    public boolean grows() {
        return false;
    }

    /** Whether keys can be removed. */
    public boolean removes() {
        return false;
    }

    /** Whether a filter is made of all keys at once, and takes no others later. */
    public boolean isStatic() {
        return false;
    }

    /** The false-positive rate to expect of n keys. */
    abstract double rate(double n, FilterShape shape);

    /** The shape for n keys. */
    abstract FilterShape shape(FilterSize size, long n);

    double reads(FilterShape shape) {
        return 1;
    }

    abstract Filter create(FilterShape shape);

    /** What shapes this kind has, when this is none of them; else nothing. */
    String wrong(long m, int k, int rows) {
        return rows == 1 ? "" : "one row";
    }

    private static String rowsWrong(long m, int k, int rows) {
        if (rows > 64) {
            return "fewer rows";
        }
        GrowthRows.of(m, k, rows);
        return "";
    }

    private static String upTo(int most) {
        return "k of 1 to " + most;
    }

    private static double bestClassicRate(double bits) {
        return FilterMath.classicRate(bits, FilterMath.bestClassicK(bits));
    }

    private static double bestBlockedRate(double bits) {
        int block = BlockedFilter.BLOCK;
        return FilterMath.blockedRate(bits, FilterMath.bestBlockedK(bits, block), block);
    }

    private static int countingK(double bits) {
        return Math.min(
                FilterMath.bestBlockedK(bits, BlockedFilter.BLOCK), CountingFilter.mostK(bits));
    }

    private static double countingRate(double bits) {
        return FilterMath.blockedRate(bits, countingK(bits), BlockedFilter.BLOCK);
    }
}
