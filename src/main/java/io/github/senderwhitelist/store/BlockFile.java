package io.github.senderwhitelist.store;

import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Mapping;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Reads the blocks of an exact store, for many threads at once; none waits for another.
 *
 * <p>A block is always worked on as a copy, so that what was checked is what is read. It comes out
 * of a mapping where there is one, which takes a fraction of the time of a read by position.
 */
final class BlockFile implements Closeable {
    private static final int SPARES = 16;

    /** Blocks to copy into; a thread that finds none makes one. */
    private final AtomicReferenceArray<byte @Nullable []> spares =
            new AtomicReferenceArray<>(SPARES);

    private final DiskFile file;
    private final Path name;
    private final long start;
    private final @Nullable Mapping mapping;

    private BlockFile(DiskFile file, Path name, long start, @Nullable Mapping mapping) {
        this.file = file;
        this.name = name;
        this.start = start;
        this.mapping = mapping;
    }

    /** What is done with a block. */
    @FunctionalInterface
    interface BlockReader<T extends @Nullable Object> {
        /** Takes the block, which it must not keep. */
        T read(byte[] block) throws IOException;
    }

    /**
     * Reads blocks by position.
     *
     * @param name what messages call the file
     * @param start where the first block begins
     */
    static BlockFile positional(DiskFile file, Path name, long start) {
        return new BlockFile(file, name, start, null);
    }

    /** Reads blocks out of a mapping, or by position when this Java cannot map. */
    static BlockFile mapped(DiskFile file, Path name, long start, long blocks) throws IOException {
        return new BlockFile(file, name, start, file.map(start, blocks * BlockFormat.SIZE));
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
            if (mapping == null) {
                file.readFully(ByteBuffer.wrap(block), start + number * BlockFormat.SIZE);
            } else {
                mapping.read(number * BlockFormat.SIZE, block);
            }
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

    /** Returns whether blocks come out of a mapping. */
    boolean isMapped() {
        return mapping != null;
    }

    /** Lets go of the mapping; the file stays open. */
    @Override
    public void close() {
        if (mapping != null) {
            mapping.close();
        }
    }
}
