package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Counts the domains and the forms of all entries of a store, for their ranks. The form of an entry
 * is what it has beside names: a byte for the kind of recipients, 0 for all, and its encoded rules.
 * For one thread.
 */
public final class RankCounts {
    /** Longer forms are not counted, which have a note that hardly two entries share. */
    private static final int MAX_FORM = 64;

    private final Counter domains = new Counter(2 * BlockReader.MAX_DOMAINS);
    private final Counter forms = new Counter(8 * BlockReader.MAX_FORMS);

    /**
     * Counts strings of bytes in bounded memory. When there are too many different ones, the rarer
     * half of them is forgotten. So the counts of frequent ones are right, or nearly, and what is
     * found depends on the strings and their order alone.
     */
    static final class Counter {
        private final int bound;
        private Ranks strings = new Ranks();
        private int[] counts = new int[1];

        /** Creates a counter of at most so many different strings at a time. */
        Counter(int bound) {
            this.bound = bound;
        }

        /** Counts {@code bytes[from, to)}. */
        void count(byte[] bytes, int from, int to) {
            if (strings.size() > bound) {
                Ranks all = strings;
                int[] ofAll = counts;
                List<byte[]> kept = frequent(bound / 2);
                strings = Ranks.of(kept);
                counts = new int[ofAll.length];
                Arrays.setAll(counts, i -> i < kept.size() ? ofAll[rank(all, kept.get(i))] : 0);
            }
            int number = strings.add(bytes, from, to);
            if (number >= counts.length) {
                counts = Arrays.copyOf(counts, 2 * number);
            }
            counts[number] += counts[number] < Integer.MAX_VALUE ? 1 : 0;
        }

        private static int rank(Ranks of, byte[] string) {
            return of.rank(string, 0, string.length);
        }

        /**
         * Returns at most {@code max} strings, the most frequent first, then the one that came
         * first.
         */
        List<byte[]> frequent(int max) {
            return IntStream.range(0, strings.size())
                    .mapToLong(number -> (long) -counts[number] << Integer.SIZE | number)
                    .sorted()
                    .limit(max)
                    .mapToObj(each -> strings.get((int) each))
                    .toList();
        }
    }

    /** Counts an entry by its sort key and its encoded rules. */
    public void count(byte[] key, byte[] encoded) {
        int senderEnd = SortKey.senderEnd(key, 0, key.length);
        int from = senderEnd == key.length ? 0 : SortKey.recipientsStart(senderEnd);
        domains.count(key, from + SortKey.localLength(key, from) + 1, key.length);
        byte[] form = form(from == 0 ? 0 : key[from - 1], encoded);
        if (form.length <= MAX_FORM) {
            forms.count(form, 0, form.length);
        }
    }

    /** Returns a form. */
    static byte[] form(int kind, byte[] encoded) {
        byte[] form = new byte[1 + encoded.length];
        form[0] = (byte) kind;
        System.arraycopy(encoded, 0, form, 1, encoded.length);
        return form;
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

    /** Returns the ranks of forms: first that of most senders, then that of most recipients. */
    Ranks forms() {
        List<byte[]> ranked = new ArrayList<>(forms.frequent(BlockReader.MAX_FORMS - 2));
        ranked.addFirst(first(ranked, true));
        ranked.addFirst(first(ranked, false));
        return Ranks.of(ranked);
    }

    private static byte[] first(List<byte[]> forms, boolean isForSome) {
        return forms.stream()
                .filter(form -> form[0] > 0 == isForSome)
                .findFirst()
                .orElseGet(() -> form(isForSome ? 1 : 0, RulesCodec.PLAIN));
    }
}
