package io.github.senderwhitelist.store;

import static io.github.senderwhitelist.store.BlockFormat.*;

import java.io.IOException;
import java.io.OutputStream;
import java.util.zip.CRC32C;

/** The output of blocks in their order, which adds their checksums and collects their index. */
final class BlockOutput {
    private final OutputStream out;
    private final long salt;
    private final BlockIndex.Writer index = new BlockIndex.Writer();
    private final CRC32C checksums = new CRC32C();
    private final byte[] block = new byte[SIZE];
    private long blocks;

    BlockOutput(OutputStream out, long salt) {
        this.out = out;
        this.salt = salt;
    }

    /** Writes the block {@code bytes[from, from + SIZE)}. */
    void write(byte[] bytes, int from, byte[] separator) throws IOException {
        System.arraycopy(bytes, from, block, 0, SIZE);
        putInt(block, CRC_AT, checksum(block, salt, blocks));
        checksums.update(block, CRC_AT, Integer.BYTES);
        index.append(separator);
        out.write(block);
        blocks++;
    }

    long blocks() {
        return blocks;
    }

    /** Returns the CRC-32C of the checksums of all blocks in order. */
    int checksumOfBlocks() {
        return (int) checksums.getValue();
    }

    /** Returns the serial form of the {@link BlockIndex}. */
    byte[] index() {
        return index.serial();
    }
}
