package io.github.senderwhitelist.disk;

import static io.github.senderwhitelist.disk.FileFailures.naming;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file on a local disk. All threads read at positions of their own, without waiting for each
 * other.
 *
 * <p>When a thread is interrupted while it uses a channel, Java closes the channel for all threads.
 * A file that is open for reading is then opened again, if its name still leads to it.
 */
final class LocalFile implements DiskFile {
    private final Path path;
    private final String name;
    private final @Nullable FileState opened;
    private volatile FileChannel channel;
    private volatile boolean closed;

    /**
     * Wraps an open file.
     *
     * @param name the name of the file in failures
     * @param opened the state of a file that is open for reading, or null if it is for writing
     */
    LocalFile(Path path, String name, FileChannel channel, @Nullable FileState opened) {
        this.path = path;
        this.name = name;
        this.channel = channel;
        this.opened = opened;
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        int start = into.position();
        return reading(open -> open.read(into.position(start), position));
    }

    @Override
    public long size() throws IOException {
        return reading(FileChannel::size);
    }

    /** Something that reads from a channel. */
    @FunctionalInterface
    private interface Reading<T> {
        T from(FileChannel channel) throws IOException;
    }

    private <T> T reading(Reading<T> reading) throws IOException {
        // If this thread was interrupted already, reading would close the channel at once.
        boolean interrupted = opened != null && Thread.interrupted();
        try {
            while (true) {
                try {
                    return reading.from(channel);
                } catch (ClosedChannelException e) {
                    // This thread or another one was interrupted while reading.
                    interrupted |= opened != null && Thread.interrupted();
                    reopen(e);
                }
            }
        } catch (IOException e) {
            throw FileFailures.of(name, e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized void reopen(ClosedChannelException cause) throws IOException {
        if (closed || opened == null) {
            throw cause;
        }
        if (!channel.isOpen()) {
            FileChannel again = FileChannel.open(path, StandardOpenOption.READ);
            if (!LocalDisk.stateOf(path).isSameFileAs(opened)) {
                again.close();
                throw cause;
            }
            channel = again;
        }
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        return naming(name, () -> channel.write(from, position));
    }

    @Override
    public void force() throws IOException {
        try {
            channel.force(true);
        } catch (IOException e) {
            throw FileFailures.of(name, e);
        }
    }

    @Override
    @SuppressWarnings("resource") // the lock ends with the channel
    public boolean tryLock() {
        try {
            // What is open for reading can only have a lock that readers share.
            return channel.tryLock(0, Long.MAX_VALUE, opened != null) != null;
        } catch (IOException | OverlappingFileLockException e) {
            return false;
        }
    }

    @Override
    public synchronized void close() throws IOException {
        closed = true;
        try {
            channel.close();
        } catch (IOException e) {
            throw FileFailures.of(name, e);
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
