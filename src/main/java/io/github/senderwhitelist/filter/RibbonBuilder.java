package io.github.senderwhitelist.filter;

import java.io.IOException;
import java.util.Arrays;

/**
 * Solves the lines of a level of a {@link RibbonFilter} one by one, given its hashes in ascending
 * order. Of each line it passes on as few keys as it can: it tries sets of bump bits, the cheapest
 * first, until the equations of the other keys have a solution.
 */
final class RibbonBuilder {
    /** A line with more keys passes on all of them, so that memory stays bounded. */
    private static final int MAX_KEYS = 512;

    private static final int SETS = 1 << RibbonLine.BUMP_BITS;
    private static final int BINS = RibbonLine.BUMP_BITS + 1;

    private final long[] words;
    private final RibbonMix.Level level;
    private final SortedHashes passed;

    private int line = -1;
    private RibbonLine kind;
    private boolean overfull;

    private final long[] hashes = new long[MAX_KEYS];
    private int size;

    /** The hashes ordered by their bins, and where each bin ends. */
    private final long[] ordered = new long[MAX_KEYS];

    private final int[] ends = new int[BINS];
    private final int[] costs = new int[SETS];
    private final Equations large = new Equations();
    private final Equations equations = new Equations();

    RibbonBuilder(long[] words, RibbonMix.Level level, SortedHashes passed) {
        this.words = words;
        this.level = level;
        this.passed = passed;
        this.kind = level.less();
    }

    /** Adds the next hashes, in ascending order, of which one may be there several times. */
    void addAll(long[] sorted) throws IOException {
        for (int i = 0; i < sorted.length; i++) {
            if (i == 0 || sorted[i] != sorted[i - 1]) {
                add(sorted[i]);
            }
        }
    }

    private void add(long hash) throws IOException {
        int its = level.word(hash);
        if (its != line) {
            finish();
            line = its;
            kind = level.kind(its);
        }
        if (size == MAX_KEYS) {
            overfull = true;
            passOn(hashes, 0, size);
            size = 0;
        }
        if (overfull) {
            passed.add(RibbonFilter.next(hash));
        } else {
            hashes[size++] = hash;
        }
    }

    /** Solves the last line. */
    void finish() throws IOException {
        if (overfull) {
            setBumps(SETS - 1);
        } else if (size > 0) {
            orderByBins();
            int set = solve();
            equations.writeSolution(kind, words, line, set);
            setBumps(set);
            for (int bin = 0; bin < BINS; bin++) {
                if (passes(set, bin)) {
                    passOn(ordered, start(bin), ends[bin]);
                }
            }
        }
        size = 0;
        overfull = false;
    }

    private static boolean passes(int set, int bin) {
        return bin == RibbonLine.LARGE_BIN
                ? (set & RibbonLine.BUMPS_LARGE_BIN) == RibbonLine.BUMPS_LARGE_BIN
                : (set >>> bin & 1) != 0;
    }

