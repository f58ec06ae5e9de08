package io.github.senderwhitelist.coding;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Reads bits from bytes, the lowest bit of each byte first. Reading beyond the array throws an
 * IndexOutOfBoundsException.
 */
public final class BitReader {
    /** The bytes that must follow those to be read in the array. */
    public static final int PADDING = Long.BYTES;

    /** The bits that {@link #peek} returns. */
    public static final int PEEKED = Long.SIZE - 7;

    static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes;
    private int position;

    /**
     * Creates a reader of an array.
     *
     * @param bytes the bytes to read, and {@value #PADDING} more
     */
    public BitReader(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Continues at the first bit of another such array. */
    public void start(byte[] others) {
        bytes = others;
        position = 0;
    }

    /** Returns the position of the next bit, from 0. */
    public int position() {
        return position;
    }

    /** Moves to the bit at a position. */
    public void position(int bit) {
        position = bit;
    }

    /** Reads an unsigned number of {@code width} bits, at most 31. */
    public int bits(int width) {
        int value = (int) peek() & ((1 << width) - 1);
        position += width;
        return value;
    }

    /** Reads {@code count} bytes into {@code to[from …)}. */
    public void bytes(byte[] to, int from, int count) {
        for (int i = from; i < from + count; i++) {
            to[i] = (byte) bits(Byte.SIZE);
        }
    }

    /** Returns at least the next {@value #PEEKED} bits, the next one lowest. */
    public long peek() {
        return (long) LONGS.get(bytes, position >>> 3) >>> (position & 7);
    }

    /** Skips {@code width} bits. */
    public void skip(int width) {
        position += width;
    }
}
