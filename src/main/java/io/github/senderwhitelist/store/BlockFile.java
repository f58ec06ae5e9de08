package io.github.senderwhitelist.store;

import io.github.senderwhitelist.disk.DiskFile;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Blocks in a file, each of which is read and verified whenever it is needed. Many threads can read
 * at once, and none waits for another.
 *
 * <p>Blocks are read, not mapped into memory. A mapped block costs half as much while its page is
 * in memory. But a thread that waits for a page to come from the disk cannot reach a safepoint, so
 * it holds up all other threads of the runtime.
 */
final class BlockFile implements Blocks {
    private final DiskFile file;
    private final Path name;
    private final long start;
    private final long salt;

    /**
     * Creates a reader of the blocks in a file, which the caller closes.
     *
     * @param name the name of the file in messages
     * @param start the position of the first block
     * @param salt the salt of the checksums
     */
    BlockFile(DiskFile file, Path name, long start, long salt) {
        this.file = file;
        this.name = name;
        this.start = start;
        this.salt = salt;
    }

    @Override
    public byte[] get(long number, byte[] buffer) throws IOException {
        try {
            file.readFully(
                    ByteBuffer.wrap(buffer, 0, BlockFormat.SIZE),
                    start + number * BlockFormat.SIZE);
        } catch (EOFException e) {
            throw new IOException(
                    name + ": ends before block " + number + " of its exact store", e);
        } catch (IOException e) {
            throw new IOException(
                    name
                            + ": block "
                            + number
                            + " of its exact store cannot be read: "
                            + String.valueOf(e.getMessage()).replace(name + ": ", ""),
                    e);
        }
        if (BlockFormat.checksum(buffer, salt, number)
                != BlockFormat.getInt(buffer, BlockFormat.CRC_AT)) {
            throw new IOException(
                    name
                            + ": block "
                            + number
                            + " of its exact store has a wrong checksum: damaged or overwritten"
                            + " since it was opened");
        }
        return buffer;
    }
}
