package io.github.senderwhitelist.store;

import io.github.senderwhitelist.disk.DiskFile;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Reads the blocks of an exact store. Many threads can read at once, and none waits for another.
 *
 * <p>Blocks are read, not mapped into memory. A mapped block costs half as much while its page is
 * in memory. But a thread that waits for a page to come from the disk cannot reach a safepoint, so
 * it holds up all other threads of the runtime.
 */
final class BlockFile {
    private final DiskFile file;
    private final Path name;
    private final long start;

    /**
     * Creates a reader of the blocks in a file, which the caller closes.
     *
     * @param name the name of the file in messages
     * @param start the position of the first block
     */
    BlockFile(DiskFile file, Path name, long start) {
        this.file = file;
        this.name = name;
        this.start = start;
    }

    /**
     * Reads block {@code number} into the first bytes of an array.
     *
     * @throws IOException if the block cannot be read
     */
    void read(long number, byte[] into) throws IOException {
        try {
            file.readFully(
                    ByteBuffer.wrap(into, 0, BlockFormat.SIZE), start + number * BlockFormat.SIZE);
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
    }
}
