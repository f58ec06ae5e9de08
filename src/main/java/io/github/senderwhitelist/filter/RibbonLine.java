package io.github.senderwhitelist.filter;

import java.util.List;

/**
 * A kind of line of a {@link RibbonFilter}: how 512 bits, one cache line, hold the fingerprints of
 * a set of keys. Each key is an equation over GF(2). It selects columns of the line. Their sum
 * (exclusive or) is the key's fingerprint of k bits. For a stranger it is a random number.
 *
 * <p>Bit p of a word belongs to bit p mod k of the fingerprint. So a mask of the bits that a key
 * selects is all that a word needs; the sums of all k bits come out side by side.
 *
 * <p>Where k is more than 8, a column is a group of k neighbouring bits of one of the eight words.
 * The group that begins at bit g·k of word j is selected by bit g·k + j of the key's equation.
 *
 * <p>Lines of k = 7 and 8 have no such groups: bit p of word j is selected by bit p − j of the
 * equation, modulo 64. Masks are then rotations of the equation. Each bit of the fingerprint has
 * the same columns in another place. Lines of k = 7 have room for 63 of the 64 columns. As
 * equations have even parity, the complement of a solution is one, too, and one of both does
 * without the column that is missing. The last word of k = 7 has nine columns more, groups that are
 * selected by bits of the key's second hash.
 *
 * <p>A line that gets more keys than it can hold passes some of them on to another line. The keys
 * are divided into nine bins. Eight small ones have a bump bit each, which says that the bin's keys
 * are passed on. The large bin is passed on when the first two bump bits are set. Bump bit b is the
 * highest bit of word b. With k = 8, where no word has a bit left, it is bit 63 − b of the last
 * word. These eight belong to different bits of the fingerprint; of a solution and its complement
 * one has the right bump bit there.
 *
 * <p>The lowest bit of every fingerprint is 1. So lines without keys, which are 0, hold nothing.
 *
 * <p>Bits 33 to 63 of the second hash are for the fingerprint, bits 20 to 27 for the bin.
 */
final class RibbonLine {
    static final int WORDS = 8;
    static final int BUMP_BITS = 8;

    /** The number of the bin that has no bump bit of its own. */
    static final int LARGE_BIN = 8;

    /** A set of bump bits that passes on the large bin. */
    static final int BUMPS_LARGE_BIN = 0b11;

    /**
     * The kinds of lines, k ascending: with their planned load, in keys per column, and the share
     * that is passed on then, as measured. Other k would take as many bits as the next one here,
     * because a word is divided into whole groups.
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

    final int k;

    /** The number of keys that a line is planned for. */
    final double keys;

    final double passed;

    /** The columns that equations select from, those of the tail left out. */
    final long columns;

    /** The number of all columns: the most keys that are certain to fit at best. */
    final int size;

    /** The lowest bit of each group. */
    private final long groups;

    /** The lowest bit of each group of the last word that the second hash selects. */
    private final long tail;

    /** All ones if the equation selects the columns of the last word. */
    private final long last;

    /** 7 if all bump bits are in the last word, else 0. */
    private final int packed;

    /** The shifts that add up nine groups, in two steps; bit 63 is 0 where they are cut off. */
    private final int fold3;

    private final int fold6;

