package io.github.senderwhitelist.coding;

import java.util.Arrays;

/** Writes bits to bytes, the lowest bit of each byte first. */
public final class BitWriter {
    private static final int WORD = 32;

    private final byte[] bytes;
    private int position;

    /**
     * Creates a writer of at most {@code capacity} bytes. Writing more throws an
     * IndexOutOfBoundsException.
     */
    public BitWriter(int capacity) {
        this.bytes = new byte[capacity + BitReader.PADDING];
    }

    /** Writes the lowest {@code width} bits of {@code value}; the others must be 0. */
    public void put(int value, int width) {
        int at = position >>> 3;
        long word = (long) BitReader.LONGS.get(bytes, at) | (long) value << (position & 7);
        BitReader.LONGS.set(bytes, at, word);
        position += width;
    }

    /** Writes bits {@code [from, to)} of another writer. */
    public void put(BitWriter other, int from, int to) {
        BitReader in = new BitReader(other.bytes);
        in.position(from);
        for (int left = to - from; left > 0; left -= WORD - 1) {
            int width = Math.min(left, WORD - 1);
            put(in.bits(width), width);
        }
    }

    /** Returns the number of bits written. */
    public int position() {
        return position;
    }

    /** Discards all bits but the first {@code bits}. */
    public void truncate(int bits) {
        Arrays.fill(bytes, (bits + 7) >>> 3, ((position + 7) >>> 3), (byte) 0);
        if ((bits & 7) != 0) {
            bytes[bits >>> 3] &= (byte) ((1 << (bits & 7)) - 1);
        }
        position = bits;
    }

    /** Returns the bytes written. */
    public byte[] bytes() {
        return Arrays.copyOf(bytes, (position + 7) >>> 3);
    }
}
