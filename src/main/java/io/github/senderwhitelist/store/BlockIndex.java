package io.github.senderwhitelist.store;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Tells which block can hold a key. For each block it has a separator: the shortest string of bytes
 * that is greater than the last key of the block before and not greater than the first key of the
 * block. It does not end with a zero byte but has one byte more, so that zeros can be appended to
 * it for comparing. The separator of the first block is empty. The first eight bytes of a separator
 * are kept as a number, which mostly decides; the rest is in one array.
 *
 * <p>Serial form: for each block the length of its separator (u16) and the bytes.
 */
final class BlockIndex {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** The first eight bytes of each separator, filled up with zeros. */
    private final long[] heads;

    private final byte[] rests;
    private final int[] restOffsets;

    private BlockIndex(long[] heads, byte[] rests, int[] restOffsets) {
        this.heads = heads;
        this.rests = rests;
        this.restOffsets = restOffsets;
    }

    /**
     * Reads the serial form of the index of so many blocks. No more is allocated than its length
     * allows.
     *
     * @throws IOException if it is not the index of so many blocks
     */
    static BlockIndex read(ByteBuffer serial, long blocks) throws IOException {
        if (blocks < 0 || serial.remaining() < Short.BYTES * blocks) {
            throw new IOException(
                    "index of " + blocks + " blocks in " + serial.remaining() + " bytes");
        }
        long[] heads = new long[(int) blocks];
        int[] restOffsets = new int[(int) blocks + 1];
        byte[] rests = new byte[serial.remaining()];
        byte[] head = new byte[Long.BYTES];
        for (int i = 0; i < blocks; i++) {
            int length =
                    serial.remaining() < Short.BYTES
                            ? Integer.MAX_VALUE
                            : serial.getShort() & 0xffff;
            if (length > serial.remaining()) {
                throw new IOException("index ends within block " + i);
            }
            int inHead = Math.min(length, Long.BYTES);
            Arrays.fill(head, (byte) 0);
            serial.get(head, 0, inHead);
            heads[i] = (long) LONGS.get(head, 0);
            serial.get(rests, restOffsets[i], length - inHead);
            restOffsets[i + 1] = restOffsets[i] + length - inHead;
        }
        return new BlockIndex(heads, Arrays.copyOf(rests, restOffsets[(int) blocks]), restOffsets);
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

    /** Returns the memory it takes, in bytes. */
    long memory() {
        return rests.length + 8L * heads.length + 4L * restOffsets.length;
    }
}
