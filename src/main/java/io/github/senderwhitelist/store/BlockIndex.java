package io.github.senderwhitelist.store;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The index of the blocks: their checksums, and their separators, by which they are found. The
 * separator of a block is the shortest string of bytes that is greater than the last key of the
 * block before and not greater than its first key. That of the first block is empty.
 *
 * <p>Serial form: for each block the CRC-32C of its bytes (u32), and its separator: length (u16)
 * and bytes.
 */
final class BlockIndex {
    /** The least bytes of a block in the serial form. */
    private static final int PER_BLOCK = Integer.BYTES + Short.BYTES;

    private final byte[] separators;

    /** Where the separator of each block begins, and the last one ends. */
    private final int[] starts;

    private final int[] checksums;

    /** Reads the index of so many blocks. No more is allocated than the length allows. */
    BlockIndex(ByteBuffer serial, long blocks) throws IOException {
        if (blocks < 0 || blocks > serial.remaining() / PER_BLOCK) {
            throw new IOException(
                    "index of " + blocks + " blocks in " + serial.remaining() + " bytes");
        }
        starts = new int[(int) blocks + 1];
        checksums = new int[(int) blocks];
        separators = new byte[serial.remaining() - (int) (PER_BLOCK * blocks)];
        try {
            for (int i = 0; i < blocks; i++) {
                checksums[i] = serial.getInt();
                int length = serial.getShort() & 0xffff;
                serial.get(separators, starts[i], length);
                starts[i + 1] = starts[i] + length;
            }
        } catch (BufferUnderflowException | IndexOutOfBoundsException e) {
            throw new IOException("index ends within a block", e);
        }
    }

    /** Appends a block and its separator to a serial form. */
    static void append(ByteArrayOutputStream serial, byte[] block, byte[] separator) {
        ByteBuffer bytes = ByteBuffer.allocate(PER_BLOCK + separator.length).order(LITTLE_ENDIAN);
        bytes.putInt(BlockStore.crc(block, block.length))
                .putShort((short) separator.length)
                .put(separator);
        serial.writeBytes(bytes.array());
    }

    /** Returns whether these are the bytes that the block had when it was written. */
    boolean isRight(int number, byte[] block) {
        return checksums[number] == BlockStore.crc(block, block.length);
    }

    int blocks() {
        return checksums.length;
    }

    /** Returns the last block whose separator is not greater than a key; -1 if there are none. */
    int find(byte[] sortKey) {
        int low = 0;
        int high = checksums.length - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            int from = starts[middle];
            int to = starts[middle + 1];
            if (Arrays.compareUnsigned(separators, from, to, sortKey, 0, sortKey.length) <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }
}
