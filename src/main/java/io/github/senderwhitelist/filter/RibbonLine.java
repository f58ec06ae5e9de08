package io.github.senderwhitelist.filter;

import java.util.List;

/**
 * A kind of line of a {@link RibbonFilter}: how 512 bits, one cache line, hold the fingerprints of
 * a set of keys.
 *
 * <p>Each key is an equation over GF(2). It selects columns of the line. Their sum (exclusive or)
 * is the key's fingerprint of k bits. For a stranger it is a random number.
 *
 * <p>A column is a group of k neighbouring bits of one of the eight words. The group that begins at
 * bit g·k of word j is selected by bit g·k + j of the key's equation. Lines of k = 7 have nine
 * columns more, those of the last word; they are selected by bits of the key's second hash.
 *
 * <p>A line that gets more keys than it can hold passes some of them on to another line. The keys
 * are divided into nine bins. Eight small ones have a bump bit each, which says that the bin's keys
 * are passed on. The large bin is passed on when the first two bump bits are set. Bump bit b is the
 * highest bit of word b; with k = 8, where no word has a bit left, bit 63 − b of the last word,
 * whose highest column is given up.
 *
 * <p>Bits 33 to 63 of the second hash are for the fingerprint, bits 20 to 27 for the bin.
 */
final class RibbonLine {
    static final int WORDS = 8;

    /** The bump bits. */
    static final int BUMP_BITS = 8;

    /** The number of the bin that has no bump bit of its own. */
    static final int LARGE_BIN = 8;

    /** A set of bump bits that passes on the large bin. */
    static final int BUMPS_LARGE_BIN = 0b11;

    /**
     * The kinds of lines, k ascending. Other k would take as many bits as the next one here,
     * because a word is divided into whole groups.
     *
     * <p>Load is the number of keys that a line is planned for, per column. Passed is the share of
     * them that is passed on then; these shares were measured.
     */
    static final List<RibbonLine> ALL =
            List.of(
                    new RibbonLine(7, 1.115, 0.118),
                    new RibbonLine(8, 1.14, 0.136),
                    new RibbonLine(9, 1.14, 0.139),
                    new RibbonLine(10, 1.16, 0.157),
                    new RibbonLine(12, 1.16, 0.165),
                    new RibbonLine(15, 1.13, 0.158),
                    new RibbonLine(21, 1.13, 0.182),
                    new RibbonLine(31, 1.08, 0.200));

    /** The sizes of the bins of 256. Small bins differ, so that about any number can be passed. */
    private static final int[] BIN_SIZES = {20, 19, 18, 17, 15, 13, 11, 7, 136};

    private static final byte[] BINS = bins();

    private final int k;
    private final double load;
    private final double passed;

    /** The lowest bit of each group. */
    private final long groups;

    /** The bits of an equation. */
    private final long columns;

    /** All ones if the second hash selects the columns of the last word. */
    private final long tail;

    /** 7 if all bump bits are in the last word, else 0. */
    private final int packed;

    /** The shifts that add up nine groups, in two steps; bit 63 is 0 where they are cut off. */
    private final int fold3;

    private final int fold6;

    private RibbonLine(int k, double load, double passed) {
        this.k = k;
        this.load = load;
        this.passed = passed;
        long lowest = 0;
        for (int bit = 0; bit + k <= Long.SIZE; bit += k) {
            lowest |= 1L << bit;
        }
        this.groups = lowest;
        this.tail = k < WORDS ? -1 : 0;
        this.packed = k == WORDS ? WORDS - 1 : 0;
        long selected = 0;
        for (int word = 0; word < Math.min(k, WORDS); word++) {
            selected |= lowest << word;
        }
        this.columns = selected & ~Long.MIN_VALUE;
        this.fold3 = Math.min(3 * k, Long.SIZE - 1);
        this.fold6 = Math.min(6 * k, Long.SIZE - 1);
    }

    private static byte[] bins() {
        byte[] bins = new byte[256];
        int at = 256;
        for (int bin = 0; bin < BIN_SIZES.length; bin++) {
            for (int i = 0; i < BIN_SIZES[bin]; i++) {
                bins[--at] = (byte) bin;
            }
        }
        return bins;
    }

    int k() {
        return k;
    }

    /** Returns the number of keys that a line is planned for. */
    double keys() {
        return load * columns();
    }

    /** Returns the share of these keys that is passed on. */
    double passed() {
        return passed;
    }

    /** Returns the number of columns: the most keys that are certain to fit at best. */
    int columns() {
        return Long.bitCount(columns) + Long.bitCount(tail & groups);
    }

    /** Returns a second hash of a key. */
    static long second(long hash) {
        long mixed = (hash ^ (hash >>> 32)) * 0x9fb21c651e98df25L;
        return mixed ^ (mixed >>> 29);
    }

    static int bin(long second) {
        return BINS[(int) (second >>> 20) & 0xff];
    }

    long fingerprint(long second) {
        return second >>> (Long.SIZE - k);
    }

    /** Returns the columns that the equation of a key selects, those of the tail left out. */
    long equation(long mixed) {
        return mixed & columns;
    }

    /** Returns in the high word the columns of the tail that the equation of a key selects. */
    long tail(long second) {
        return Long.compress(second, tail & groups) << Integer.SIZE;
    }

    /** Returns the bits of the columns of which the lowest bits are given: all ones in each. */
    private long spread(long selected) {
        long lowest = selected & groups;
        return (lowest << k) - lowest;
    }

    /** Returns whether a line passes on the keys of a bin. */
    boolean passes(long[] words, int line, long second) {
        int bin = bin(second);
        int i = bin & (BUMP_BITS - 1);
        int j = i | (bin >>> 3);
        long both =
                (words[line + (i | packed)] << (i & packed))
                        & (words[line + (j | packed)] << (j & packed));
        return both < 0;
    }

    /**
     * Returns 0 in the lowest k bits if the line yields the fingerprint of a key.
     *
     * @param mixed the hash that gives the equation
     */
    long difference(long[] words, int line, long mixed, long second) {
        long equation = equation(mixed);
        long last = ((equation >>> 7) & ~tail) | (second & tail);
        long sum =
                (words[line] & spread(equation))
                        ^ (words[line + 1] & spread(equation >>> 1))
                        ^ (words[line + 2] & spread(equation >>> 2))
                        ^ (words[line + 3] & spread(equation >>> 3))
                        ^ (words[line + 4] & spread(equation >>> 4))
                        ^ (words[line + 5] & spread(equation >>> 5))
                        ^ (words[line + 6] & spread(equation >>> 6))
                        ^ (words[line + 7] & spread(last));
        sum ^= (sum >>> fold3) ^ (sum >>> fold6);
        sum ^= (sum >>> k) ^ (sum >>> (2 * k));
        return (sum ^ fingerprint(second)) << (Long.SIZE - k);
    }

    /** Sets a column, given by its bit of the equation. */
    void setColumn(long[] words, int line, int bit, long value) {
        int word = bit % k;
        words[line + word] |= value << (bit - word);
    }

    /** Sets a column of the tail. */
    void setTail(long[] words, int line, int column, long value) {
        words[line + WORDS - 1] |= value << (column * k);
    }

    void setBump(long[] words, int line, int bin) {
        words[line + (bin | packed)] |= Long.MIN_VALUE >>> (bin & packed);
    }
}
