package io.github.senderwhitelist.disk;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file that many threads read at once. All read from one channel, at their own positions, without
 * waiting for each other.
 *
 * <p>Java closes a channel when a thread is interrupted while it reads from it. So there is a
 * reserve that no interruption closes, opened together with the channel, in case another file has
 * the name by then. Reads from the reserve wait for each other, so the channel is opened again as
 * soon as the name is known to lead to the same file.
 */
final class SharedFile implements DiskFile {
    /** A name that leads elsewhere each time it is looked at is somebody's attack, not a swap. */
    private static final int MOST_SWAPS = 100;

    private final LocalDisk disk;
    private final Path path;
    private final FileState opened;
    private final RandomAccessFile reserve;
    private volatile FileChannel channel;
    private volatile boolean closed;

    private SharedFile(
            LocalDisk disk,
            Path path,
            FileState opened,
            RandomAccessFile reserve,
            FileChannel channel) {
        this.disk = disk;
        this.path = path;
        this.opened = opened;
        this.reserve = reserve;
        this.channel = channel;
    }

    /** Opens the file that has the name; both handles lead to one file. */
    static SharedFile open(LocalDisk disk, Path path) throws IOException {
        for (int swaps = 0; swaps < MOST_SWAPS; swaps++) {
            FileState before = disk.state(path);
            FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
            try {
                RandomAccessFile reserve = new RandomAccessFile(path.toFile(), "r");
                if (disk.state(path).isSameFileAs(before)) {
                    return new SharedFile(disk, path, before, reserve, channel);
                }
                reserve.close();
                channel.close();
            } catch (FileNotFoundException e) {
                // Deleted or replaced this moment.
                channel.close();
            } catch (IOException | RuntimeException | Error e) {
                channel.close();
                throw e;
            }
        }
        throw new IOException(path + ": replaced again and again while it was opened");
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        FileChannel used = channel;
        // An interruption that is already there would close the channel.
        boolean interrupted = Thread.interrupted();
        int start = into.position();
        try {
            return used.read(into, position);
        } catch (ClosedChannelException e) {
            // This thread was interrupted while it read, or another one was.
            interrupted |= Thread.interrupted();
            reopen(used);
            return readFromReserve(into.position(start), position);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private int readFromReserve(ByteBuffer into, long position) throws IOException {
        byte[] bytes = new byte[into.remaining()];
        int count;
        synchronized (reserve) {
            if (closed) {
                throw new ClosedChannelException();
            }
            reserve.seek(position);
            count = reserve.read(bytes);
        }
        into.put(bytes, 0, Math.max(0, count));
        return count;
    }

    /** Replaces a channel that was closed by an interruption, when that is still possible. */
    private void reopen(FileChannel gone) {
        synchronized (reserve) {
            if (closed || !channel.equals(gone) || !disk.state(path).isSameFileAs(opened)) {
                return;
            }
            try {
                FileChannel next = FileChannel.open(path, StandardOpenOption.READ);
                if (disk.state(path).isSameFileAs(opened)) {
                    channel = next;
                } else {
                    next.close();
                }
            } catch (IOException e) {
                // It may not be opened any more, or too many files are open. There is the reserve.
                return;
            }
        }
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        throw new IOException(path + ": opened for reading");
    }

    @Override
    public long size() throws IOException {
        synchronized (reserve) {
            return reserve.length();
        }
    }

    @Override
    public void force() throws IOException {
        throw new IOException(path + ": opened for reading");
    }

    @Override
    public boolean tryLock() {
        return false;
    }

    @Override
    public void close() throws IOException {
        synchronized (reserve) {
            closed = true;
            channel.close();
            reserve.close();
        }
    }
}