    private void passOn(long[] these, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            passed.add(RibbonFilter.next(these[i]));
        }
    }

    private void setBumps(int set) {
        for (int bit = 0; bit < RibbonLine.BUMP_BITS; bit++) {
            if ((set >>> bit & 1) != 0) {
                kind.setBump(words, line, bit);
            }
        }
    }

    private int start(int bin) {
        return bin == 0 ? 0 : ends[bin - 1];
    }

    private void orderByBins() {
        Arrays.fill(ends, 0);
        for (int i = 0; i < size; i++) {
            ends[RibbonLine.bin(RibbonLine.second(hashes[i]))]++;
        }
        int end = 0;
        for (int bin = 0; bin < BINS; bin++) {
            int count = ends[bin];
            ends[bin] = end;
            end += count;
        }
        for (int i = 0; i < size; i++) {
            ordered[ends[RibbonLine.bin(RibbonLine.second(hashes[i]))]++] = hashes[i];
        }
    }

    /**
     * Leaves in {@code equations} those of the keys that stay.
     *
     * @return the set of bump bits that passes on the others
     */
    private int solve() {
        for (int set = 1; set < SETS; set++) {
            int bin = Integer.numberOfTrailingZeros(set);
            costs[set] = costs[set & (set - 1)] + ends[bin] - start(bin);
        }
        large.clear();
        boolean largeFits = insert(large, RibbonLine.LARGE_BIN);
        int largeCost = size - start(RibbonLine.LARGE_BIN);
        int tried = -1;
        while (true) {
            // The cheapest set of those after the last one tried; the lower of two with equal cost.
            int next = Integer.MAX_VALUE;
            for (int set = 0; set < SETS; set++) {
                boolean passesLarge = passes(set, RibbonLine.LARGE_BIN);
                int cost = costs[set] + (passesLarge ? largeCost : 0);
                int rank = cost << RibbonLine.BUMP_BITS | set;
                boolean possible = size - cost <= kind.columns() && (passesLarge || largeFits);
                if (possible && rank > tried && rank < next) {
                    next = rank;
                }
            }
            int set = next & (SETS - 1);
            if (fits(set)) {
                return set;
            }
            tried = next;
        }
    }

    /** Returns whether the keys that a set of bump bits leaves in the line have a solution. */
    private boolean fits(int set) {
        if (passes(set, RibbonLine.LARGE_BIN)) {
            equations.clear();
        } else {
            equations.copy(large);
        }
        for (int bin = 0; bin < RibbonLine.LARGE_BIN; bin++) {
            if (!passes(set, bin) && !insert(equations, bin)) {
                return false;
            }
        }
        return true;
    }

    private boolean insert(Equations into, int bin) {
        for (int i = start(bin); i < ends[bin]; i++) {
            long second = RibbonLine.second(ordered[i]);
            long equation = kind.equation(RibbonFilter.next(ordered[i]));
            if (!into.add(equation, kind.tail(second) | kind.fingerprint(second))) {
                return false;
            }
        }
        return true;
    }

    /**
     * A consistent system of equations in reduced form: each equation has a column, its pivot, that
     * no other one has.
     */
    private static final class Equations {
        private static final int MAX_EQUATIONS = 72;

        /** The columns of each equation, those of the tail left out. */
        private final long[] heads = new long[MAX_EQUATIONS];

        /** Of each equation, the columns of the tail in the high word, and its result. */
        private final long[] rests = new long[MAX_EQUATIONS];

        /** The equation that has a column as its pivot; those of the tail follow the others. */
        private final int[] rows = new int[Long.SIZE + Integer.SIZE];

        /** The columns of a solution for each bit of the fingerprints, and those of the tail. */
        private final long[] solutions = new long[FilterShape.MAX_K];

        private final long[] solutionsOfRest = new long[FilterShape.MAX_K];

        private int size;
        private long pivots;
        private long restPivots;

        void clear() {
            size = 0;
            pivots = 0;
            restPivots = 0;
        }

        void copy(Equations from) {
            System.arraycopy(from.heads, 0, heads, 0, from.size);
            System.arraycopy(from.rests, 0, rests, 0, from.size);
            System.arraycopy(from.rows, 0, rows, 0, rows.length);
            size = from.size;
            pivots = from.pivots;
            restPivots = from.restPivots;
        }

        /** Adds an equation; returns false if it contradicts the others. */
        boolean add(long head, long rest) {
            long headLeft = head;
            long restLeft = rest;
            for (long known = head & pivots; known != 0; known &= known - 1) {
                int row = rows[Long.numberOfTrailingZeros(known)];
                headLeft ^= heads[row];
                restLeft ^= rests[row];
            }
            for (long known = rest & restPivots; known != 0; known &= known - 1) {
                restLeft ^= rests[rows[Integer.SIZE + Long.numberOfTrailingZeros(known)]];
            }
            if (headLeft != 0) {
                int pivot = Long.numberOfTrailingZeros(headLeft);
                for (int i = 0; i < size; i++) {
                    long has = -(heads[i] >>> pivot & 1);
                    heads[i] ^= headLeft & has;
                    rests[i] ^= restLeft & has;
                }
                pivots |= 1L << pivot;
                rows[pivot] = size;
            } else if (restLeft >>> Integer.SIZE != 0) {
                int pivot = Integer.SIZE + Long.numberOfTrailingZeros(restLeft >>> Integer.SIZE);
                for (int i = 0; i < size; i++) {
                    rests[i] ^= restLeft & -(rests[i] >>> pivot & 1);
                }
                restPivots |= 1L << pivot;
                rows[Integer.SIZE + pivot] = size;
            } else {
                return restLeft == 0;
            }
            heads[size] = headLeft;
            rests[size++] = restLeft;
            return true;
        }

        /** Writes a solution: columns that are no pivot are all ones. */
        void writeSolution(RibbonLine kind, long[] words, int line, int bumps) {
            long free = kind.allColumns() & ~pivots;
            long freeOfRest = kind.tail(-1) & ~restPivots;
            Arrays.fill(solutions, 0);
            Arrays.fill(solutionsOfRest, 0);
            for (long left = kind.allColumns(); left != 0; left &= left - 1) {
                int bit = Long.numberOfTrailingZeros(left);
                int row = (pivots >>> bit & 1) == 0 ? -1 : rows[bit];
                put(solutions, kind.k(), bit, value(kind, row, free, freeOfRest));
            }
            for (long left = kind.tail(-1); left != 0; left &= left - 1) {
                int bit = Long.numberOfTrailingZeros(left);
                int row = (restPivots >>> bit & 1) == 0 ? -1 : rows[Integer.SIZE + bit];
                put(solutionsOfRest, kind.k(), bit, value(kind, row, free, freeOfRest));
            }
            for (int bit = 0; bit < kind.k(); bit++) {
                long ofTail = solutionsOfRest[bit] >>> Integer.SIZE;
                kind.write(words, line, bit, solutions[bit], ofTail, bumps);
            }
        }

        /** Puts a column's value for each bit of the fingerprints into its solution. */
        private static void put(long[] solutions, int k, int column, long value) {
            for (int bit = 0; bit < k; bit++) {
                solutions[bit] |= (value >>> bit & 1) << column;
            }
        }

        /** Returns the value of the column that is the pivot of a row, or of a free one. */
        private long value(RibbonLine kind, int row, long free, long freeOfRest) {
            long ones = kind.fingerprint(-1);
            if (row < 0) {
                return ones;
            }
            int set = Long.bitCount(heads[row] & free) + Long.bitCount(rests[row] & freeOfRest);
            return (rests[row] & ones) ^ (ones & -(set & 1));
        }
    }
}
