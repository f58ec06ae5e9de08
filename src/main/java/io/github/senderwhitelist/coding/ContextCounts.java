package io.github.senderwhitelist.coding;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;

/**
 * The counts of symbols in contexts, from which a {@link ContextCode} is made. Contexts are
 * clustered by k-means: each goes to the table whose code is shortest for it, and each table is
 * made again from its contexts, until none moves, for at most {@value #ROUNDS} rounds.
 */
public final class ContextCounts {
    private static final int ROUNDS = 6;

    /**
     * A table takes about as many bytes as it has symbols; with fewer symbols counted, it costs
     * more than it saves.
     */
    private static final int LEAST = 512;

    private final int symbols;
    private final int[] @Nullable [] counts;

    /** Creates counts of 0. */
    public ContextCounts(int contexts, int symbols) {
        this.symbols = symbols;
        this.counts = new int[contexts][];
    }

    /** Counts a symbol. */
    public void add(int context, int symbol) {
        add(context, symbol, 1);
    }

    /** Counts a symbol {@code times} times. */
    public void add(int context, int symbol, long times) {
        int[] own = counts[context];
        if (own == null) {
            own = new int[symbols];
            counts[context] = own;
        }
        own[symbol] = (int) Math.min(Integer.MAX_VALUE, own[symbol] + times);
    }

    /**
     * Makes the code.
     *
     * @param groupOf for each context the table that it is in at first, each below {@code most}
     * @param most the number of tables at most
     * @param always a symbol that has a code in every table
     */
    public ContextCode code(int[] groupOf, int most, int always) {
        return code(groupOf, most, always, false);
    }

    /**
     * Makes a code that keeps the order of symbols. Each has a code in every table.
     *
     * @param groupOf as for {@link #code}
     * @param most as for {@link #code}
     */
    public ContextCode codeInOrder(int[] groupOf, int most) {
        return code(groupOf, most, 0, true);
    }

    private ContextCode code(int[] groupOf, int most, int always, boolean inOrder) {
        int[] tableOf = cluster(groupOf, most);
        int[] numbers = new int[most];
        Arrays.fill(numbers, -1);
        int tables = 0;
        byte[] map = new byte[counts.length];
        long[] totals = new long[most];
        for (int context = 0; context < counts.length; context++) {
            if (counts[context] != null) {
                int table = tableOf[context];
                if (numbers[table] < 0) {
                    numbers[table] = tables++;
                }
                map[context] = (byte) numbers[table];
                totals[numbers[table]] += sum(counts[context]);
            }
        }
        tables = Math.max(1, tables);
        int[][] sums = new int[tables][symbols];
        int largest = 0;
        for (int table = 1; table < tables; table++) {
            largest = totals[table] > totals[largest] ? table : largest;
        }
        for (int context = 0; context < counts.length; context++) {
            if (counts[context] == null) {
                map[context] = (byte) largest;
            } else {
                addTo(sums[map[context] & 0xff], counts[context]);
            }
        }
        byte[] lengths = new byte[tables * symbols];
        for (int table = 0; table < tables; table++) {
            sums[table][always] = Math.max(1, sums[table][always]);
            byte[] own =
                    inOrder
                            ? OrderedLengths.of(sums[table], ContextCode.LONGEST)
                            : CodeLengths.of(sums[table], ContextCode.LONGEST);
            for (int symbol = 0; symbol < symbols; symbol++) {
                lengths[table * symbols + symbol] =
                        sums[table][symbol] > 0 && own[symbol] == 0
                                ? (byte) ContextCode.ALONE
                                : own[symbol];
            }
        }
        try {
            return new ContextCode(symbols, map, lengths, inOrder);
        } catch (IOException e) {
            throw new UncheckedIOException(e); // The lengths are those of complete codes.
        }
    }

    /** Returns the table of each context that was counted. */
    private int[] cluster(int[] groupOf, int most) {
        int[] tableOf = groupOf.clone();
        boolean moved = true;
        for (int round = 0; moved && round < ROUNDS; round++) {
            int[][] sums = new int[most][symbols];
            long[] totals = new long[most];
            for (int context = 0; context < counts.length; context++) {
                if (counts[context] != null) {
                    addTo(sums[tableOf[context]], counts[context]);
                    totals[tableOf[context]] += sum(counts[context]);
                }
            }
            float[][] costs = costs(sums, totals);
            moved = false;
            for (int context = 0; context < counts.length; context++) {
                if (counts[context] != null) {
                    int before = tableOf[context];
                    tableOf[context] = cheapest(counts[context], costs, before);
                    moved |= tableOf[context] != before;
                }
            }
        }
        return tableOf;
    }

    /** Returns the bits that each symbol costs in each table; tables of too few have none. */
    private float[][] costs(int[][] sums, long[] totals) {
        float[][] costs = new float[sums.length][];
        int largest = 0;
        for (int table = 0; table < sums.length; table++) {
            largest = totals[table] > totals[largest] ? table : largest;
        }
        for (int table = 0; table < sums.length; table++) {
            if (totals[table] >= LEAST || table == largest) {
                costs[table] = new float[symbols];
                for (int symbol = 0; symbol < symbols; symbol++) {
                    double share = (sums[table][symbol] + 0.02) / (totals[table] + 0.02 * symbols);
                    costs[table][symbol] = (float) -(StrictMath.log(share) / StrictMath.log(2));
                }
            }
        }
        return costs;
    }

    private int cheapest(int[] context, float[] @Nullable [] costs, int before) {
        int[] used = new int[symbols];
        int count = 0;
        for (int symbol = 0; symbol < symbols; symbol++) {
            if (context[symbol] > 0) {
                used[count++] = symbol;
            }
        }
        int best = before;
        double least = Double.POSITIVE_INFINITY;
        for (int table = 0; table < costs.length; table++) {
            float[] own = costs[table];
            if (own != null) {
                double bits = 0;
                for (int i = 0; i < count; i++) {
                    bits += context[used[i]] * own[used[i]];
                }
                if (bits < least) {
                    least = bits;
                    best = table;
                }
            }
        }
        return best;
    }

    private static void addTo(int[] sums, int[] more) {
        for (int i = 0; i < sums.length; i++) {
            sums[i] = (int) Math.min(Integer.MAX_VALUE, (long) sums[i] + more[i]);
        }
    }

    private static long sum(int[] counts) {
        long sum = 0;
        for (int count : counts) {
            sum += count;
        }
        return sum;
    }
}
