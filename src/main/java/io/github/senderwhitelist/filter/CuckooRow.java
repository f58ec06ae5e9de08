package io.github.senderwhitelist.filter;

/**
 * One row of a {@link CuckooFilter}: a table of buckets of {@value #SLOTS} slots, each slot empty
 * or with a fingerprint.
 *
 * <p>All slots of a bucket are compared at once, as one word; where a bucket has more than 64 bits,
 * in two halves.
 */
final class CuckooRow {
    /** The slots of a bucket. */
    static final int SLOTS = 4;

    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    final long m;
    final long[] words;

    /** The buckets of the first row. */
    final long first;

    private final int k;
    private final int number;
    private final int bits;
    private final long count;

    /** The bits of one fingerprint. */
    private final long mask;

    /** The lowest bit of each slot that is compared at once. */
    private final long ones;

    /** The highest bit of each slot that is compared at once. */
    private final long highs;

    /** Whether buckets are compared in two halves. */
    private final boolean halves;

    /** Whether what is compared at once always lies in one word. */
    private final boolean inWords;

    /**
     * Creates an empty row.
     *
     * @param m its bits
     * @param first the buckets of the first row
     * @param k the bits of a fingerprint in the first row
     * @param number 0 for the first row; each later one has fingerprints one bit longer
     */
    CuckooRow(long m, long first, int k, int number) {
        this.m = m;
        this.words = Words.allocate(m);
        this.k = k;
        this.number = number;
        this.bits = k + number;
        this.first = first;
        this.count = first << number;
        this.mask = (1L << bits) - 1;
        this.halves = SLOTS * bits > Long.SIZE;
        this.inWords = Long.SIZE % (halves ? 2 * bits : SLOTS * bits) == 0;
        long ones = 1 | (1L << bits);
        this.ones = halves ? ones : ones | (ones << (2 * bits));
        this.highs = this.ones << (bits - 1);
    }

    /** Returns the fingerprint of a hash, which is never 0. */
    long fingerprint(long hash) {
        long start = 1 + (((hash & 0xffffffffL) * ((1L << k) - 1)) >>> 32);
        return number == 0
                ? start
                : start | ((((hash * GOLDEN) >>> 24) & ((1L << number) - 1)) << k);
    }

    /** Returns the first bucket of a hash. */
    long bucket(long hash) {
        return Math.unsignedMultiplyHigh(hash, count);
    }

    /** Returns the other bucket of a fingerprint in {@code bucket}. */
    long other(long bucket, long fingerprint) {
        long start = fingerprint & ((1L << k) - 1);
        long sum = (Math.unsignedMultiplyHigh(start * GOLDEN, first) + 1) << number;
        long other = sum - 1 - bucket;
        // Has no branch: it could not be predicted, and a wrong prediction discards the memory
        // accesses that were begun meanwhile.
        return other + (count & (other >> (Long.SIZE - 1)));
    }

    /** Returns a nonzero value if a slot of the bucket holds the fingerprint. */
    private long hit(long bucket, long fingerprint) {
        long bit = bucket * SLOTS * bits;
        long pattern = fingerprint * ones;
        long hit = same(bit, pattern);
        return halves ? hit | same(bit + 2L * bits, pattern) : hit;
    }

    /** Returns a nonzero value if one of the slots that begin at a bit is as in the pattern. */
    private long same(long bit, long pattern) {
        int word = Words.FIRST + (int) (bit >>> 6);
        long window = inWords ? words[word] >>> bit : Words.window(words, word, bit);
        long different = window ^ pattern;
        return (different - ones) & ~different & highs;
    }

    boolean mightContain(long hash) {
        long fingerprint = fingerprint(hash);
        long bucket = bucket(hash);
        // Reads both buckets at once: one wait for memory, and no branch that cannot be predicted.
        return (hit(bucket, fingerprint) | hit(other(bucket, fingerprint), fingerprint)) != 0;
    }

    /** Returns the fingerprint in a slot, 0 if it is empty. */
    long get(long bucket, int slot) {
        long bit = (bucket * SLOTS + slot) * bits;
        return Words.window(words, Words.FIRST + (int) (bit >>> 6), bit) & mask;
    }

    void set(long bucket, int slot, long fingerprint) {
        long bit = (bucket * SLOTS + slot) * bits;
        int word = Words.FIRST + (int) (bit >>> 6);
        words[word] = (words[word] & ~(mask << bit)) | (fingerprint << bit);
        if ((bit & 63) + bits > Long.SIZE) {
            words[word + 1] = (words[word + 1] & ~(mask >>> -bit)) | (fingerprint >>> -bit);
        }
    }

    /** Returns the first slot of a bucket that holds this fingerprint, or -1. */
    int find(long bucket, long fingerprint) {
        for (int slot = 0; slot < SLOTS; slot++) {
            if (get(bucket, slot) == fingerprint) {
                return slot;
            }
        }
        return -1;
    }

    private boolean replace(long bucket, long old, long by) {
        int slot = find(bucket, old);
        if (slot >= 0) {
            set(bucket, slot, by);
        }
        return slot >= 0;
    }

    /** Replaces the fingerprint {@code old} in one of the buckets of a hash, if it is there. */
    boolean replaceInEither(long hash, long old, long by) {
        long bucket = bucket(hash);
        return replace(bucket, old, by) || replace(other(bucket, fingerprint(hash)), old, by);
    }

    /** Returns whether both buckets of a hash hold its fingerprint in all slots. */
    boolean isSaturated(long hash) {
        long fingerprint = fingerprint(hash);
        long bucket = bucket(hash);
        return isFullOf(bucket, fingerprint) && isFullOf(other(bucket, fingerprint), fingerprint);
    }

    private boolean isFullOf(long bucket, long fingerprint) {
        for (int slot = 0; slot < SLOTS; slot++) {
            if (get(bucket, slot) != fingerprint) {
                return false;
            }
        }
        return true;
    }
}
