package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.SortKey;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The index of the blocks: their separators, by which they are found, and their checksums. The
 * separator of a block is the shortest string of bytes that is greater than the last key of the
 * block before and not greater than the first key of the block. It does not end with a zero byte
 * but has one byte more, so that zeros can be appended to it for comparing. The separator of the
 * first block is empty. The first eight bytes of a separator are kept as a number, which mostly
 * decides; the rest is in one array.
 *
 * <p>Serial form: for each block the CRC-32C of its bytes (u32), a u16, and the bytes of its
 * separator that follow those shared with the separator before. The lower five bits of the u16 are
 * the number of bytes shared, at most 31; the others are the number that follow.
 */
final class BlockIndex {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** The least bytes of a block in the serial form. */
    private static final int PER_BLOCK = Integer.BYTES + Short.BYTES;

    private static final int SHARED_BITS = 5;
    private static final int MAX_SHARED = (1 << SHARED_BITS) - 1;

    /** The first eight bytes of each separator, filled up with zeros. */
    private final long[] heads;

    private final byte[] rests;
    private final int[] restOffsets;
    private final int[] checksums;

    private BlockIndex(long[] heads, byte[] rests, int[] restOffsets, int[] checksums) {
        this.checksums = checksums;
        this.heads = heads;
        this.rests = rests;
        this.restOffsets = restOffsets;
    }

    /** Writes the serial form. */
    static final class Writer {
        private final ByteArrayOutputStream serial = new ByteArrayOutputStream();
        private byte[] before = {};
        private byte[] separator = {};

        /** Takes the separator of the next block, before its checksum. */
        void separator(byte[] next) {
            separator = next;
        }

        /** Appends the block whose separator was taken. */
        void append(byte[] block) {
            int mismatch = Arrays.mismatch(before, separator);
            int shared = mismatch < 0 ? separator.length : Math.min(mismatch, MAX_SHARED);
            int follow = separator.length - shared;
            write(checksum(block), Integer.BYTES);
            write(follow << SHARED_BITS | shared, Short.BYTES);
            serial.write(separator, shared, follow);
            before = separator;
        }

        private void write(int value, int bytes) {
            for (int i = 0; i < bytes; i++) {
                serial.write(value >>> (i * Byte.SIZE));
            }
        }

        byte[] serial() {
            return serial.toByteArray();
        }
    }

    private static int checksum(byte[] block) {
        CRC32C crc = new CRC32C();
        crc.update(block);
        return (int) crc.getValue();
    }

    /** Returns whether these are the bytes that the block had when it was written. */
    boolean isRight(int number, byte[] block) {
        return checksums[number] == checksum(block);
    }

    /** Returns the number of blocks. */
    int blocks() {
        return heads.length;
    }

    /**
     * Reads the serial form of the index of a number of blocks. No more is allocated than its
     * length allows.
     *
     * @throws IOException if it is not the index of that many blocks
     */
    static BlockIndex read(ByteBuffer serial, long blocks) throws IOException {
        if (blocks < 0 || serial.remaining() < PER_BLOCK * blocks) {
            throw new IOException(
                    "index of " + blocks + " blocks in " + serial.remaining() + " bytes");
        }
        long[] heads = new long[(int) blocks];
        int[] restOffsets = new int[(int) blocks + 1];
        int[] checksums = new int[(int) blocks];
        ByteArrayOutputStream rests = new ByteArrayOutputStream();
        byte[] separator = new byte[SortKey.MAX_LENGTH];
        int length = 0;
        for (int i = 0; i < blocks; i++) {
            boolean isThere = serial.remaining() >= PER_BLOCK;
            checksums[i] = isThere ? serial.getInt() : 0;
            int both = isThere ? serial.getShort() & 0xffff : -1;
            int shared = both & MAX_SHARED;
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
        return new BlockIndex(heads, rests.toByteArray(), restOffsets, checksums);
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
        return rests.length + 16L * heads.length;
    }
}