    private RibbonLine(int k, double load, double passed) {
        this.k = k;
        this.passed = passed;
        long lowest = 0;
        for (int bit = 0; bit + k <= Long.SIZE; bit += k) {
            lowest |= 1L << bit;
        }
        this.groups = lowest;
        this.tail = k < WORDS ? lowest : 0;
        this.last = k < WORDS ? 0 : -1;
        this.packed = k == WORDS ? WORDS - 1 : 0;
        long selected = 0;
        for (int word = 0; word < Math.min(k, WORDS); word++) {
            selected |= lowest << word;
        }
        this.columns = selected & ~Long.MIN_VALUE;
        this.size = Long.bitCount(columns) + Long.bitCount(tail);
        this.keys = load * size;
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

    /** Returns a second hash of a key. */
    static long second(long hash) {
        long mixed = (hash ^ (hash >>> 32)) * 0x9fb21c651e98df25L;
        return mixed ^ (mixed >>> 29);
    }

    static int bin(long second) {
        return BINS[(int) (second >>> 20) & 0xff];
    }

    long fingerprint(long second) {
        return second >>> (Long.SIZE - k) | 1;
    }

    /** Returns whether masks are rotations of the equation. */
    private boolean isRotated() {
        return k <= WORDS;
    }

    /** Returns which of {@link #columns} the equation of a key selects. */
    long equation(long mixed) {
        return (isRotated() ? even(mixed) : mixed) & columns;
    }

    /** Returns an equation of even parity. */
    private static long even(long mixed) {
        return mixed ^ Long.rotateLeft(mixed, 1);
    }

    /** Returns in the high word the columns of the tail that the equation of a key selects. */
    long tail(long second) {
        return Long.compress(second, tail) << Integer.SIZE;
    }

    /** Returns the bits of the groups of which the lowest bits are given: all ones in each. */
    private long spread(long lowest) {
        return (lowest << k) - lowest;
    }

    /** Returns a negative number if a line passes on the keys of a bin. */
    long passes(long[] words, int line, long second) {
        int bin = bin(second);
        int i = bin & (BUMP_BITS - 1);
        int j = i | (bin >>> 3);
        return (words[line + (i | packed)] << (i & packed))
                & (words[line + (j | packed)] << (j & packed));
    }

    /** Returns 0 if the line yields the fingerprint of a key, whose equation is of a hash. */
    long difference(long[] words, int line, long mixed, long second) {
        long sum =
                isRotated()
                        ? rotatedSum(words, line, even(mixed), second)
                        : spreadSum(words, line, mixed & columns);
        sum ^= (sum >>> fold3) ^ (sum >>> fold6);
        sum ^= (sum >>> k) ^ (sum >>> (2 * k));
        return (sum ^ fingerprint(second)) << (Long.SIZE - k);
    }

    private long rotatedSum(long[] words, int line, long equation, long second) {
        long ofLast = (Long.rotateLeft(equation, 7) & last) | spread(second & tail);
        return (words[line] & equation)
                ^ (words[line + 1] & Long.rotateLeft(equation, 1))
                ^ (words[line + 2] & Long.rotateLeft(equation, 2))
                ^ (words[line + 3] & Long.rotateLeft(equation, 3))
                ^ (words[line + 4] & Long.rotateLeft(equation, 4))
                ^ (words[line + 5] & Long.rotateLeft(equation, 5))
                ^ (words[line + 6] & Long.rotateLeft(equation, 6))
                ^ (words[line + 7] & ofLast);
    }

    private long spreadSum(long[] words, int line, long equation) {
        return (words[line] & spread(equation & groups))
                ^ (words[line + 1] & spread(equation >>> 1 & groups))
                ^ (words[line + 2] & spread(equation >>> 2 & groups))
                ^ (words[line + 3] & spread(equation >>> 3 & groups))
                ^ (words[line + 4] & spread(equation >>> 4 & groups))
                ^ (words[line + 5] & spread(equation >>> 5 & groups))
                ^ (words[line + 6] & spread(equation >>> 6 & groups))
                ^ (words[line + 7] & spread(equation >>> 7 & groups));
    }

    /**
     * Writes the columns of one bit of the fingerprints.
     *
     * @param solution the columns, numbered as in {@link #equation}
     * @param ofTail those of the tail, from bit 0 on
     */
    void write(long[] words, int line, int bit, long solution, long ofTail, int bumps) {
        long fitting = isRotated() ? fitting(bit, solution, bumps) : solution;
        for (int j = 0; j < Math.min(k, WORDS); j++) {
            words[line + j] |=
                    isRotated()
                            ? Long.rotateLeft(fitting, j) & (groups << bit)
                            : (fitting >>> j & groups) << bit;
        }
        words[line + WORDS - 1] |= Long.expand(ofTail, groups) << bit;
    }

    /** Returns the one of a solution and its complement that fits into rotated columns. */
    private long fitting(int bit, long solution, int bumps) {
        int given = (k == WORDS ? Long.SIZE - 2 * WORDS + 1 : Long.SIZE - k) + bit;
        int wanted = k == WORDS ? bumps >>> (WORDS - 1 - bit) & 1 : 0;
        return (solution >>> given & 1) == wanted ? solution : ~solution;
    }

    void setBump(long[] words, int line, int bin) {
        words[line + (bin | packed)] |= Long.MIN_VALUE >>> (bin & packed);
    }
}
