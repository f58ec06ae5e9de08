package io.github.senderwhitelist.store;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Different strings of bytes with their counts, numbered as they came, in a hash table that takes
 * little more memory than they do. In an exact store they are the domains, and the forms of
 * entries, the most frequent first; blocks have their numbers, the ranks. For one thread.
 *
 * <p>Serial form: the number of strings (u32), and for each its lengths, as in blocks ({@link
 * BlockReader}), and the bytes that follow those shared with the string before.
 */
final class Ranks {
    static final int MAX_LENGTH = 255;

    /** The rank of a string that has none. */
    static final int NONE = -1;

    /** The half of a byte which says that a length is in a byte of its own. */
    static final int IN_BYTE = 15;

    private static final int MIN_ROOM = 16;

    /** Random in each process, so that nobody can write a list whose domains all collide. */
    private static final Hasher64 HASHER = Hashing.komihash5_0(new SecureRandom().nextLong());

    /** Enough bits for the number of a string and one, in what its place holds. */
    private static final int NUMBER_BITS = 21;

    private static final int NUMBER = (1 << NUMBER_BITS) - 1;

    private byte[] text = new byte[MIN_ROOM];

    /** Where each string begins in the text, and the last one ends. */
    private int[] starts = new int[MIN_ROOM];

    private int[] counts = new int[MIN_ROOM];
    private int size;

    /**
     * The number of a string and one, at its place; 0 for none. Above it are bits of its hash, so
     * that hardly ever a string is looked at in vain, which is seldom in the processor's cache.
     */
    private int[] places = new int[2 * MIN_ROOM];

    /** Returns different strings in this order, with no counts. */
    static Ranks of(List<byte[]> strings) {
        Ranks ranks = new Ranks();
        strings.forEach(string -> ranks.add(string, 0, string.length));
        return ranks;
    }

    /**
     * Returns the strings of a serial form by their ranks, at most {@code max}. No more are
     * allocated than its length allows.
     */
    static byte[][] read(ByteBuffer serial, int max) throws IOException {
        try {
            int count = serial.getInt();
            if (count < 0 || count > Math.min(max, serial.remaining())) {
                throw new IOException("ranks of " + count + " strings");
            }
            byte[][] strings = new byte[count][];
            byte[] string = {};
            for (int rank = 0; rank < count; rank++) {
                int head = serial.get() & 0xff;
                int shared = head >>> 4 < IN_BYTE ? head >>> 4 : serial.get() & 0xff;
                int follow = (head & IN_BYTE) < IN_BYTE ? head & IN_BYTE : serial.get() & 0xff;
                if (shared > string.length || shared + follow > MAX_LENGTH) {
                    throw new IOException("string " + rank + " of ranks has wrong lengths");
                }
                string = Arrays.copyOf(string, shared + follow);
                serial.get(string, shared, follow);
                strings[rank] = string;
            }
            return strings;
        } catch (BufferUnderflowException e) {
            throw new IOException("ranks end within a string", e);
        }
    }

    /** Writes the serial form. */
    void write(ByteArrayOutputStream serial) {
        serial.writeBytes(ByteBuffer.allocate(4).order(LITTLE_ENDIAN).putInt(size).array());
        byte[] before = {};
        for (int rank = 0; rank < size; rank++) {
            byte[] string = string(rank);
            int mismatch = Arrays.mismatch(before, string);
            int shared = mismatch < 0 ? string.length : mismatch;
            int follow = string.length - shared;
            serial.write(Math.min(shared, IN_BYTE) << 4 | Math.min(follow, IN_BYTE));
            if (shared >= IN_BYTE) {
                serial.write(shared);
            }
            if (follow >= IN_BYTE) {
                serial.write(follow);
            }
            serial.write(string, shared, follow);
            before = string;
        }
    }

    private byte[] string(int rank) {
        return Arrays.copyOfRange(text, starts[rank], starts[rank + 1]);
    }

    /** Counts {@code bytes[from, to)}. */
    void count(byte[] bytes, int from, int to) {
        int number = add(bytes, from, to);
        counts[number] += counts[number] < Integer.MAX_VALUE ? 1 : 0;
    }

    /**
     * Returns the same, or the more frequent half of {@code bound} strings if there are more: the
     * counts of those are nearly right, and depend on the strings and their order alone.
     */
    Ranks bounded(int bound) {
        if (size <= bound) {
            return this;
        }
        List<byte[]> kept = frequent(bound / 2);
        Ranks half = of(kept);
        for (int i = 0; i < kept.size(); i++) {
            half.counts[i] = counts[rank(kept.get(i), 0, kept.get(i).length)];
        }
        return half;
    }

    /** Returns at most so many, the most frequent first, of equal ones that which came first. */
    List<byte[]> frequent(int max) {
        return IntStream.range(0, size)
                .mapToLong(number -> (long) -counts[number] << Integer.SIZE | number)
                .sorted()
                .limit(max)
                .mapToObj(each -> string((int) each))
                .toList();
    }

    /** Returns the rank of {@code bytes[from, to)}, which is added if it is new. */
    private int add(byte[] bytes, int from, int to) {
        if (size + 1 == starts.length) {
            starts = Arrays.copyOf(starts, 2 * starts.length);
            counts = Arrays.copyOf(counts, starts.length);
            places = new int[2 * starts.length];
            for (int number = 0; number < size; number++) {
                int start = starts[number];
                int stop = starts[number + 1];
                long hash = HASHER.hashBytesToLong(text, start, stop - start);
                places[place(hash, text, start, stop)] = value(hash, number);
            }
        }
        long hash = HASHER.hashBytesToLong(bytes, from, to - from);
        int place = place(hash, bytes, from, to);
        if (places[place] == 0) {
            int end = starts[size] + to - from;
            if (end > text.length) {
                text = Arrays.copyOf(text, Math.max(2 * text.length, end));
            }
            System.arraycopy(bytes, from, text, starts[size], to - from);
            places[place] = value(hash, size);
            starts[++size] = end;
        }
        return (places[place] & NUMBER) - 1;
    }

    private static int value(long hash, int number) {
        return ((int) (hash >>> Integer.SIZE) & ~NUMBER) | number + 1;
    }

    /** Returns the place of a string in the hash table, or a free one. */
    private int place(long hash, byte[] bytes, int from, int to) {
        int mask = places.length - 1;
        int place = (int) hash & mask;
        for (int next = places[place]; next != 0; next = places[place]) {
            int number = (next & NUMBER) - 1;
            if (next == value(hash, number)
                    && Arrays.equals(text, starts[number], starts[number + 1], bytes, from, to)) {
                break;
            }
            place = (place + 1) & mask;
        }
        return place;
    }

    /** Returns the rank of {@code bytes[from, to)}, or {@link #NONE}. */
    int rank(byte[] bytes, int from, int to) {
        long hash = HASHER.hashBytesToLong(bytes, from, to - from);
        return (places[place(hash, bytes, from, to)] & NUMBER) - 1;
    }
}
