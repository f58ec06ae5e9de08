package io.github.senderwhitelist.store;

import io.github.senderwhitelist.coding.BitReader;
import io.github.senderwhitelist.disk.DiskFile;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Reads the blocks of an exact store. Many threads can read at once, and none waits for another.
 *
 * <p>Blocks are read, not mapped into memory. A mapped block costs half as much while its page is
 * in memory. But a thread that waits for a page to come from the disk cannot reach a safepoint, so
 * it holds up all other threads of the runtime.
 */
final class BlockFile {
    private static final int SPARES = 16;

    /** Arrays to read blocks into; a thread that finds none allocates one. */
    private final AtomicReferenceArray<byte @Nullable []> spares =
            new AtomicReferenceArray<>(SPARES);

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

    /** Takes a block and makes something of it. */
    @FunctionalInterface
    interface BlockReader<T extends @Nullable Object> {
        /** Takes the block, with {@link BitReader#PADDING} more bytes, for this call only. */
        T read(byte[] block) throws IOException;
    }

    /**
     * Reads block {@code number}, gives it to {@code reader}, and returns what that returns.
     *
     * @throws IOException if the block cannot be read
     */
    <T extends @Nullable Object> T read(long number, BlockReader<T> reader) throws IOException {
        int slot = (int) Thread.currentThread().threadId() & (SPARES - 1);
        byte[] spare = spares.getAndSet(slot, null);
        byte[] block = spare == null ? new byte[BlockFormat.SIZE + BitReader.PADDING] : spare;
        try {
            fill(block, number);
            return reader.read(block);
        } finally {
            spares.set(slot, block);
        }
    }

    private void fill(byte[] block, long number) throws IOException {
        try {
            file.readFully(
                    ByteBuffer.wrap(block, 0, BlockFormat.SIZE), start + number * BlockFormat.SIZE);
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
