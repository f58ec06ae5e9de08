package io.github.senderwhitelist.store;

import java.io.IOException;

/** Blocks in memory. They were read and verified once. */
final class MemoryBlocks implements Blocks {
    private final byte[][] blocks;

    /**
     * Reads blocks.
     *
     * @param count how many there are
     * @throws IOException if one cannot be read, or has a wrong checksum
     */
    MemoryBlocks(Blocks from, int count) throws IOException {
        blocks = new byte[count][];
        for (int number = 0; number < count; number++) {
            blocks[number] = from.get(number, new byte[ROOM]);
        }
    }

    @Override
    public byte[] get(long number, byte[] buffer) {
        return blocks[(int) number];
    }
}
