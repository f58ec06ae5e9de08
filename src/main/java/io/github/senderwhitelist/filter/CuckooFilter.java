package io.github.senderwhitelist.filter;

import java.lang.invoke.VarHandle;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A cuckoo filter. A fingerprint of k bits of each key is in one of its two buckets of four slots,
 * and can be taken out again. If both buckets are full, other fingerprints are moved to their other
 * buckets.
 *
 * <p>Source: B. Fan, D. G. Andersen, M. Kaminsky, M. D. Mitzenmacher, "Cuckoo filter: practically
 * better than Bloom" (2014). The other bucket is h(fingerprint) − bucket, modulo any number of
 * buckets; this function is its own inverse.
 *
 * <p>If no sequence of moves makes room, nothing is moved, and a row of twice the buckets with
 * fingerprints one bit longer is put beside the others. The older rows stay, since the keys needed
 * to move their fingerprints are not known.
 *
 * <p>Rows are nested. Bucket b of a row corresponds to buckets 2b and 2b + 1 of the next row, and
 * so do the other buckets. Longer fingerprints begin with the shorter ones. So two keys that are
 * the same to one row are the same to all older rows. A removal takes the fingerprint out of the
 * newest row that has it. If that was another key's fingerprint, that key is still found in an
 * older row.
 *
 * <p>A fingerprint that fills both of its buckets was added at least eight times, and it is not
 * known how often. It is not added again, and never removed.
 *
 * <p>Readers never wait for a lock. They may miss a fingerprint that is being moved, so a "no"
 * counts only if no move was under way or began meanwhile.
 *
 * <p>Serial form: the words of the rows, the oldest first. Slot s of bucket b is the k bits from
 * bit (4b + s) · k of its row; k grows by one from row to row. An empty slot is 0.
 */
final class CuckooFilter implements RemovableFilter {
    /** Shorter fingerprints leave too few other buckets to choose from. */
    private static final int LEAST_K = 7;

    /** Longer fingerprints could not grow. */
    private static final int MOST_K = 27;

    private static final int MOST_BITS = 31;
    private static final int SLOTS = CuckooRow.SLOTS;

    /** The load at which moves make no more room, found by trials. */
    private static final double FULL = 0.98;

    private static final int MOST_TRIED = 2048;

    private volatile CuckooRow[] rows;

    /** Counts beginnings and ends of moves, so it is odd while fingerprints are moved. */
    private final AtomicLong moves = new AtomicLong();

    private final int k;

    /** The buckets found by the search for moves. */
    private final long[] buckets = new long[MOST_TRIED];

    /** For each of them, the index of the bucket from which a fingerprint can be moved there. */
    private final int[] parents = new int[MOST_TRIED];

    /** The slot of that fingerprint. */
    private final int[] slots = new int[MOST_TRIED];

    CuckooFilter(FilterShape shape) {
        this.k = shape.k();
        long[] sizes = GrowthRows.of(shape.m(), k, shape.rows());
        CuckooRow[] made = new CuckooRow[sizes.length];
        Arrays.setAll(made, i -> new CuckooRow(sizes[i], firstBuckets(sizes[0], k), k, i));
        this.rows = made;
    }

    private static long firstBuckets(long m, int k) {
        return m / ((long) SLOTS * k);
    }

    /** Plans the first row; the keys are assumed to fill one row after the other. */
    static final class Design implements FilterDesign {
        @Override
        public FilterShape plan(FilterSize size, long n) {
            int k = LEAST_K;
            if (size.byRate()) {
                while (k < MOST_K && fullRate(k) > size.value()) {
                    k++;
                }
                size.requireRate(FilterKind.CUCKOO, fullRate(k));
            } else {
                k = Math.max(k, size.greatestK(MOST_K, n, Design::bits));
            }
            return new FilterShape(FilterKind.CUCKOO, FilterShape.roundUp(bits((double) n, k)), k);
        }

        /** Returns the rate of a first row that holds as many keys as planned. */
        private static double fullRate(int k) {
            return 1 - Math.pow(1 - 1 / (Math.pow(2, k) - 1), 8 * load(k));
        }

        /** Returns the load planned for; with short fingerprints, moves fail a little earlier. */
        private static double load(int k) {
            return k > 8 ? 0.95 : 0.94;
        }

