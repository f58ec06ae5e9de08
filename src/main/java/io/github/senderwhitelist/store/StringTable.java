package io.github.senderwhitelist.store;

import java.util.Arrays;
import java.util.Objects;

/**
 * Different strings of bytes, numbered as they come, and a hash table of them. One thread adds; any
 * number of threads look up when it has ended.
 */
final class StringTable {
    static final int NONE = -1;
    private static final int MIN_ROOM = 16;

    private byte[] text = new byte[MIN_ROOM];

    /** Where each string ends in the text. */
    private int[] ends = new int[MIN_ROOM];

    /** The number of a string and one, at its place; 0 for none. */
    private int[] places = new int[2 * MIN_ROOM];

    private int size;

    /** Returns the number of {@code bytes[from, to)}, which is added if it is new. */
    int add(byte[] bytes, int from, int to) {
        int place = place(bytes, from, to);
        if (places[place] != 0) {
            return places[place] - 1;
        }
        if (size == ends.length) {
            ends = Arrays.copyOf(ends, 2 * size);
            places = new int[4 * size];
            for (int number = 0; number < size; number++) {
                places[place(text, start(number), ends[number])] = number + 1;
            }
            place = place(bytes, from, to);
        }
        int start = start(size);
        int end = start + to - from;
        if (end > text.length) {
            text = Arrays.copyOf(text, Math.max(2 * text.length, end));
        }
        System.arraycopy(bytes, from, text, start, to - from);
        ends[size] = end;
        places[place] = size + 1;
        return size++;
    }

    /** Returns the place of a string in the hash table, or a free one. */
    private int place(byte[] bytes, int from, int to) {
        int place = DomainHash.of(bytes, from, to) & (places.length - 1);
        while (places[place] != 0 && !is(places[place] - 1, bytes, from, to)) {
            place = (place + 1) & (places.length - 1);
        }
        return place;
    }

    /** Returns whether the string of a number is {@code bytes[from, to)}. */
    private boolean is(int number, byte[] bytes, int from, int to) {
        int start = start(number);
        return ends[number] - start == to - from
                && Arrays.equals(text, start, ends[number], bytes, from, to);
    }

    private int start(int number) {
        return number == 0 ? 0 : ends[number - 1];
    }

    /** Returns the number of {@code bytes[from, to)}, or {@link #NONE}. */
    int find(byte[] bytes, int from, int to) {
        return places[place(bytes, from, to)] - 1;
    }

    /** Returns the string of a number. */
    byte[] get(int number) {
        return Arrays.copyOfRange(text, start(Objects.checkIndex(number, size)), ends[number]);
    }

    int size() {
        return size;
    }

    /** Returns the memory that it takes, in bytes. */
    long memory() {
        return text.length + (long) Integer.BYTES * (ends.length + places.length);
    }
}
