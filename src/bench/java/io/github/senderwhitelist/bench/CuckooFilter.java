package io.github.senderwhitelist.bench;

import org.fastfilter.Filter;

import java.util.Arrays;

/**
 * A cuckoo filter, to which keys can be added and from which they can be removed. A fingerprint of
 * k bits of each key is in one of its two buckets of {@value #SLOTS} slots. If both are full, other
 * fingerprints are moved to their other buckets.
 *
 * <p>Source: B. Fan, D. G. Andersen, M. Kaminsky, M. D. Mitzenmacher, "Cuckoo filter: practically
 * better than Bloom" (2014). The other bucket is h(fingerprint) − bucket, modulo any number of
 * buckets, which is its own inverse.
 *
 * <p>FastFilter has a cuckoo filter, too, but one that neither adds nor removes.
 */
final class CuckooFilter implements Filter {
    private static final int SLOTS = 4;
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    /** The load that buckets of four slots reach before moves make no more room. */
    private static final double LOAD = 0.94;

    /** Shorter fingerprints leave too few other buckets to choose from. */
    private static final int LEAST_K = 7;

    private static final int MOST_K = 31;

    /** The buckets that are looked at for an empty slot. */
    private static final int MOST_TRIED = 2048;

    private final int k;
    private final long count;
    private final int[] fingerprints;
    private long size;

    private final int[] buckets = new int[MOST_TRIED];
    private final int[] parents = new int[MOST_TRIED];
    private final int[] slots = new int[MOST_TRIED];

    private CuckooFilter(long n, int k) {
        this.k = k;
        this.count = buckets(n);
        this.fingerprints = new int[Math.toIntExact(count * SLOTS)];
    }

    private static long buckets(long n) {
        return (long) Math.ceil(((double) n / LOAD + 3 * Math.sqrt((double) n)) / SLOTS) + 1;
    }

    /** Makes an empty filter for n keys, of the longest fingerprints that so many bits allow. */
    static CuckooFilter of(long n, double bitsPerKey) {
        int k = (int) (bitsPerKey * (double) n / (double) (buckets(n) * SLOTS));
        return new CuckooFilter(n, Math.clamp(k, LEAST_K, MOST_K));
    }

    /** Returns the rate with so many keys: each of the eight slots asked may hold the same bits. */
    double rate() {
        double used = (double) size / (double) (count * SLOTS);
        return 1 - Math.pow(1 - 1 / (Math.pow(2, k) - 1), 2 * SLOTS * used);
    }

    /** Returns the fingerprint of a hash, which is never 0: 0 stands for an empty slot. */
    private int fingerprint(long hash) {
        return 1 + (int) (((hash & 0xffffffffL) * ((1L << k) - 1)) >>> 32);
    }

    private int bucket(long hash) {
        return (int) Math.unsignedMultiplyHigh(hash, count);
    }

    private int other(int bucket, int fingerprint) {
        long other = Math.unsignedMultiplyHigh(fingerprint * GOLDEN, count) - bucket;
        return (int) (other < 0 ? other + count : other);
    }

    /** Returns where the fingerprint is in a bucket, or −1. */
    private int find(int bucket, int fingerprint) {
        for (int at = bucket * SLOTS; at < (bucket + 1) * SLOTS; at++) {
            if (fingerprints[at] == fingerprint) {
                return at;
            }
        }
        return -1;
    }

    /** Replaces a fingerprint in one of the buckets of a hash; returns whether it was there. */
    private boolean replace(long hash, int old, int by) {
        int bucket = bucket(hash);
        int at = find(bucket, old);
        if (at < 0) {
            at = find(other(bucket, fingerprint(hash)), old);
        }
        if (at >= 0) {
            fingerprints[at] = by;
        }
        return at >= 0;
    }

    @Override
    public boolean mayContain(long hash) {
        int fingerprint = fingerprint(hash);
        int bucket = bucket(hash);
        return find(bucket, fingerprint) >= 0 || find(other(bucket, fingerprint), fingerprint) >= 0;
    }

    @Override
    public boolean supportsAdd() {
        return true;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException if the filter is full; then nothing was moved and nothing lost
     */
    @Override
    public void add(long hash) {
        if (!replace(hash, 0, fingerprint(hash)) && !makeRoom(hash)) {
            throw new IllegalStateException("full with " + size + " keys");
        }
        size++;
    }

    /**
     * Searches breadth first for a chain of moves that ends at an empty slot, makes the moves from
     * there backwards, and adds the fingerprint. Returns false if there is no such chain.
     */
    private boolean makeRoom(long hash) {
        buckets[0] = bucket(hash);
        buckets[1] = other(buckets[0], fingerprint(hash));
        Arrays.fill(parents, 0, 2, -1);
        int tried = 2;
        for (int at = 0; at < tried; at++) {
            for (int slot = buckets[at] * SLOTS;
                    slot < (buckets[at] + 1) * SLOTS && tried < MOST_TRIED;
                    slot++) {
                int bucket = other(buckets[at], fingerprints[slot]);
                if (isInChain(at, bucket)) {
                    continue;
                }
                buckets[tried] = bucket;
                parents[tried] = at;
                slots[tried] = slot;
                int empty = find(bucket, 0);
                if (empty >= 0) {
                    move(tried, empty, fingerprint(hash));
                    return true;
                }
                tried++;
            }
        }
        return false;
    }

    /** Returns whether a bucket is in the chain already, where a second move would undo one. */
    private boolean isInChain(int last, int bucket) {
        for (int at = last; at >= 0; at = parents[at]) {
            if (buckets[at] == bucket) {
                return true;
            }
        }
        return false;
    }

    private void move(int last, int empty, int fingerprint) {
        int to = empty;
        for (int at = last; parents[at] >= 0; at = parents[at]) {
            fingerprints[to] = fingerprints[slots[at]];
            to = slots[at];
        }
        fingerprints[to] = fingerprint;
    }

    @Override
    public boolean supportsRemove() {
        return true;
    }

    /** Removes a key that was added. Removing another one may make the filter deny a third. */
    @Override
    public void remove(long hash) {
        if (!replace(hash, fingerprint(hash), 0)) {
            throw new IllegalStateException("a key was removed that is not there");
        }
        size--;
    }

    /** Returns k bits for each slot. Here a slot is an int, to keep the code short. */
    @Override
    public long getBitCount() {
        return count * SLOTS * k;
    }
}
