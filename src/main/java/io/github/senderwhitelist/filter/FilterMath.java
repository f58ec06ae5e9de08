package io.github.senderwhitelist.filter;

/**
 * The mathematics of Bloom filters. n is the number of keys listed, m the bits, m/n the bits per
 * key, k the positions tested per key, p the false-positive rate.
 *
 * <p>Sources: B. H. Bloom, "Space/time trade-offs in hash coding with allowable errors" (1970); F.
 * Putze, P. Sanders, J. Singler, "Cache-, hash- and space-efficient Bloom filters" (2007) for the
 * blocked kind.
 */
public final class FilterMath {
    private static final double LN2 = Math.log(2);

    /** More positions than this do not pay at any size that is allowed. */
    private static final int MAX_K = 30;

    private FilterMath() {}

    /** Returns the rate of a classic filter: (1 − e^(−k·n/m))^k, very nearly if m is small. */
    public static double classicRate(double bitsPerKey, int k) {
        return Math.pow(-Math.expm1(-k / bitsPerKey), k);
    }

    /**
     * Returns the real number k with which a classic filter's rate is lowest: (m/n)·ln 2. The rate
     * is (1/2)^k there, so a rate p needs −ln p / (ln 2)² bits per key.
     */
    public static double optimalK(double bitsPerKey) {
        return bitsPerKey * LN2;
    }

    /** Returns the integer beside {@link #optimalK} that has the lower rate; at least 1. */
    public static int bestClassicK(double bitsPerKey) {
        int below = Math.max(1, Math.min(MAX_K, (int) optimalK(bitsPerKey)));
        return classicRate(bitsPerKey, below) <= classicRate(bitsPerKey, below + 1)
                ? below
                : below + 1;
    }

    /** Returns the fewest bits per key that any filter of rate p can have: log2(1/p). */
    public static double floorBitsPerKey(double p) {
        return -Math.log(p) / LN2;
    }

    /**
     * Returns the rate of a filter whose keys lie in one block of {@code block} bits each. It is
     * the mean of the classic rate over the number of keys in a block, which is Poisson distributed
     * with mean block/(m/n).
     *
     * <p>The result is one or two percent too low, because the number of bits set in a block is
     * taken to be its mean.
     */
    static double blockedRate(double bitsPerKey, int k, int block) {
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

    /**
     * Returns the least k whose {@link #blockedRate} is within three percent of the lowest. Near
     * the best k the rate hardly changes, and each position costs time.
     */
    static int bestBlockedK(double bitsPerKey, int block) {
        double[] rates = new double[MAX_K + 1];
        int best = 1;
        rates[best] = blockedRate(bitsPerKey, best, block);
        while (best < MAX_K
                && (rates[best + 1] = blockedRate(bitsPerKey, best + 1, block)) < rates[best]) {
            best++;
        }
        int k = best;
        while (k > 1 && rates[k - 1] <= 1.03 * rates[best]) {
            k--;
        }
        return k;
    }
}
