package io.github.senderwhitelist.coding;

import java.util.Arrays;

/**
 * The lengths of an optimal prefix code whose codes have the order of the symbols and are not
 * longer than a limit, by dynamic programming over all runs of symbols.
 *
 * @see "E. N. Gilbert and E. F. Moore: Variable-length binary encodings, Bell System Technical
 *     Journal 38 (1959)"
 */
final class OrderedLengths {
    private static final long IMPOSSIBLE = Long.MAX_VALUE / 4;

    private final int symbols;

    /** How often the symbols before each one occur. */
    private final long[] before;

    /** The bits that the symbols of a run take, by longest code, begin, and end of the run. */
    private final long[][][] bits;

    private final byte[] lengths;

    private OrderedLengths(int[] counts, int most) {
        symbols = counts.length;
        before = new long[symbols + 1];
        for (int symbol = 0; symbol < symbols; symbol++) {
            before[symbol + 1] = before[symbol] + counts[symbol];
        }
        bits = new long[most + 1][symbols][symbols + 1];
        lengths = new byte[symbols];
    }

    /**
     * Returns the length of the code of each symbol.
     *
     * @param counts how often each symbol occurs
     * @param most the longest length; there are at least 2 and at most 2 to its power symbols
     */
    static byte[] of(int[] counts, int most) {
        OrderedLengths all = new OrderedLengths(counts, most);
        for (int longest = 0; longest <= most; longest++) {
            all.addBits(longest);
        }
        all.split(most, 0, counts.length, 0);
        return all.lengths;
    }

    private void addBits(int longest) {
        for (int from = 0; from < symbols; from++) {
            Arrays.fill(bits[longest][from], IMPOSSIBLE);
            bits[longest][from][from + 1] = 0;
            for (int to = from + 2; longest > 0 && to <= symbols; to++) {
                int at = best(longest, from, to);
                bits[longest][from][to] = Math.min(IMPOSSIBLE, parted(longest, from, at, to));
            }
        }
    }

    /** Returns the symbol before which splitting a run costs the fewest bits. */
    private int best(int longest, int from, int to) {
        int best = from + 1;
        long least = Long.MAX_VALUE;
        for (int at = from + 1; at < to; at++) {
            long bits = parted(longest, from, at, to);
            if (bits < least) {
                least = bits;
                best = at;
            }
        }
        return best;
    }

    private long parted(int longest, int from, int at, int to) {
        return bits[longest - 1][from][at] + bits[longest - 1][at][to] + before[to] - before[from];
    }

    private void split(int longest, int from, int to, int length) {
        if (to - from == 1) {
            lengths[from] = (byte) length;
            return;
        }
        int at = best(longest, from, to);
        split(longest - 1, from, at, length + 1);
        split(longest - 1, at, to, length + 1);
    }
}
