package io.github.senderwhitelist.store;

import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * Different strings of bytes, numbered as they were added, and a hash table of them. In an exact
 * store they are the domains, and the forms of entries, the most frequent first: blocks have their
 * numbers, which are their ranks. One thread adds; any number of threads look up when it has ended.
 *
 * <p>Serial form: the number of strings (u32), and for each its lengths and the bytes that follow
 * those shared with the string before. Lengths are a byte, in the high half how many bytes are
 * shared, in the low half how many follow. A half of {@value #IN_BYTE} means that the number is in
 * a byte of its own after this one, that of the bytes shared first.
 */
final class Ranks {
    /** The longest string. */
    static final int MAX_LENGTH = 255;

    /** The rank of a string that has none. */
    static final int NONE = -1;

    /** The greatest half byte, which says that the number is in a byte of its own. */
    static final int IN_BYTE = 15;

    private static final int MIN_ROOM = 16;

    /** Random in each process, so that nobody can write a list whose domains all collide. */
    private static final Hasher64 HASHER = Hashing.komihash5_0(new SecureRandom().nextLong());

    private byte[] text = new byte[MIN_ROOM];

    /** Where each string begins in the text, and the last one ends. */
    private int[] starts = new int[MIN_ROOM];

    /** The number of a string and one, at its place; 0 for none. */
    private int[] places = new int[2 * MIN_ROOM];

    private int size;

    /** Returns different strings in this order, none longer than the longest. */
    static Ranks of(List<byte[]> strings) {
        Ranks ranks = new Ranks();
        strings.forEach(string -> ranks.add(string, 0, string.length));
        return ranks;
    }

    /**
     * Reads a serial form. No more is allocated than its length allows.
     *
     * @throws IOException if it is none
     */
    static Ranks read(ByteBuffer serial) throws IOException {
        Ranks ranks = new Ranks();
        byte[] string = new byte[MAX_LENGTH];
        int length = 0;
        try {
            int count = serial.getInt();
            if (count < 0 || count > serial.remaining()) {
                throw new IOException("ranks of " + count + " strings");
            }
            for (int rank = 0; rank < count; rank++) {
                int head = serial.get() & 0xff;
                int shared = head >>> 4 < IN_BYTE ? head >>> 4 : serial.get() & 0xff;
                int follow = (head & IN_BYTE) < IN_BYTE ? head & IN_BYTE : serial.get() & 0xff;
                if (shared > length) {
                    throw new IOException("string " + rank + " of ranks shares too much");
                }
                serial.get(string, shared, follow);
                length = shared + follow;
                if (ranks.add(string, 0, length) != rank) {
                    throw new IOException("a string comes twice in ranks");
                }
            }
            return ranks;
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IOException("ranks end within a string", e);
        }
    }

    /** Writes the serial form. */
    void write(ByteArrayOutputStream serial) {
        for (int i = 0; i < Integer.BYTES; i++) {
            serial.write(size >>> (i * Byte.SIZE));
        }
        byte[] before = {};
        for (int rank = 0; rank < size; rank++) {
            byte[] string = get(rank);
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

    /** Returns the rank of {@code bytes[from, to)}, which is added if it is new. */
    int add(byte[] bytes, int from, int to) {
        int place = place(bytes, from, to);
        if (places[place] != 0) {
            return places[place] - 1;
        }
        if (size + 1 == starts.length) {
            starts = Arrays.copyOf(starts, 2 * starts.length);
            places = new int[2 * starts.length];
            for (int rank = 0; rank < size; rank++) {
                places[place(text, starts[rank], starts[rank + 1])] = rank + 1;
            }
            place = place(bytes, from, to);
        }
        int end = starts[size] + to - from;
        if (end > text.length) {
            text = Arrays.copyOf(text, Math.max(2 * text.length, end));
        }
        System.arraycopy(bytes, from, text, starts[size], to - from);
        places[place] = size + 1;
        starts[++size] = end;
        return size - 1;
    }

    /** Returns the place of a string in the hash table, or a free one. */
    private int place(byte[] bytes, int from, int to) {
        int mask = places.length - 1;
        int place = (int) HASHER.hashBytesToLong(bytes, from, to - from) & mask;
        while (places[place] != 0 && !is(places[place] - 1, bytes, from, to)) {
            place = (place + 1) & mask;
        }
        return place;
    }

    private boolean is(int rank, byte[] bytes, int from, int to) {
        return Arrays.equals(text, starts[rank], starts[rank + 1], bytes, from, to);
    }

    /** Returns the rank of {@code bytes[from, to)}, or {@link #NONE}. */
    int rank(byte[] bytes, int from, int to) {
        return places[place(bytes, from, to)] - 1;
    }

    /** Returns the string of a rank. */
    byte[] get(int rank) {
        Objects.checkIndex(rank, size);
        return Arrays.copyOfRange(text, starts[rank], starts[rank + 1]);
    }

    int size() {
        return size;
    }

    /** Returns the memory that it takes, in bytes. */
    long memory() {
        return text.length + (long) Integer.BYTES * (starts.length + places.length);
    }
}
