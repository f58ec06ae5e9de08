package io.github.senderwhitelist.store;

import org.jspecify.annotations.Nullable;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Blocks read by position, for any file system and any size. Each handle is a channel of its own
 * and reads for one thread at a time, because an interruption closes the channel that is read from:
 * the others go on, and the handle reads from a file that no interruption closes, in turn with
 * others of its kind. All are opened together, so that they stay on the same file when another one
 * is renamed into its place.
 */
final class PositionalBlocks implements BlockFile {
    /** More threads than this at the disk at once wait for each other. */
    private static final int HANDLES = 16;

    private final Path path;
    private final long start;
    private final RandomAccessFile reserve;
    private final AtomicReferenceArray<@Nullable Handle> idle = new AtomicReferenceArray<>(HANDLES);
    private volatile boolean closed;

    /** A channel and the block last read from it. */
    private final class Handle {
        final FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
        final ByteBuffer buffer = ByteBuffer.allocateDirect(BlockFormat.SIZE);
        final byte[] block = new byte[BlockFormat.SIZE];

        Handle() throws IOException {}

        void read(long position) throws IOException {
            if (!channel.isOpen()) {
                readFromReserve(position);
                return;
            }
            buffer.clear();
            while (buffer.hasRemaining()) {
                if (channel.read(buffer, position + buffer.position()) < 0) {
                    throw new EOFException();
                }
            }
            buffer.flip().get(block);
        }

        private void readFromReserve(long position) throws IOException {
            synchronized (reserve) {
                reserve.seek(position);
                reserve.readFully(block);
            }
        }
    }

    PositionalBlocks(Path path, long start) throws IOException {
        this.path = path;
        this.start = start;
        this.reserve = new RandomAccessFile(path.toFile(), "r");
        try {
            for (int i = 0; i < HANDLES; i++) {
                idle.set(i, new Handle());
            }
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    @Override
    public <T extends @Nullable Object> T read(long number, BlockReader<T> reader)
            throws IOException {
        int slot = (int) Thread.currentThread().threadId() & (HANDLES - 1);
        boolean interrupted = Thread.interrupted();
        Handle handle = take(slot);
        try {
            long position = start + number * BlockFormat.SIZE;
            try {
                handle.read(position);
            } catch (ClosedByInterruptException e) {
                // Interrupted in the middle of it. The channel is gone, the lookup is not.
                interrupted = true;
                Thread.interrupted();
                handle.read(position);
            }
            return reader.read(handle.block);
        } catch (EOFException e) {
            throw new IOException(
                    path + ": ends before block " + number + " of its exact store", e);
        } finally {
            put(slot, handle);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
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

    private void put(int preferred, Handle handle) throws IOException {
        int i = preferred;
        while (!idle.compareAndSet(i, null, handle)) {
            i = (i + 1) & (HANDLES - 1);
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
        reserve.close();
    }
}
