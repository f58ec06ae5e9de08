package io.github.senderwhitelist.coding;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The lengths of an optimal prefix code none of whose codes is longer than a limit, by
 * package-merge.
 *
 * @see "L. L. Larmore and D. S. Hirschberg: A fast algorithm for optimal length-limited Huffman
 *     codes, Journal of the ACM 37 (1990)"
 */
final class CodeLengths {
    /** A package of symbols, and the sum of their counts. */
    private static final class Coin {
        final long weight;
        final int[] symbols;

        Coin(long weight, int... symbols) {
            this.weight = weight;
            this.symbols = symbols;
        }
    }

    private CodeLengths() {}

    /**
     * Returns the length of the code of each symbol; 0 for those that do not occur, and for the
     * only one.
     *
     * @param counts how often each symbol occurs
     * @param most the longest length; at most 2 to its power symbols may occur
     */
    static byte[] of(int[] counts, int most) {
        List<Coin> leaves = new ArrayList<>();
        for (int symbol = 0; symbol < counts.length; symbol++) {
            if (counts[symbol] > 0) {
                leaves.add(new Coin(counts[symbol], symbol));
            }
        }
        byte[] lengths = new byte[counts.length];
        if (leaves.size() < 2) {
            return lengths;
        }
        leaves.sort(Comparator.comparingLong(coin -> coin.weight));
        List<Coin> level = leaves;
        for (int length = 1; length < most; length++) {
            level = merged(leaves, paired(level));
        }
        for (Coin chosen : level.subList(0, 2 * leaves.size() - 2)) {
            for (int symbol : chosen.symbols) {
                lengths[symbol]++;
            }
        }
        return lengths;
    }

    /** Joins each two coins that follow each other. */
    private static List<Coin> paired(List<Coin> level) {
        List<Coin> pairs = new ArrayList<>(level.size() / 2);
        for (int i = 0; i + 1 < level.size(); i += 2) {
            Coin a = level.get(i);
            Coin b = level.get(i + 1);
            int[] symbols = new int[a.symbols.length + b.symbols.length];
            System.arraycopy(a.symbols, 0, symbols, 0, a.symbols.length);
            System.arraycopy(b.symbols, 0, symbols, a.symbols.length, b.symbols.length);
            pairs.add(new Coin(a.weight + b.weight, symbols));
        }
        return pairs;
    }

    private static List<Coin> merged(List<Coin> some, List<Coin> others) {
        List<Coin> all = new ArrayList<>(some.size() + others.size());
        int i = 0;
        for (Coin other : others) {
            while (i < some.size() && some.get(i).weight <= other.weight) {
                all.add(some.get(i++));
            }
            all.add(other);
        }
        all.addAll(some.subList(i, some.size()));
        return all;
    }
}
