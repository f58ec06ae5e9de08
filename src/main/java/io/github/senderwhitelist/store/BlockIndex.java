package io.github.senderwhitelist.store;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * The index of the blocks: their separators, by which they are found, and their checksums. The
 * separator of a block is the shortest string of bytes that is greater than the last key of the
 * block before and not greater than the first key of the block. That of the first block is empty.
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

    private BlockIndex(byte[] separators, int[] starts, int[] checksums) {
        this.separators = separators;
        this.starts = starts;
        this.checksums = checksums;
    }

    /** Appends a block and its separator to a serial form. */
    static void append(ByteArrayOutputStream serial, byte[] block, byte[] separator) {
        int checksum = checksum(block);
        for (int i = 0; i < Integer.BYTES; i++) {
            serial.write(checksum >>> (i * Byte.SIZE));
        }
        serial.write(separator.length);
        serial.write(separator.length >>> Byte.SIZE);
        serial.writeBytes(separator);
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
        return checksums.length;
    }

    /**
     * Reads the serial form of the index of a number of blocks. No more is allocated than its
     * length allows.
     *
     * @throws IOException if it is not the index of that many blocks
     */
    static BlockIndex read(ByteBuffer serial, long blocks) throws IOException {
        if (blocks < 0 || blocks > serial.remaining() / PER_BLOCK) {
            throw new IOException(
                    "index of " + blocks + " blocks in " + serial.remaining() + " bytes");
        }
        int[] starts = new int[(int) blocks + 1];
        int[] checksums = new int[(int) blocks];
        byte[] separators = new byte[serial.remaining() - (int) (PER_BLOCK * blocks)];
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
        return new BlockIndex(separators, starts, checksums);
    }

    /**
     * Returns the only block that can hold a key: the last one whose separator is not greater.
     * Returns -1 if there are no blocks.
     */
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

    /** Returns the memory of the index, in bytes. */
    long memory() {
        return separators.length + 2L * Integer.BYTES * checksums.length;
    }
}
