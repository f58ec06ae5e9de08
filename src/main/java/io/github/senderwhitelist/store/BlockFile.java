package io.github.senderwhitelist.store;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Reads blocks of a file, for many threads at once.
 *
 * <p>Positional reads, not a mapping: a page that has to come from the disk would hold up the whole
 * runtime at its next safepoint, and a mapped file that somebody truncates brings down more than
 * the lookup. Each handle is a channel of its own and reads for one thread at a time, because an
 * interruption closes the channel that is read from: the others go on. All handles are opened
 * together, so that they stay on the same file when another one is renamed into its place.
 */
final class BlockFile implements Closeable {
    /** More threads than this at the disk at once wait for each other. */
    private static final int HANDLES = 16;

    private final Path path;
    private final long start;
    private final @Nullable Object identity;
    private final AtomicReferenceArray<@Nullable Handle> idle = new AtomicReferenceArray<>(HANDLES);
    private final AtomicInteger lost = new AtomicInteger();
    private volatile boolean closed;

    /** A channel and the block last read from it. */
    private static final class Handle {
        final FileChannel channel;
        final ByteBuffer buffer = ByteBuffer.allocateDirect(BlockFormat.SIZE);
        final byte[] block = new byte[BlockFormat.SIZE];

        Handle(Path path) throws IOException {
            this.channel = FileChannel.open(path, StandardOpenOption.READ);
        }

        /** Reads {@code block}; false when the file ends before it does. */
        boolean read(long position) throws IOException {
            buffer.clear();
            while (buffer.hasRemaining()) {
                if (channel.read(buffer, position + buffer.position()) < 0) {
                    return false;
                }
            }
            buffer.flip().get(block);
            return true;
        }
    }

    /** What is done with a block. */
    @FunctionalInterface
    interface BlockReader<T extends @Nullable Object> {
        T read(byte[] block) throws IOException;
    }

    BlockFile(Path path, long start) throws IOException {
        this.path = path;
        this.start = start;
        this.identity = identity(path);
        try {
            for (int i = 0; i < HANDLES; i++) {
                idle.set(i, new Handle(path));
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private static @Nullable Object identity(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class).fileKey();
    }

    /** Reads block {@code number} and gives it to {@code reader}, which must not keep it. */
    <T extends @Nullable Object> T read(long number, BlockReader<T> reader) throws IOException {
        boolean interrupted = Thread.interrupted();
        int slot = (int) Thread.currentThread().threadId() & (HANDLES - 1);
        while (true) {
            Handle handle = take(slot);
            try {
                if (!handle.read(start + number * BlockFormat.SIZE)) {
                    throw new IOException(
                            path + ": ends before block " + number + " of its exact store");
                }
                return reader.read(handle.block);
            } catch (ClosedByInterruptException e) {
                // Interrupted in the middle: this handle is lost, the lookup is not.
                interrupted |= Thread.interrupted();
                handle = replacement();
            } finally {
                if (handle != null) {
                    put(slot, handle);
                }
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
            interrupted = Thread.interrupted();
        }
    }

    /** A new handle of the same file, or null when another one has taken its place. */
    private @Nullable Handle replacement() throws IOException {
        if (identity != null && Objects.equals(identity, identity(path))) {
            Handle handle = new Handle(path);
            if (Objects.equals(identity, identity(path))) {
                return handle;
            }
            handle.channel.close();
        }
        lost.incrementAndGet();
        return null;
    }

    private Handle take(int preferred) throws IOException {
        for (int i = preferred; ; i = (i + 1) & (HANDLES - 1)) {
            if (closed || lost.get() == HANDLES) {
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

    private void put(int preferred, Handle handle) throws IOException {
        for (int i = preferred; ; i = (i + 1) & (HANDLES - 1)) {
            if (idle.compareAndSet(i, null, handle)) {
                break;
            }
        }
        if (closed) {
            close();
        }
    }

    @Override
    public void close() throws IOException {
        closed = true;
        for (int i = 0; i < HANDLES; i++) {
            Handle handle = idle.getAndSet(i, null);
            if (handle != null) {
                handle.channel.close();
            }
        }
    }
}
