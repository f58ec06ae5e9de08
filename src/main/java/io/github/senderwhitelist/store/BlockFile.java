package io.github.senderwhitelist.store;

import io.github.senderwhitelist.disk.DiskFile;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Reads the blocks of an exact store, for many threads at once; none waits for another.
 *
 * <p>Blocks are read, not mapped into memory. A mapped block costs half as much while its page is
 * in memory; but while a page comes from the disk, the thread that touched it holds up every other
 * thread of the runtime that wants to come to a safepoint.
 */
final class BlockFile {
    private static final int SPARES = 16;

    /** Blocks to read into; a thread that finds none makes one. */
    private final AtomicReferenceArray<byte @Nullable []> spares =
            new AtomicReferenceArray<>(SPARES);

    private final DiskFile file;
    private final Path name;
    private final long start;

    /**
     * Reads the blocks in a file, which stays the caller's.
     *
     * @param name what messages call the file
     * @param start where the first block begins
     */
    BlockFile(DiskFile file, Path name, long start) {
        this.file = file;
        this.name = name;
        this.start = start;
    }

    /** What is done with a block. */
    @FunctionalInterface
    interface BlockReader<T extends @Nullable Object> {
        /** Takes the block, which it must not keep. */
        T read(byte[] block) throws IOException;
    }

    /** Reads block {@code number} and gives it to {@code reader}. */
    <T extends @Nullable Object> T read(long number, BlockReader<T> reader) throws IOException {
        int slot = (int) Thread.currentThread().threadId() & (SPARES - 1);
        byte[] spare = spares.getAndSet(slot, null);
        byte[] block = spare == null ? new byte[BlockFormat.SIZE] : spare;
        try {
            fill(block, number);
            return reader.read(block);
        } finally {
            spares.set(slot, block);
        }
    }

    private void fill(byte[] block, long number) throws IOException {
        try {
            file.readFully(ByteBuffer.wrap(block), start + number * BlockFormat.SIZE);
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
