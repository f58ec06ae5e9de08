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
 * A file that many threads read at once. All of them read from one channel at positions of their
 * own, without waiting for each other.
 *
 * <p>Java closes a channel when a thread is interrupted while reading from it. So there is a
 * reserve: a second handle of the same file, which interruptions do not close. It is opened
 * together with the channel, because the name may later belong to another file. Reads from the
 * reserve wait for each other. So the channel is opened again as long as the name still belongs to
 * the same file.
 */
final class SharedFile implements DiskFile {
    /**
     * The number of replacements after which opening gives up. A name that belongs to another file
     * at every look is an attack.
     */
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

    /** Opens the channel and the reserve, and makes sure that both belong to one file. */
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
                // The file was deleted or replaced between the two calls.
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
        // If this thread was interrupted already, reading would close the channel at once.
        boolean interrupted = Thread.interrupted();
        int start = into.position();
        try {
            return used.read(into, position);
        } catch (ClosedChannelException e) {
            // Either this thread or another one was interrupted while reading.
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

    /**
     * Opens the channel again after an interruption closed it, if the name still belongs to the
     * same file.
     */
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
                // Permission was withdrawn, or too many files are open. The reserve still works.
                return;
            }
        }
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        throw new IOException(path + ": was opened for reading only");
    }

    @Override
    public long size() throws IOException {
        synchronized (reserve) {
            return reserve.length();
        }
    }

    @Override
    public void force() throws IOException {
        throw new IOException(path + ": was opened for reading only");
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
