package io.github.senderwhitelist.store;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Reads blocks of a file, for many threads at once.
 *
 * <p>Each handle reads for one thread at a time. Handles are not channels, because a channel closes
 * for everyone when a thread that reads from it is interrupted; and the file is not mapped, because
 * touching a mapped file that somebody truncated brings down more than the lookup. All handles are
 * opened together, so that they stay on the same file when another one is renamed into its place.
 */
final class BlockFile implements Closeable {
    /** More threads than this at the disk at once wait for each other. */
    private static final int HANDLES = 16;

    private final Path path;
    private final long start;
    private volatile boolean closed;
    private final AtomicReferenceArray<@Nullable Handle> idle = new AtomicReferenceArray<>(HANDLES);

    /** A file and the block last read from it. */
    private static final class Handle {
        final RandomAccessFile file;
        final byte[] block = new byte[BlockFormat.SIZE];

        Handle(Path path) throws IOException {
            this.file = new RandomAccessFile(path.toFile(), "r");
        }
    }

    /** What is done with a block. */
    @FunctionalInterface
    interface BlockReader<T extends @Nullable Object> {
        T read(byte[] block) throws IOException;
    }

    @SuppressWarnings("NullAway") // AtomicReferenceArray.set takes what its type argument allows
    BlockFile(Path path, long start) throws IOException {
        this.path = path;
        this.start = start;
        try {
            for (int i = 0; i < HANDLES; i++) {
                idle.set(i, new Handle(path));
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Reads block {@code number} and gives it to {@code reader}, which must not keep it. */
    <T extends @Nullable Object> T read(long number, BlockReader<T> reader) throws IOException {
        int slot = (int) Thread.currentThread().threadId() & (HANDLES - 1);
        Handle handle = take(slot);
        try {
            handle.file.seek(start + number * BlockFormat.SIZE);
            handle.file.readFully(handle.block);
            return reader.read(handle.block);
        } catch (EOFException e) {
            throw new IOException(
                    path + ": ends before block " + number + " of its exact store", e);
        } finally {
            put(slot, handle);
        }
    }

    private Handle take(int preferred) throws IOException {
        for (int i = preferred; ; i = (i + 1) & (HANDLES - 1)) {
            if (closed) {
                throw new IOException(path + ": closed");
            }
            Handle handle = idle.getAndSet(i, null);
            if (handle != null) {
                return handle;
            }
            if (i == preferred) {
                Thread.onSpinWait();
            }
        }
    }

    private void put(int preferred, Handle handle) {
        for (int i = preferred; ; i = (i + 1) & (HANDLES - 1)) {
            if (idle.compareAndSet(i, null, handle)) {
                return;
            }
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        for (int i = 0; i < HANDLES; i++) {
            Handle handle = idle.getAndSet(i, null);
            if (handle != null) {
                handle.file.close();
            }
        }
    }
}
