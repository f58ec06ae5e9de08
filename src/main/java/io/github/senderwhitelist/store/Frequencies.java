package io.github.senderwhitelist.store;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Counts how often strings of bytes come, in bounded memory. When there are too many different
 * ones, the rarer half of them is forgotten. So the counts of frequent ones are right, or nearly,
 * and what is found depends on the strings and their order alone. For one thread.
 */
final class Frequencies {
    private static final int MIN_ROOM = 16;

    private final int bound;
    private byte[] text = new byte[MIN_ROOM];

    /** Where each string ends in the text. */
    private int[] ends = new int[MIN_ROOM];

    private int[] counts = new int[MIN_ROOM];
    private int size;

    /** The number of a string and one, at its place in a hash table; 0 for none. */
    private int[] table = new int[2 * MIN_ROOM];

    /** Creates counters of at most so many different strings at a time. */
    Frequencies(int bound) {
        this.bound = bound;
    }

    /** Counts {@code bytes[from, to)}. */
    void count(byte[] bytes, int from, int to) {
        int place = DomainHash.of(bytes, from, to) & (table.length - 1);
        for (; table[place] != 0; place = (place + 1) & (table.length - 1)) {
            int number = table[place] - 1;
            if (Arrays.equals(text, start(number), ends[number], bytes, from, to)) {
                counts[number] += counts[number] < Integer.MAX_VALUE ? 1 : 0;
                return;
            }
        }
        if (size == bound) {
            forgetHalf();
            count(bytes, from, to);
            return;
        }
        add(bytes, from, to, 1);
        table[place] = size;
        if (2 * size > table.length) {
            fillTable(2 * table.length);
        }
    }

    private void add(byte[] bytes, int from, int to, int count) {
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, 2 * size);
            counts = Arrays.copyOf(counts, 2 * size);
        }
        int end = size == 0 ? 0 : ends[size - 1];
        if (end + to - from > text.length) {
            text = Arrays.copyOf(text, Math.max(2 * text.length, end + to - from));
        }
        System.arraycopy(bytes, from, text, end, to - from);
        ends[size] = end + to - from;
        counts[size++] = count;
    }

    private void fillTable(int length) {
        table = new int[length];
        for (int number = 0; number < size; number++) {
            int place = DomainHash.of(text, start(number), ends[number]) & (length - 1);
            while (table[place] != 0) {
                place = (place + 1) & (length - 1);
            }
            table[place] = number + 1;
        }
    }

    private int start(int number) {
        return number == 0 ? 0 : ends[number - 1];
    }

    private void forgetHalf() {
        long[] order = order();
        byte[] oldText = text;
        int[] oldEnds = ends;
        int[] oldCounts = counts;
        text = new byte[oldText.length];
        ends = new int[oldEnds.length];
        counts = new int[oldCounts.length];
        size = 0;
        for (int i = 0; i < order.length / 2; i++) {
            int number = (int) order[i];
            int start = number == 0 ? 0 : oldEnds[number - 1];
            add(oldText, start, oldEnds[number], oldCounts[number]);
        }
        fillTable(table.length);
    }

    /** Returns the numbers of strings, the most frequent first, then the one that came first. */
    private long[] order() {
        long[] order = new long[size];
        for (int number = 0; number < size; number++) {
            order[number] = (long) (Integer.MAX_VALUE - counts[number]) << Integer.SIZE | number;
        }
        Arrays.sort(order);
        return order;
    }

    /** Returns at most {@code most} strings, the most frequent first. */
    List<byte[]> frequent(int most) {
        List<byte[]> strings = new ArrayList<>();
        long[] order = order();
        for (int i = 0; i < Math.min(most, order.length); i++) {
            int number = (int) order[i];
            strings.add(Arrays.copyOfRange(text, start(number), ends[number]));
        }
        return strings;
    }
}
