package io.github.senderwhitelist.filter;

import java.io.IOException;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * A static filter that answers from one cache line. A key's hash chooses a line of 512 bits. Within
 * it each key is an equation over GF(2): the bits of the line that it selects yield the key's
 * fingerprint of k bits. For a stranger they yield random bits. So the rate is 2^−k, at little more
 * than k bits per key.
 *
 * <p>Sources: P. C. Dillinger, S. Walzer, "Ribbon filter: practically smaller than Bloom and xor"
 * (2021), for banded equations and their elimination on the fly; P. C. Dillinger, L. Hübschle-
 * Schneider, P. Sanders, S. Walzer, "Fast succinct retrieval and approximate membership using
 * ribbon" (2022), for bumping by a threshold.
 *
 * <p>A line has c = ⌊504 / k⌋ columns of k bits: bit i of column j is bit i · c + j of the line. An
 * equation selects from up to 64 neighbouring columns. Bits 504 to 511 hold the threshold. 0 means
 * that the line has no keys. Else the line holds the keys whose place in the queue, from 0 to
 * {@value #PLACES} − 1, is less than the threshold − 1.
 *
 * <p>About a tenth of the keys do not fit; they are kept in the next, smaller level. Keys that do
 * not fit into the fourth and last level need not be kept, because it answers true for what it does
 * not hold. The equation, place and fingerprint of a key come from two remixes of its hash; the
 * second remix is its hash for the next level.
 *
 * <p>Serial form: the lines of the first level, then those of the next ones.
 */
final class RibbonFilter implements Filter {
    /** With fewer bits a line has so many columns that those at its ends are seldom used. */
    static final int LEAST_K = 4;

    /** With more bits, a line has too few columns. */
    static final int MOST_K = 30;

    private static final int LINE_WORDS = 8;
    private static final int COLUMN_BITS = 504;
    private static final int LEVELS = 4;

    /** Keys of a level per column. */
    private static final double LOAD = 1.08;

    private static final int PLACES = 254;

    /** The threshold of a line that holds all its keys. */
    private static final int ALL_FIT = PLACES + 1;

    private static final long SECOND = 0x9e3779b97f4a7c15L;

    private final FilterShape shape;
    private final long[] words;
    private final long[] lines;
    private final int k;
    private final int columns;
    private final int starts;
    private final long mask;

    RibbonFilter(FilterShape shape) {
        this.shape = shape;
        this.words = Words.allocate(shape.m());
        this.k = shape.k();
        this.columns = columns(k);
        this.lines = lines(shape.m() / FilterShape.STEP, columns);
        this.starts = Math.max(1, columns - Long.SIZE + 1);
        this.mask = columns >= Long.SIZE ? -1 : (1L << columns) - 1;
    }

    /** Returns the columns of a line. */
    static int columns(int k) {
        return COLUMN_BITS / k;
    }

    /**
     * Returns the share of the keys of a level that does not fit if there are {@value #LOAD} times
     * as many keys as columns. The formula was fitted to simulations.
     */
    private static double bumped(int columns) {
        return Math.max(0.106, 0.08 + 2.2 / columns);
    }

    /** Returns the lines of each level relative to those of the first. */
    private static double[] weights(int columns) {
        double[] weights = new double[LEVELS];
        for (int level = 0; level < LEVELS; level++) {
            weights[level] = Math.pow(bumped(columns), level);
        }
        // Nearly all keys must fit into the last level.
        weights[LEVELS - 1] *= 3;
        return weights;
    }

    /** Divides lines among the levels. */
    static long[] lines(long all, int columns) {
        long[] lines = new long[(int) Math.min(all, LEVELS)];
        double[] weights = weights(columns);
        double sum = Arrays.stream(weights).sum();
        lines[0] = all;
        for (int level = 1; level < lines.length; level++) {
            lines[level] = Math.max(1, Math.round(weights[level] / sum * all));
            lines[0] -= lines[level];
        }
        return lines;
    }

    /** Gives the levels as many lines as their shares of the keys need. */
    static final class Design implements StaticDesign {
        @Override
        public FilterShape plan(FilterSize size, long n) {
            int k =
                    size.byRate()
                            ? size.fingerprintBits(FilterKind.RIBBON, MOST_K, 0)
                            : size.greatestK(MOST_K, n, Design::bits);
            k = Math.max(k, LEAST_K);
            return new FilterShape(FilterKind.RIBBON, FilterShape.roundUp(bits((double) n, k)), k);
        }

        private static double bits(double n, int k) {
            int columns = columns(k);
            if (3 * n <= columns) {
                return FilterShape.STEP;
            }
            double lines = n / (LOAD * columns) * Arrays.stream(weights(columns)).sum();
            return FilterShape.STEP * (Math.ceil(lines) + 2);
        }

        @Override
        public double reads(FilterShape shape) {
            return 1.1;
        }

        @Override
        public Filter create(FilterShape shape) {
            return new RibbonFilter(shape);
        }

        @Override
        public Filter build(FilterShape shape, SortedHashes hashes, Supplier<SortedHashes> more)
                throws IOException {
            RibbonFilter filter = new RibbonFilter(shape);
            filter.solve(hashes, more);
            return filter;
        }

        @Override
        public String brokenLimit(long m, int k, int rows) {
            return k >= LEAST_K && k <= MOST_K && rows == 1
                    ? ""
                    : "k of " + LEAST_K + " to " + MOST_K + ", one row";
        }
    }

    @Override
    public boolean mightContain(long hash) {
        long at = hash;
        int level = Words.FIRST;
        for (long count : lines) {
            long second = Words.remix(at ^ SECOND);
            int line = level + (int) Math.unsignedMultiplyHigh(at, count) * LINE_WORDS;
            int threshold = (int) (words[line + LINE_WORDS - 1] >>> 56);
            if (place(second) < threshold - 1) {
                return matches(line, at, second);
            }
            if (threshold == 0) {
                return false;
            }
            level += (int) count * LINE_WORDS;
            at = second;
        }
        return true;
    }

    /** Returns whether the line yields the fingerprint of a key. */
    private boolean matches(int line, long hash, long second) {
        long equation = equation(hash);
        long fingerprint = fingerprint(second);
        int bit = start(second);
        long wrong = 0;
        for (int i = 0; i < k; i++) {
            int word = bit >>> 6;
            // The equation selects nothing after the last word.
            long window =
                    (words[line + word] >>> bit)
                            | (words[line + ((word + 1) & (LINE_WORDS - 1))] << 1 << ~bit);
            wrong |= Long.bitCount(window & equation) ^ fingerprint;
            fingerprint >>>= 1;
            bit += columns;
        }
        return (wrong & 1) == 0;
    }

    private long equation(long hash) {
        return (Words.remix(hash) | 1) & mask;
    }

    private static int place(long second) {
        return (int) (((second & 0xff) * PLACES) >>> 8);
    }

    private int start(long second) {
        return (int) ((((second >>> 8) & 0xffff) * starts) >>> 16);
    }

    private long fingerprint(long second) {
        return (second >>> 24) & ((1L << k) - 1);
    }

    @Override
    public FilterShape shape() {
        return shape;
    }

    @Override
    public void write(long first, LongBuffer into) {
        Words.write(first, into, words);
    }

    @Override
    public void read(long first, LongBuffer from) {
        Words.read(first, from, words);
    }

    /** Solves level by level, each with the hashes that did not fit into the one before. */
    private void solve(SortedHashes hashes, Supplier<SortedHashes> more) throws IOException {
        SortedHashes left = hashes;
        long first = 0;
        for (long count : lines) {
            try (SortedHashes these = left) {
                left = more.get();
                Builder builder = new Builder(first, count, left);
                these.forEach(builder::add);
                builder.finish();
            }
            first += count;
        }
        left.close();
    }

    /** Solves line by line, given the hashes of a level in ascending order. */
    private final class Builder {
        private final long firstLine;
        private final long count;
        private final SortedHashes bumped;
        private long[] hashes = new long[256];
        private long[] order = new long[256];
        private int size;
        private long line;

        private final long[] equations = new long[columns];
        private final long[] results = new long[columns];
        private final long[] solved = new long[k];

        Builder(long firstLine, long count, SortedHashes bumped) {
            this.firstLine = firstLine;
            this.count = count;
            this.bumped = bumped;
        }

        void add(long hash) throws IOException {
            long its = Math.unsignedMultiplyHigh(hash, count);
            if (its != line) {
                finish();
                line = its;
            }
            if (size == hashes.length) {
                hashes = Arrays.copyOf(hashes, 2 * size);
                order = Arrays.copyOf(order, 2 * size);
            }
            hashes[size++] = hash;
        }

        void finish() throws IOException {
            if (size == 0) {
                return;
            }
            for (int i = 0; i < size; i++) {
                order[i] = (long) place(Words.remix(hashes[i] ^ SECOND)) << 32 | i;
            }
            Arrays.sort(order, 0, size);
            Arrays.fill(equations, 0);
            int threshold = ALL_FIT;
            for (int i = 0; i < size; i++) {
                long hash = hashes[(int) order[i]];
                if (!insert(equation(hash), Words.remix(hash ^ SECOND))) {
                    threshold = (int) (order[i] >>> 32) + 1;
                    break;
                }
            }
            for (int i = size - 1; i >= 0 && order[i] >>> 32 >= threshold - 1; i--) {
                bumped.add(Words.remix(hashes[(int) order[i]] ^ SECOND));
            }
            solve(threshold);
            size = 0;
        }

        /** Adds an equation to those of the line; returns false if it contradicts them. */
        private boolean insert(long equation, long second) {
            int column = start(second);
            long left = equation;
            long result = fingerprint(second);
            while (left != 0) {
                int zeros = Long.numberOfTrailingZeros(left);
                column += zeros;
                left >>>= zeros;
                if (equations[column] == 0) {
                    equations[column] = left;
                    results[column] = result;
                    return true;
                }
                left ^= equations[column];
                result ^= results[column];
            }
            return result == 0;
        }

        /** Solves the equations of the line by back substitution. */
        private void solve(int threshold) {
            int base = Words.FIRST + (int) (firstLine + line) * LINE_WORDS;
            Arrays.fill(solved, 0);
            for (int column = columns - 1; column >= 0; column--) {
                long equation = equations[column];
                for (int i = 0; i < k; i++) {
                    solved[i] <<= 1;
                    if (equation != 0) {
                        long bit =
                                (Long.bitCount(solved[i] & equation) ^ (results[column] >>> i)) & 1;
                        solved[i] |= bit;
                        int at = i * columns + column;
                        words[base + (at >>> 6)] |= bit << at;
                    }
                }
            }
            words[base + LINE_WORDS - 1] |= (long) threshold << 56;
        }
    }
}
