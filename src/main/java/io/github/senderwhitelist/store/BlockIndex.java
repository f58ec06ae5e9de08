package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.SortKey;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The index of the blocks by their separators. The separator of a block is the shortest string of
 * bytes that is greater than the last key of the block before and not greater than the first key of
 * the block. It does not end with a zero byte but has one byte more, so that zeros can be appended
 * to it for comparing. The separator of the first block is empty. The first eight bytes of a
 * separator are kept as a number, which mostly decides; the rest is in one array.
 *
 * <p>Serial form: for each block a u16 and the bytes of its separator that follow those shared with
 * the separator before. The lower five bits of the u16 are the number of bytes shared, at most 31;
 * the others are the number that follow.
 */
final class BlockIndex {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    private static final int SHARED_BITS = 5;
    private static final int MOST_SHARED = (1 << SHARED_BITS) - 1;

    /** The first eight bytes of each separator, filled up with zeros. */
    private final long[] heads;

    private final byte[] rests;
    private final int[] restOffsets;

    private BlockIndex(long[] heads, byte[] rests, int[] restOffsets) {
        this.heads = heads;
        this.rests = rests;
        this.restOffsets = restOffsets;
    }

    /** Writes the serial form. */
    static final class Writer {
        private final ByteArrayOutputStream serial = new ByteArrayOutputStream();
        private byte[] before = {};

        /** Appends the separator of the next block. */
        void append(byte[] separator) {
            int mismatch = Arrays.mismatch(before, separator);
            int shared = mismatch < 0 ? separator.length : Math.min(mismatch, MOST_SHARED);
            int follow = separator.length - shared;
            int both = follow << SHARED_BITS | shared;
            serial.write(both);
            serial.write(both >>> Byte.SIZE);
            serial.write(separator, shared, follow);
            before = separator;
        }

        byte[] serial() {
            return serial.toByteArray();
        }
    }

    /**
     * Reads the serial form of the index of a number of blocks. No more is allocated than its
     * length allows.
     *
     * @throws IOException if it is not the index of that many blocks
     */
    static BlockIndex read(ByteBuffer serial, long blocks) throws IOException {
        if (blocks < 0 || serial.remaining() < Short.BYTES * blocks) {
            throw new IOException(
                    "index of " + blocks + " blocks in " + serial.remaining() + " bytes");
        }
        long[] heads = new long[(int) blocks];
        int[] restOffsets = new int[(int) blocks + 1];
        ByteArrayOutputStream rests = new ByteArrayOutputStream();
        byte[] separator = new byte[SortKey.MAX_LENGTH];
        int length = 0;
        for (int i = 0; i < blocks; i++) {
            int both = serial.remaining() < Short.BYTES ? -1 : serial.getShort() & 0xffff;
            int shared = both & MOST_SHARED;
            int follow = both >> SHARED_BITS;
            if (follow < 0 || follow > serial.remaining()) {
                throw new IOException("index ends within block " + i);
            }
            if (shared > length || follow > separator.length - shared) {
                throw new IOException("wrong separator of block " + i);
            }
            serial.get(separator, shared, follow);
            length = shared + follow;
            int inHead = Math.min(length, Long.BYTES);
            Arrays.fill(separator, length, Math.max(length, Long.BYTES), (byte) 0);
            heads[i] = (long) LONGS.get(separator, 0);
            rests.write(separator, inHead, length - inHead);
            restOffsets[i + 1] = rests.size();
        }
        return new BlockIndex(heads, rests.toByteArray(), restOffsets);
    }

    /**
     * Returns the only block that can hold a key: the last one whose separator is not greater.
     * Returns -1 if there are no blocks.
     */
    int find(byte[] sortKey) {
        byte[] padded = sortKey.length < Long.BYTES ? Arrays.copyOf(sortKey, Long.BYTES) : sortKey;
        long head = (long) LONGS.get(padded, 0);
        int low = 0;
        int high = heads.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (isAtOrBefore(middle, head, sortKey)) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    private boolean isAtOrBefore(int block, long head, byte[] sortKey) {
        int order = Long.compareUnsigned(heads[block], head);
        if (order != 0) {
            return order < 0;
        }
        int from = Math.min(Long.BYTES, sortKey.length);
        return Arrays.compareUnsigned(
                        rests,
                        restOffsets[block],
                        restOffsets[block + 1],
                        sortKey,
                        from,
                        sortKey.length)
                <= 0;
    }

    /** Returns the memory of the index, in bytes. */
    long memory() {
        return rests.length + 8L * heads.length + 4L * restOffsets.length;
    }
}
