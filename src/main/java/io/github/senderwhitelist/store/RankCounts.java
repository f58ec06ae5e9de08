package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Counts the domains and rules of all entries of a store, for their ranks. For one thread. */
public final class RankCounts {
    /** As many rules as are worth counting; some lists have another date in each line. */
    private static final int RULES_COUNTED = 1 << 12;

    private final Counter domains = new Counter(2 * BlockReader.MAX_DOMAINS);
    private final Counter rules = new Counter(RULES_COUNTED);

    /**
     * Counts strings of bytes in bounded memory. When there are too many different ones, the rarer
     * half of them is forgotten. So the counts of frequent ones are right, or nearly, and what is
     * found depends on the strings and their order alone.
     */
    static final class Counter {
        private final int bound;
        private StringTable strings = new StringTable();
        private int[] counts = new int[1];

        /** Creates a counter of at most so many different strings at a time. */
        Counter(int bound) {
            this.bound = bound;
        }

        /** Counts {@code bytes[from, to)}. */
        void count(byte[] bytes, int from, int to) {
            if (strings.size() > bound) {
                forgetHalf();
            }
            count(strings.add(bytes, from, to), 1);
        }

        private void count(int number, int times) {
            if (number >= counts.length) {
                counts = Arrays.copyOf(counts, 2 * number);
            }
            counts[number] = (int) Math.min(Integer.MAX_VALUE, (long) counts[number] + times);
        }

        private void forgetHalf() {
            StringTable all = strings;
            int[] ofAll = counts;
            long[] order = order();
            strings = new StringTable();
            counts = new int[ofAll.length];
            for (int i = 0; i < order.length / 2; i++) {
                byte[] kept = all.get((int) order[i]);
                count(strings.add(kept, 0, kept.length), ofAll[(int) order[i]]);
            }
        }

        /**
         * Returns the numbers of strings, the most frequent first, then the one that came first.
         */
        private long[] order() {
            long[] order = new long[strings.size()];
            for (int number = 0; number < order.length; number++) {
                order[number] =
                        (long) (Integer.MAX_VALUE - counts[number]) << Integer.SIZE | number;
            }
            Arrays.sort(order);
            return order;
        }

        /** Returns at most {@code most} strings, the most frequent first. */
        List<byte[]> frequent(int most) {
            return Arrays.stream(order())
                    .limit(most)
                    .mapToObj(each -> strings.get((int) each))
                    .toList();
        }
    }

    /** Counts the entry with the sort key {@code key[0, length)} and encoded rules. */
    public void count(byte[] key, int length, byte[] encoded) {
        int senderEnd = SortKey.senderEnd(key, 0, length);
        int from = senderEnd == length ? 0 : SortKey.recipientsStart(senderEnd);
        domains.count(key, from + SortKey.localLength(key, from) + 1, length);
        if (encoded.length > 0 && encoded.length <= Ranks.MAX_LENGTH) {
            rules.count(encoded, 0, encoded.length);
        }
    }

    /**
     * Returns the ranks of domains. Those whose codes are equally long are in the order of their
     * bytes, and so take less themselves.
     */
    Ranks domains() {
        List<byte[]> ranked = new ArrayList<>(domains.frequent(BlockReader.MAX_DOMAINS));
        int from = 0;
        for (int end : BlockReader.RANKS) {
            int to = Math.min(end, ranked.size());
            ranked.subList(from, to).sort(Arrays::compareUnsigned);
            from = to;
        }
        return Ranks.of(ranked);
    }

    /** Returns the ranks of encoded rules, the first of which is the plain one. */
    Ranks rules() {
        List<byte[]> ranked = new ArrayList<>();
        ranked.add(RulesCodec.PLAIN);
        ranked.addAll(rules.frequent(BlockReader.MAX_RULES - 1));
        return Ranks.of(ranked);
    }
}
