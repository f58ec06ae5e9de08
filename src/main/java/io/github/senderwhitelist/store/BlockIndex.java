package io.github.senderwhitelist.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Where keys are: for each block the shortest string of bytes that parts its first key from the
 * last key of the block before, in memory as one string of bytes and the offsets in it.
 *
 * <p>Serial form: for each block the length of that string (u16) and its bytes.
 */
final class BlockIndex {
    private final byte[] text;
    private final int[] offsets;

    private BlockIndex(byte[] text, int[] offsets) {
        this.text = text;
        this.offsets = offsets;
    }

    /**
     * Reads the serial form of the index of that many blocks; its length bounds what is allocated.
     */
    static BlockIndex read(ByteBuffer serial, long blocks) throws IOException {
        long textLength = serial.remaining() - Short.BYTES * blocks;
        if (blocks < 0 || textLength < 0) {
            throw new IOException(
                    "index of " + blocks + " blocks in " + serial.remaining() + " bytes");
        }
        int[] offsets = new int[(int) blocks + 1];
        byte[] text = new byte[(int) textLength];
        for (int i = 0; i < blocks; i++) {
            int length =
                    serial.remaining() < Short.BYTES
                            ? Integer.MAX_VALUE
                            : serial.getShort() & 0xffff;
            if (length > serial.remaining() || length > text.length - offsets[i]) {
                throw new IOException("index ends within block " + i);
            }
            serial.get(text, offsets[i], length);
            offsets[i + 1] = offsets[i] + length;
        }
        return new BlockIndex(text, offsets);
    }

    /**
     * The only block that can hold this key: the last that begins at or before it, or -1 when there
     * is no block.
     */
    int find(byte[] sortKey) {
        int low = 0;
        int high = offsets.length - 2;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (Arrays.compareUnsigned(
                            text, offsets[middle], offsets[middle + 1], sortKey, 0, sortKey.length)
                    <= 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return high;
    }

    /** The memory it takes, in bytes. */
    long memory() {
        return text.length + 4L * offsets.length;
    }
}
