package io.github.senderwhitelist.filter;

/**
 * The mathematics of Bloom filters of n keys and m bits, which test k positions per key.
 *
 * <p>Sources: B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors" (1970); F.
 * Putze, P. Sanders, J. Singler, "Cache-, hash- and space-efficient Bloom filters" (2007).
 */
public final class FilterMath {
    private FilterMath() {}

    /**
     * Returns the rate of a classic filter: (1 − e^(−k·n/m))^k, very nearly if m is small. With k =
     * (m/n)·ln 2 it is lowest, (1/2)^k, so a rate p needs −ln p / (ln 2)² bits per key.
     */
    public static double classicRate(double bitsPerKey, double k) {
        return Math.pow(-Math.expm1(-k / bitsPerKey), k);
    }

    /** Returns the fewest bits per key that any filter of rate p can have: log2(1/p). */
    public static double floorBitsPerKey(double p) {
        return -Math.log(p) / Math.log(2);
    }

    /**
     * Returns the rate of a filter whose keys lie in one block of {@link BlockedFilter#BLOCK} bits
     * each: the mean of the classic rate over the number of keys in a block, which is Poisson
     * distributed with mean block/(m/n). It is one or two percent too low, because the number of
     * bits set in a block is taken to be its mean.
     */
    static double blockedRate(double bitsPerKey, int k) {
        int block = BlockedFilter.BLOCK;
        double mean = block / bitsPerKey;
        if (mean > block * 64.0) {
            // No bit is left that is 0.
            return 1;
        }
        double spread = 12 * Math.sqrt(mean) + 12;
        int first = (int) Math.max(0, mean - spread);
        int last = (int) (mean + spread);
        double logProbability = -mean;
        for (int i = 1; i <= first; i++) {
            logProbability += Math.log(mean / i);
        }
        // From here on by products: a rate is computed hundreds of times to choose a filter's size.
        double probability = Math.exp(logProbability);
        double logZero = k * Math.log1p(-1.0 / block);
        double zero = Math.exp(first * logZero);
        double zeroAfterKey = Math.exp(logZero);
        double rate = 0;
        for (int i = first; i <= last; i++) {
            rate += probability * Math.pow(1 - zero, k);
            probability *= mean / (i + 1);
            zero *= zeroAfterKey;
        }
        return rate;
    }

    /** Returns the rate of a Bloom filter of this kind. */
    static double rate(FilterKind kind, double bitsPerKey, int k) {
        return kind == FilterKind.CLASSIC ? classicRate(bitsPerKey, k) : blockedRate(bitsPerKey, k);
    }

    /**
     * Returns the k with which a classic filter's rate is lowest; for a blocked one, the least k
     * whose rate is within three percent of the lowest. Near the best k the rate hardly changes,
     * and each position costs time.
     */
    static int bestK(FilterKind kind, double bitsPerKey) {
        double spare = kind == FilterKind.CLASSIC ? 1 : 1.03;
        // A block, which may have more keys than others, is best with fewer positions.
        int most = Math.clamp((long) Math.ceil(bitsPerKey * Math.log(2)), 1, FilterShape.MAX_K);
        double lowest = Double.POSITIVE_INFINITY;
        for (int k = most; k > 0; k--) {
            double rate = rate(kind, bitsPerKey, k);
            if (rate > spare * lowest) {
                return k + 1;
            }
            lowest = Math.min(lowest, rate);
        }
        return 1;
    }
}
