package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockReader.IN_BYTE;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Strings of bytes by rank, the most frequent one first: domains, or encoded rules, for which
 * blocks have their ranks.
 *
 * <p>Serial form: the number of strings (u32), and for each a byte with two half bytes and the
 * bytes that follow those shared with the string before. The high half is the number of bytes
 * shared, the low one that of those that follow. A half of 15 means that the number is in a byte of
 * its own after this one, the number of bytes shared first.
 */
final class Ranks {
    /** The longest string. */
    static final int MAX_LENGTH = 255;

    static final int NONE = -1;

    private final byte[] text;

    /** Where each string ends in the text. */
    private final int[] ends;

    /** The rank at each place of a hash table, or {@link #NONE}. */
    private final int[] table;

    private Ranks(byte[] text, int[] ends) {
        this.text = text;
        this.ends = ends;
        this.table = new int[Integer.highestOneBit(4 * ends.length + 1)];
        Arrays.fill(table, NONE);
        for (int rank = 0; rank < ends.length; rank++) {
            int place = DomainHash.of(text, start(rank), ends[rank]) & (table.length - 1);
            while (table[place] != NONE) {
                if (is(table[place], text, start(rank), ends[rank])) {
                    // Many of them, in a forged file, would take the square of their number.
                    throw new IllegalArgumentException("a string comes twice in ranks");
                }
                place = (place + 1) & (table.length - 1);
            }
            table[place] = rank;
        }
    }

    /** Returns the ranks of different strings in this order, none longer than the longest. */
    static Ranks of(List<byte[]> strings) {
        int[] ends = new int[strings.size()];
        byte[] text = new byte[strings.stream().mapToInt(string -> string.length).sum()];
        int end = 0;
        for (int rank = 0; rank < ends.length; rank++) {
            byte[] string = strings.get(rank);
            System.arraycopy(string, 0, text, end, string.length);
            end += string.length;
            ends[rank] = end;
        }
        return new Ranks(text, ends);
    }

    /**
     * Reads a serial form. No more is allocated than its length allows.
     *
     * @throws IOException if it is none
     */
    static Ranks read(ByteBuffer serial) throws IOException {
        long count = serial.remaining() < Integer.BYTES ? -1 : serial.getInt();
        if (count < 0 || count > serial.remaining()) {
            throw new IOException("ranks of " + count + " strings");
        }
        int[] ends = new int[(int) count];
        ByteArrayOutputStream text = new ByteArrayOutputStream(serial.remaining());
        byte[] string = new byte[MAX_LENGTH];
        int length = 0;
        try {
            for (int rank = 0; rank < count; rank++) {
                int head = serial.get() & 0xff;
                int shared = half(head >>> 4, serial);
                int follow = half(head & IN_BYTE, serial);
                if (shared > length) {
                    throw new IOException("string " + rank + " of ranks shares too much");
                }
                serial.get(string, shared, follow);
                length = shared + follow;
                text.write(string, 0, length);
                ends[rank] = text.size();
            }
            return new Ranks(text.toByteArray(), ends);
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IOException("ranks end within a string", e);
        } catch (IllegalArgumentException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static int half(int half, ByteBuffer serial) {
        return half < IN_BYTE ? half : serial.get() & 0xff;
    }

    /** Writes the serial form. */
    void write(ByteArrayOutputStream serial) {
        for (int i = 0; i < Integer.BYTES; i++) {
            serial.write(ends.length >>> (i * Byte.SIZE));
        }
        byte[] before = {};
        for (int rank = 0; rank < ends.length; rank++) {
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

    /** Returns the rank of {@code bytes[from, to)}, or {@link #NONE}. */
    int rank(byte[] bytes, int from, int to) {
        int place = DomainHash.of(bytes, from, to) & (table.length - 1);
        while (table[place] != NONE && !is(table[place], bytes, from, to)) {
            place = (place + 1) & (table.length - 1);
        }
        return table[place];
    }

    private int start(int rank) {
        return rank == 0 ? 0 : ends[rank - 1];
    }

    /** Returns whether the string of a rank is {@code bytes[from, to)}. */
    boolean is(int rank, byte[] bytes, int from, int to) {
        int start = start(rank);
        return ends[rank] - start == to - from
                && Arrays.equals(text, start, ends[rank], bytes, from, to);
    }

    /** Returns the string of a rank. */
    byte[] get(int rank) {
        return Arrays.copyOfRange(text, start(rank), ends[rank]);
    }

    /** Returns the memory that it takes, in bytes. */
    long memory() {
        return text.length + (long) Integer.BYTES * (ends.length + table.length);
    }
}
