package io.github.senderwhitelist.store;

import io.github.senderwhitelist.coding.BitReader;

import java.io.IOException;

/** The source of the blocks of an exact store, safe for use by many threads. */
interface Blocks {
    /** The length of the arrays of blocks. */
    int ROOM = BlockFormat.SIZE + BitReader.PADDING;

    /**
     * Returns an array that begins with block {@code number} and has {@value BitReader#PADDING}
     * more bytes. It must not be changed.
     *
     * @param buffer such an array, which may be overwritten and returned
     * @throws IOException if the block cannot be read, or has a wrong checksum
     */
    byte[] get(long number, byte[] buffer) throws IOException;
}
