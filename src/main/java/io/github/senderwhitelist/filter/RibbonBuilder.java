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

    private final Equations withLarge = new Equations();
    private final Equations withoutLarge = new Equations();

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
            Equations solved = passes(set, RibbonLine.LARGE_BIN) ? withoutLarge : withLarge;
            solved.writeSolution(kind, words, line, set);
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
        int end = 0;
        for (int bin = 0; bin < BINS; bin++) {
            for (int i = 0; i < size; i++) {
                if (RibbonLine.bin(RibbonLine.second(hashes[i])) == bin) {
                    ordered[end++] = hashes[i];
                }
            }
            ends[bin] = end;
        }
    }

    /** Returns the set of bump bits that passes on the fewest keys so that the others fit. */
    private int solve() {
        withLarge.size = 0;
        boolean largeFits = insert(withLarge, RibbonLine.LARGE_BIN);
        int largeEnd = withLarge.size;
        int[] ranks = new int[SETS];
        for (int set = 1; set < SETS; set++) {
            int bin = Integer.numberOfTrailingZeros(set);
            ranks[set] = ranks[set & (set - 1)] + ends[bin] - start(bin);
        }
        for (int set = 0; set < SETS; set++) {
            int ofLarge =
                    passes(set, RibbonLine.LARGE_BIN) ? size - start(RibbonLine.LARGE_BIN) : 0;
            // The lower of two sets with equal cost comes first.
            ranks[set] = ((ranks[set] + ofLarge) << RibbonLine.BUMP_BITS) | set;
        }
        Arrays.sort(ranks);
        for (int rank : ranks) {
            int set = rank & (SETS - 1);
            boolean passesLarge = passes(set, RibbonLine.LARGE_BIN);
            Equations equations = passesLarge ? withoutLarge : withLarge;
            equations.size = passesLarge ? 0 : largeEnd;
            if (size - (rank >>> RibbonLine.BUMP_BITS) <= kind.columns()
                    && (passesLarge || largeFits)
                    && fits(equations, set)) {
                return set;
            }
        }
        throw new IllegalStateException("no keys always fit");
    }

    /** Returns whether the keys of the small bins that a set of bump bits leaves fit, too. */
    private boolean fits(Equations equations, int set) {
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
     * A consistent system of equations in echelon form: each equation has a column, its pivot, that
     * no later one has. Those after the first few can be dropped by reducing the size.
     */
    private static final class Equations {
        private static final int MAX_EQUATIONS = 72;

        /** The columns of each equation, those of the tail left out. */
        private final long[] heads = new long[MAX_EQUATIONS];

        /** Of each equation, the columns of the tail in the high word, and its result. */
        private final long[] rests = new long[MAX_EQUATIONS];

        /** The pivots: a bit of the head, or else one of the tail. */
        private final long[] headPivots = new long[MAX_EQUATIONS];

        private final long[] tailPivots = new long[MAX_EQUATIONS];

        private int size;

        /** Adds an equation; returns false if it contradicts the others. */
        boolean add(long head, long rest) {
            long headLeft = head;
            long restLeft = rest;
            for (int i = 0; i < size; i++) {
                long pivot = (headLeft & headPivots[i]) | (restLeft & tailPivots[i]);
                // All ones if there is the pivot: a branch would be predicted wrongly half the
                // time.
                long has = (pivot | -pivot) >> (Long.SIZE - 1);
                headLeft ^= heads[i] & has;
                restLeft ^= rests[i] & has;
            }
            long tail = restLeft >>> Integer.SIZE << Integer.SIZE;
            if (headLeft == 0 && tail == 0) {
                return restLeft == 0;
            }
            heads[size] = headLeft;
            rests[size] = restLeft;
            headPivots[size] = Long.lowestOneBit(headLeft);
            tailPivots[size++] = headLeft == 0 ? Long.lowestOneBit(tail) : 0;
            return true;
        }

        /** Writes a solution: columns that are no pivot are all ones. */
        void writeSolution(RibbonLine kind, long[] words, int line, int bumps) {
            long free = kind.allColumns();
            long freeOfTail = kind.tail(-1);
            for (int i = 0; i < size; i++) {
                free &= ~headPivots[i];
                freeOfTail &= ~tailPivots[i];
            }
            for (int bit = 0; bit < kind.k(); bit++) {
                long solution = free;
                long ofTail = freeOfTail;
                for (int i = size - 1; i >= 0; i--) {
                    int others =
                            Long.bitCount(heads[i] & solution) + Long.bitCount(rests[i] & ofTail);
                    long value = -(((rests[i] >>> bit) ^ others) & 1);
                    solution |= headPivots[i] & value;
                    ofTail |= tailPivots[i] & value;
                }
                kind.write(words, line, bit, solution, ofTail >>> Integer.SIZE, bumps);
            }
        }
    }
}