        /** Returns the bits of a first row that n keys fill up to the planned load. */
        private static double bits(double n, int k) {
            // The second term is for small tables, which fill unevenly.
            return (Math.ceil((n / load(k) + 3 * Math.sqrt(n)) / SLOTS) + 1) * SLOTS * k;
        }

        @Override
        public double rate(double n, FilterShape shape) {
            long[] sizes = GrowthRows.of(shape.m(), shape.k(), shape.rows());
            double left = n;
            double none = 1;
            for (int i = 0; i < sizes.length; i++) {
                double room = (double) firstBuckets(sizes[0], shape.k()) * SLOTS * Math.pow(2, i);
                double here = Math.min(left, i == sizes.length - 1 ? room : room * FULL);
                left -= here;
                // The first k bits of a fingerprint are never all zero.
                double values = (Math.pow(2, shape.k()) - 1) * Math.pow(2, i);
                none *= Math.pow(1 - 1 / values, 2 * SLOTS * here / room);
            }
            return 1 - none;
        }

        @Override
        public double reads(FilterShape shape) {
            return 2.0 * shape.rows();
        }

        @Override
        public Filter create(FilterShape shape) {
            return new CuckooFilter(shape);
        }

        @Override
        public String brokenLimit(long m, int k, int rows) {
            return k < LEAST_K || k > MOST_K || k + rows - 1 > MOST_BITS
                    ? "k of " + LEAST_K + " to " + MOST_K + ", and few rows"
                    : GrowthRows.brokenLimit(m, k, rows);
        }

        @Override
        public boolean grows() {
            return true;
        }

        @Override
        public boolean removes() {
            return true;
        }
    }

    @Override
    public boolean mightContain(long hash) {
        while (true) {
            long before = moves.get();
            CuckooRow[] now = rows;
            boolean found = now[0].mightContain(hash);
            if (now.length > 1) {
                found |= isInLaterRow(now, hash);
            }
            VarHandle.acquireFence();
            // This branch is nearly always taken, so it is predicted. One on the answer would not
            // be, and would cost more.
            if (((before & 1) | (moves.get() ^ before)) == 0) {
                return found;
            }
            if (found) {
                return true;
            }
            Thread.onSpinWait();
        }
    }

    private static boolean isInLaterRow(CuckooRow[] rows, long hash) {
        boolean found = false;
        for (int i = 1; i < rows.length; i++) {
            found |= rows[i].mightContain(hash);
        }
        return found;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException if the filter is full and cannot grow; it stays as it was
     */
    @Override
    public void add(long hash) {
        CuckooRow[] now = rows;
        for (CuckooRow row : now) {
            if (row.isSaturated(hash)) {
                return;
            }
        }
        for (CuckooRow row : now) {
            if (row.replaceInEither(hash, 0, row.fingerprint(hash))) {
                return;
            }
        }
        if (!makeRoom(now[now.length - 1], hash)) {
            CuckooRow row = grow(now);
            row.replaceInEither(hash, 0, row.fingerprint(hash));
        }
    }

    @Override
    public boolean remove(long hash) {
        CuckooRow[] now = rows;
        for (CuckooRow row : now) {
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

    private CuckooRow grow(CuckooRow[] now) {
        int number = now.length;
        try {
            long m = GrowthRows.row(now[0].m, k, number);
            new FilterShape(FilterKind.CUCKOO, shape().m() + m, k, number + 1);
            CuckooRow[] more = Arrays.copyOf(now, number + 1);
            more[number] = new CuckooRow(m, now[0].first, k, number);
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
     * Makes room for a hash in one of its buckets and adds it. Searches breadth first for a chain
     * of moves, each into the slot that the next one leaves, from a bucket of the hash to an empty
     * slot. Makes the moves from the empty slot backwards.
     *
     * @return false if there is no such chain; then nothing was moved
     */
    private boolean makeRoom(CuckooRow row, long hash) {
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

    /**
     * Returns whether a bucket is already in the chain, where a second move would undo the first.
     */
    private boolean isOnTheWay(int last, long bucket) {
        for (int at = last; at >= 0; at = parents[at]) {
            if (buckets[at] == bucket) {
                return true;
            }
        }
        return false;
    }

    private void move(CuckooRow row, int last, int empty, long fingerprint) {
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
        CuckooRow[] now = rows;
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
