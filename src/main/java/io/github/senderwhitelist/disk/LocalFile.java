package io.github.senderwhitelist.disk;

import io.github.senderwhitelist.disk.FileFailures.FileCall;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;

/**
 * A file on a local disk. All threads read at positions of their own, without waiting for each
 * other.
 *
 * <p>When a thread is interrupted while it uses a channel, Java closes the channel. So a file that
 * is opened for reading has a reserve: a second handle that interruptions do not close. It serves
 * all reads from then on, one after the other.
 */
final class LocalFile implements DiskFile {
    private final String name;
    private final FileChannel channel;
    private final @Nullable RandomAccessFile reserve;

    /**
     * Wraps an open file.
     *
     * @param name the name of the file in failures
     * @param reserve a second handle of a file for reading, or null if the file is for writing
     */
    LocalFile(String name, FileChannel channel, @Nullable RandomAccessFile reserve) {
        this.name = name;
        this.channel = channel;
        this.reserve = reserve;
    }

    private <T extends @Nullable Object> T naming(FileCall<T> call) throws IOException {
        return FileFailures.naming(name, call);
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        return reserve == null
                ? naming(() -> channel.read(into, position))
                : naming(() -> readUninterrupted(reserve, into, position));
    }

    private int readUninterrupted(RandomAccessFile reserve, ByteBuffer into, long position)
            throws IOException {
        // If this thread was interrupted already, reading would close the channel at once.
        boolean interrupted = Thread.interrupted();
        int start = into.position();
        try {
            return channel.isOpen() ? channel.read(into, position) : read(reserve, into, position);
        } catch (ClosedChannelException e) {
            // This thread or another one was interrupted while reading, or the file is closed.
            return read(reserve, into.position(start), position);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static int read(RandomAccessFile reserve, ByteBuffer into, long position)
            throws IOException {
        byte[] bytes = new byte[into.remaining()];
        synchronized (reserve) {
            if (!reserve.getFD().valid()) {
                throw new ClosedChannelException();
            }
            reserve.seek(position);
            int count = reserve.read(bytes);
            into.put(bytes, 0, Math.max(0, count));
            return count;
        }
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        return naming(() -> channel.write(from, position));
    }

    @Override
    public long size() throws IOException {
        return naming(reserve == null ? channel::size : reserve::length);
    }

    @Override
    public void force() throws IOException {
        naming(
                () -> {
                    channel.force(true);
                    return name;
                });
    }

    @Override
    @SuppressWarnings("resource") // the lock ends with the channel
    public boolean tryLock() {
        try {
            // What is open for reading can only have a lock that readers share.
            return channel.tryLock(0, Long.MAX_VALUE, reserve != null) != null;
        } catch (IOException | OverlappingFileLockException e) {
            return false;
        }
    }

    @Override
    public long copyTo(DiskFile target, long position, long count) throws IOException {
        if (target instanceof LocalFile other && channel.isOpen()) {
            return FileFailures.naming(
                    name + " to " + other.name,
                    () -> {
                        // Writing at the target's position lets the system share blocks.
                        other.channel.position(position);
                        return channel.transferTo(position, count, other.channel);
                    });
        }
        return DiskFile.super.copyTo(target, position, count);
    }

    @Override
    public void close() throws IOException {
        naming(
                () -> {
                    try {
                        channel.close();
                    } finally {
                        closeReserve();
                    }
                    return name;
                });
    }

    /** Closes the reserve when nobody reads from it. */
    private void closeReserve() throws IOException {
        if (reserve != null) {
            synchronized (reserve) {
                reserve.close();
            }
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
