package io.github.senderwhitelist.filter;

import java.lang.invoke.VarHandle;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A cuckoo filter: a fingerprint of k bits of each key stands in one of two buckets of four slots;
 * it can be taken out again, and where both buckets are full others are moved to their other
 * bucket.
 *
 * <p>Source: B. Fan, D. G. Andersen, M. Kaminsky, M. D. Mitzenmacher, "Cuckoo filter: practically
 * better than Bloom" (2014). The other bucket is h(fingerprint) − bucket modulo any number of
 * buckets, and its own inverse.
 *
 * <p>When no sequence of moves makes room, nothing has been moved yet, and a row of twice the
 * buckets and fingerprints one bit longer is put beside the others. The keys are not at hand to be
 * moved there, so both rows stay. Rows are nested: bucket b of one is buckets 2b and 2b + 1 of the
 * next, also for the other bucket, and longer fingerprints begin with the shorter. Keys that are
 * the same to a row are so to all older ones. That makes removal right which takes the fingerprint
 * out of the newest row that has it: if it was another key's, that key finds the one that was left.
 *
 * <p>A fingerprint that fills both of its buckets was added at least eight times, nobody knows how
 * often: it is not added again, and never removed.
 *
 * <p>Readers are not held up. They may miss a fingerprint that is being moved, so a "no" counts
 * only when no move began or was under way meanwhile.
 *
 * <p>Serial form: the words of the rows, the oldest first; slot s of bucket b is the k bits from
 * bit (4b + s) · k of its row, 0 when it is empty.
 */
final class CuckooFilter implements RemovableFilter {
    /** Shorter fingerprints leave too few other buckets to choose from. */
    static final int LEAST_K = 7;

    /** Longer ones could not grow. */
    static final int MOST_K = 27;

    private static final int SLOTS = 4;

    /** The load at which no moves make room any more, as seen in trials. */
    private static final double FULL = 0.98;

    private static final int MOST_TRIED = 2048;
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    private volatile Row[] rows;

    /** Odd while fingerprints are moved. */
    private final AtomicLong moves = new AtomicLong();

    private final int k;

    /** The buckets that moves are looked for in, the ones before them, and the slots there. */
    private final long[] buckets = new long[MOST_TRIED];

    private final int[] parents = new int[MOST_TRIED];
    private final int[] slots = new int[MOST_TRIED];

    CuckooFilter(FilterShape shape) {
        this.k = shape.k();
        long[] sizes = GrowthRows.of(shape.m(), k, shape.rows());
        Row[] made = new Row[sizes.length];
        Arrays.setAll(made, i -> new Row(sizes[i], firstBuckets(sizes[0], k), i));
        this.rows = made;
    }

    private static long firstBuckets(long m, int k) {
        return m / ((long) SLOTS * k);
    }

    /** The load that a row is made for: with short fingerprints, it is full a little earlier. */
    static double load(int k) {
        return k > 8 ? 0.95 : 0.94;
    }

    /** The bits of a first row that n keys fill to the usual load at most. */
    static double bits(double n, int k) {
        // Small tables fill unevenly.
        return (Math.ceil((n / load(k) + 3 * Math.sqrt(n)) / SLOTS) + 1) * SLOTS * k;
    }

    /** The rate with n keys, which fill one row after the other. */
    static double rate(double n, FilterShape shape) {
        long[] sizes = GrowthRows.of(shape.m(), shape.k(), shape.rows());
        double left = n;
        double none = 1;
        for (int i = 0; i < sizes.length; i++) {
            double room = (double) firstBuckets(sizes[0], shape.k()) * SLOTS * Math.pow(2, i);
            double here = Math.min(left, i == sizes.length - 1 ? room : room * FULL);
            left -= here;
            // The fingerprint's first bits are never all zero.
            double values = (Math.pow(2, shape.k()) - 1) * Math.pow(2, i);
            none *= Math.pow(1 - 1 / values, 2 * SLOTS * here / room);
        }
        return 1 - none;
    }

