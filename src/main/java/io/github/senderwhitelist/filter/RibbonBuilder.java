package io.github.senderwhitelist.filter;

import java.io.IOException;
import java.util.function.LongConsumer;

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

    /** The hashes ordered by their bins, their equations, and where each bin begins and ends. */
    private final long[] ordered = new long[MAX_KEYS];

    private final long[] heads = new long[MAX_KEYS];
    private final long[] rests = new long[MAX_KEYS];
    private final int[] bounds = new int[BINS + 1];

    /** For each set of bump bits, how many keys of small bins it passes on. */
    private final int[] costs = new int[SETS];

    /** For each set, how many keys it passes on, and in the lowest bits the set. */
    private final int[] ranks = new int[SETS];

    private final Equations withLarge = new Equations();
    private final Equations withoutLarge = new Equations();

    RibbonBuilder(long[] words, RibbonMix.Level level, SortedHashes passed) {
        this.words = words;
        this.level = level;
        this.passed = passed;
        this.kind = level.less();
    }

    /** Solves the lines of these hashes. Now and then {@code progress} takes how many are done. */
    void addAll(SortedHashes all, LongConsumer progress) throws IOException {
        long done = 0;
        for (long[] part = all.nextPart(); part != null; part = all.nextPart()) {
            for (int i = 0; i < part.length; i++) {
                if (i == 0 || part[i] != part[i - 1]) {
                    add(part[i]);
                }
            }
            done += part.length;
            progress.accept(done);
        }
        finish();
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
    private void finish() throws IOException {
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
                    passOn(ordered, bounds[bin], bounds[bin + 1]);
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

    private void orderByBins() {
        int place = 0;
        for (int bin = 0; bin < BINS; bin++) {
            for (int i = 0; i < size; i++) {
                long second = RibbonLine.second(hashes[i]);
                if (RibbonLine.bin(second) == bin) {
                    ordered[place] = hashes[i];
                    heads[place] = kind.equation(RibbonFilter.next(hashes[i]));
                    rests[place++] = kind.tail(second) | kind.fingerprint(second);
                }
            }
            bounds[bin + 1] = place;
        }
    }

    /** Returns the set of bump bits that passes on the fewest keys so that the others fit. */
    private int solve() {
        withLarge.size = 0;
        boolean largeFits = insert(withLarge, RibbonLine.LARGE_BIN);
        int largeEnd = withLarge.size;
        for (int set = 0; set < SETS; set++) {
            int bin = Integer.numberOfTrailingZeros(set | SETS);
            costs[set] = set == 0 ? 0 : costs[set & (set - 1)] + bounds[bin + 1] - bounds[bin];
            boolean passesLarge = passes(set, RibbonLine.LARGE_BIN);
            int cost = costs[set] + (passesLarge ? size - bounds[RibbonLine.LARGE_BIN] : 0);
            boolean isPossible = size - cost <= kind.size && (passesLarge || largeFits);
            ranks[set] = isPossible ? cost << RibbonLine.BUMP_BITS | set : Integer.MAX_VALUE;
        }
        while (true) {
            // The lower of two sets with equal cost comes first. That of all bins always fits.
            int least = Integer.MAX_VALUE;
            for (int rank : ranks) {
                least = Math.min(least, rank);
            }
            int set = least & (SETS - 1);
            boolean passesLarge = passes(set, RibbonLine.LARGE_BIN);
            Equations equations = passesLarge ? withoutLarge : withLarge;
            equations.size = passesLarge ? 0 : largeEnd;
            if (fits(equations, set)) {
                return set;
            }
            ranks[set] = Integer.MAX_VALUE;
        }
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
        for (int i = bounds[bin]; i < bounds[bin + 1]; i++) {
            if (!into.add(heads[i], rests[i])) {
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
            long free = kind.columns;
            long freeOfTail = kind.tail(-1);
            for (int i = 0; i < size; i++) {
                free &= ~headPivots[i];
                freeOfTail &= ~tailPivots[i];
            }
            for (int bit = 0; bit < kind.k; bit++) {
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
