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

    static final int NONE = StringTable.NONE;

    private final StringTable strings;

    private Ranks(StringTable strings) {
        this.strings = strings;
    }

    /** Returns the ranks of different strings in this order, none longer than the longest. */
    static Ranks of(List<byte[]> all) {
        StringTable strings = new StringTable();
        all.forEach(string -> strings.add(string, 0, string.length));
        return new Ranks(strings);
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
        StringTable strings = new StringTable();
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
                if (strings.add(string, 0, length) != rank) {
                    throw new IOException("a string comes twice in ranks");
                }
            }
            return new Ranks(strings);
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IOException("ranks end within a string", e);
        }
    }

    private static int half(int half, ByteBuffer serial) {
        return half < IN_BYTE ? half : serial.get() & 0xff;
    }

    /** Writes the serial form. */
    void write(ByteArrayOutputStream serial) {
        for (int i = 0; i < Integer.BYTES; i++) {
            serial.write(strings.size() >>> (i * Byte.SIZE));
        }
        byte[] before = {};
        for (int rank = 0; rank < strings.size(); rank++) {
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
        return strings.find(bytes, from, to);
    }

    /** Returns the string of a rank. */
    byte[] get(int rank) {
        return strings.get(rank);
    }

    /** Returns the memory that it takes, in bytes. */
    long memory() {
        return strings.memory();
    }
}