    /** One of the tables. */
    private final class Row {
        final long m;
        final long[] words;
        final int number;
        final int bits;
        final long first;
        final long count;

        /** Of a fingerprint, and one in the lowest bit of each slot of a bucket, or half of it. */
        final long mask;

        final long ones;
        final long highs;
        final boolean halves;

        /** Whether no bucket, or half of it, goes over the end of a word. */
        final boolean inWords;

        Row(long m, long first, int number) {
            this.m = m;
            this.words = Words.allocate(m);
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

        long fingerprint(long hash) {
            long start = 1 + (((hash & 0xffffffffL) * ((1L << k) - 1)) >>> 32);
            return number == 0
                    ? start
                    : start | ((((hash * GOLDEN) >>> 24) & ((1L << number) - 1)) << k);
        }

        long bucket(long hash) {
            return Math.unsignedMultiplyHigh(hash, count);
        }

        long other(long bucket, long fingerprint) {
            long start = fingerprint & ((1L << k) - 1);
            long sum = (Math.unsignedMultiplyHigh(start * GOLDEN, first) + 1) << number;
            long other = sum - 1 - bucket;
            // Without a branch: nobody can guess it, and a wrong guess throws the memory accesses
            // away that were begun meanwhile.
            return other + (count & (other >> (Long.SIZE - 1)));
        }

        /** Not 0 when a slot of the bucket holds the fingerprint. */
        private long hit(long bucket, long fingerprint) {
            long bit = bucket * SLOTS * bits;
            long pattern = fingerprint * ones;
            long hit = same(bit, pattern);
            return halves ? hit | same(bit + 2L * bits, pattern) : hit;
        }

        /** Not 0 when a slot of those at that bit is the same as in the pattern. */
        private long same(long bit, long pattern) {
            int word = Words.FIRST + (int) (bit >>> 6);
            long window = inWords ? words[word] >>> bit : Words.window(words, word, bit);
            long different = window ^ pattern;
            return (different - ones) & ~different & highs;
        }

        boolean mightContain(long hash) {
            long fingerprint = fingerprint(hash);
            long bucket = bucket(hash);
            // Both at once: one wait for memory, and no branch on the first that nobody can guess.
            return (hit(bucket, fingerprint) | hit(other(bucket, fingerprint), fingerprint)) != 0;
        }

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

        /** The first slot of a bucket that holds this, or -1. */
        int find(long bucket, long fingerprint) {
            for (int slot = 0; slot < SLOTS; slot++) {
                if (get(bucket, slot) == fingerprint) {
                    return slot;
                }
            }
            return -1;
        }

        boolean replace(long bucket, long old, long by) {
            int slot = find(bucket, old);
            if (slot >= 0) {
                set(bucket, slot, by);
            }
            return slot >= 0;
        }

        boolean replaceInEither(long hash, long old, long by) {
            long bucket = bucket(hash);
            return replace(bucket, old, by) || replace(other(bucket, fingerprint(hash)), old, by);
        }

        /** Whether both buckets hold nothing but this. */
        boolean isSaturated(long hash) {
            long fingerprint = fingerprint(hash);
            long bucket = bucket(hash);
            return isFullOf(bucket, fingerprint)
                    && isFullOf(other(bucket, fingerprint), fingerprint);
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

    @Override
    public boolean mightContain(long hash) {
        while (true) {
            long before = moves.get();
            Row[] now = rows;
            boolean found = now[0].mightContain(hash);
            if (now.length > 1) {
                found |= isInLaterRow(now, hash);
            }
            VarHandle.acquireFence();
            // Nearly always so: a branch that is guessed, and the answer is not one.
            if (((before & 1) | (moves.get() ^ before)) == 0) {
                return found;
            }
            if (found) {
                return true;
            }
            Thread.onSpinWait();
        }
    }

    private static boolean isInLaterRow(Row[] rows, long hash) {
        boolean found = false;
        for (int i = 1; i < rows.length; i++) {
            found |= rows[i].mightContain(hash);
        }
        return found;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException when the filter is full and cannot grow; it stays as it was
     */
    @Override
    public void add(long hash) {
        Row[] now = rows;
        for (Row row : now) {
            if (row.isSaturated(hash)) {
                return;
            }
        }
        for (Row row : now) {
            if (row.replaceInEither(hash, 0, row.fingerprint(hash))) {
                return;
            }
        }
        if (!makeRoom(now[now.length - 1], hash)) {
            Row row = grow(now);
            row.replaceInEither(hash, 0, row.fingerprint(hash));
        }
    }

    @Override
    public boolean remove(long hash) {
        Row[] now = rows;
        for (Row row : now) {
            if (row.isSaturated(hash)) {
                return true;
            }
        }
        for (int i = now.length - 1; i >= 0; i--) {
            if (now[i].replaceInEither(hash, now[i].fingerprint(hash), 0)) {
                return true;
            }
        }
        return false;
    }

    private Row grow(Row[] now) {
        int number = now.length;
        try {
            long m = GrowthRows.row(now[0].m, k, number);
            new FilterShape(FilterKind.CUCKOO, shape().m() + m, k, number + 1);
            Row[] more = Arrays.copyOf(now, number + 1);
            more[number] = new Row(m, now[0].first, number);
            rows = more;
            return more[number];
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "a cuckoo filter of "
                            + shape()
                            + " is full and cannot grow: "
                            + e.getMessage()
                            + "; nothing was lost, make a larger one",
                    e);
        }
    }

    /**
     * Looks, breadth first, for a fingerprint that can be moved, for it one that can be moved to
     * its place, and so on down to a bucket of the hash; moves them, the last one first, and adds
     * the hash. False when there are none, and nothing was moved.
     */
    private boolean makeRoom(Row row, long hash) {
        long fingerprint = row.fingerprint(hash);
        buckets[0] = row.bucket(hash);
        buckets[1] = row.other(buckets[0], fingerprint);
        parents[0] = -1;
        parents[1] = -1;
        int tried = 2;
        for (int at = 0; at < tried; at++) {
            for (int slot = 0; slot < SLOTS && tried < MOST_TRIED; slot++) {
                long bucket = row.other(buckets[at], row.get(buckets[at], slot));
                if (isOnTheWay(at, bucket)) {
                    continue;
                }
                buckets[tried] = bucket;
                parents[tried] = at;
                slots[tried] = slot;
                int empty = row.find(bucket, 0);
                if (empty >= 0) {
                    move(row, tried, empty, fingerprint);
                    return true;
                }
                tried++;
            }
        }
        return false;
    }

    private boolean isOnTheWay(int last, long bucket) {
        for (int at = last; at >= 0; at = parents[at]) {
            if (buckets[at] == bucket) {
                return true;
            }
        }
        return false;
    }

    private void move(Row row, int last, int empty, long fingerprint) {
        moves.incrementAndGet();
        int to = empty;
        int at = last;
        for (; parents[at] >= 0; at = parents[at]) {
            long moved = row.get(buckets[parents[at]], slots[at]);
            row.set(buckets[at], to, moved);
            to = slots[at];
        }
        row.set(buckets[at], to, fingerprint);
        moves.incrementAndGet();
    }

    @Override
    public FilterShape shape() {
        Row[] now = rows;
        long m = Arrays.stream(now).mapToLong(row -> row.m).sum();
        return new FilterShape(FilterKind.CUCKOO, m, k, now.length);
    }

    private long[][] words() {
        return Arrays.stream(rows).map(row -> row.words).toArray(long[][]::new);
    }

    @Override
    public void write(long first, LongBuffer into) {
        Words.write(first, into, words());
    }

    @Override
    public void read(long first, LongBuffer from) {
        Words.read(first, from, words());
    }
}
