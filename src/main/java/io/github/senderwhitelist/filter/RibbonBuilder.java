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
    private static final int MOST_KEYS = 512;

    private static final int SETS = 1 << RibbonLine.BUMP_BITS;
    private static final int BINS = RibbonLine.BUMP_BITS + 1;

    private final long[] words;
    private final RibbonFilter.Level level;
    private final SortedHashes passed;

    private int line = -1;
    private RibbonLine kind;
    private boolean overfull;

    private final long[] hashes = new long[MOST_KEYS];
    private int size;

    /** The hashes ordered by their bins, and where each bin ends. */
    private final long[] ordered = new long[MOST_KEYS];

    private final int[] ends = new int[BINS];
    private final int[] costs = new int[SETS];
    private final Equations large = new Equations();
    private final Equations equations = new Equations();

    RibbonBuilder(long[] words, RibbonFilter.Level level, SortedHashes passed) {
        this.words = words;
        this.level = level;
        this.passed = passed;
        this.kind = level.less();
    }

    void add(long hash) throws IOException {
        int its = level.word(hash);
        if (its != line) {
            finish();
            line = its;
            kind = level.line(hash);
        }
        if (size == MOST_KEYS) {
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
            equations.writeSolution(kind, words, line);
            // A last word of 0 would mean that the line has no keys.
            if (words[line + RibbonLine.WORDS - 1] == 0) {
                set |= 1 << (RibbonLine.BUMP_BITS - 1);
            }
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
            if (!into.add(equation, kind.tail(second), kind.fingerprint(second))) {
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
        /** By pivot: the columns of an equation, then those of the tail. 0 if there is none. */
        private final long[] heads = new long[2 * Long.SIZE];

        private final long[] tails = new long[2 * Long.SIZE];
        private final long[] results = new long[2 * Long.SIZE];
        private long pivots;
        private long tailPivots;

        void clear() {
            Arrays.fill(heads, 0);
            Arrays.fill(tails, 0);
            Arrays.fill(results, 0);
            pivots = 0;
            tailPivots = 0;
        }

        void copy(Equations from) {
            System.arraycopy(from.heads, 0, heads, 0, heads.length);
            System.arraycopy(from.tails, 0, tails, 0, tails.length);
            System.arraycopy(from.results, 0, results, 0, results.length);
            pivots = from.pivots;
            tailPivots = from.tailPivots;
        }

        /** Adds an equation; returns false if it contradicts the others. */
        boolean add(long equation, long ofTail, long fingerprint) {
            long head = equation;
            long tail = ofTail;
            long result = fingerprint;
            for (long known = equation & pivots; known != 0; known &= known - 1) {
                int row = Long.numberOfTrailingZeros(known);
                head ^= heads[row];
                tail ^= tails[row];
                result ^= results[row];
            }
            for (long known = ofTail & tailPivots; known != 0; known &= known - 1) {
                int row = Long.SIZE + Long.numberOfTrailingZeros(known);
                tail ^= tails[row];
                result ^= results[row];
            }
            if (head != 0) {
                int pivot = Long.numberOfTrailingZeros(head);
                pivots |= 1L << pivot;
                addReduced(heads, pivot, pivot, head, tail, result);
            } else if (tail != 0) {
                int pivot = Long.numberOfTrailingZeros(tail);
                tailPivots |= 1L << pivot;
                addReduced(tails, pivot, Long.SIZE + pivot, head, tail, result);
            } else {
                return result == 0;
            }
            return true;
        }

        /** Takes the new pivot out of all other equations. */
        private void addReduced(
                long[] having, int bit, int row, long head, long tail, long result) {
            for (int i = 0; i < heads.length; i++) {
                long has = -(having[i] >>> bit & 1);
                heads[i] ^= head & has;
                tails[i] ^= tail & has;
                results[i] ^= result & has;
            }
            heads[row] = head;
            tails[row] = tail;
            results[row] = result;
        }

        /** Writes a solution: columns that are no pivot are all ones. */
        void writeSolution(RibbonLine kind, long[] words, int line) {
            long ones = kind.fingerprint(-1);
            long free = kind.equation(-1) & ~pivots;
            long freeTail = kind.tail(-1) & ~tailPivots;
            for (long left = kind.equation(-1); left != 0; left &= left - 1) {
                int bit = Long.numberOfTrailingZeros(left);
                kind.setColumn(words, line, bit, value(free, freeTail, free >>> bit, bit, ones));
            }
            for (long left = kind.tail(-1); left != 0; left &= left - 1) {
                int bit = Long.numberOfTrailingZeros(left);
                int row = Long.SIZE + bit;
                kind.setTail(words, line, bit, value(free, freeTail, freeTail >>> bit, row, ones));
            }
        }

        private long value(long free, long freeTail, long isFree, int row, long ones) {
            if ((isFree & 1) != 0) {
                return ones;
            }
            int set = Long.bitCount(heads[row] & free) + Long.bitCount(tails[row] & freeTail);
            return results[row] ^ (ones & -(set & 1));
        }
    }
}
