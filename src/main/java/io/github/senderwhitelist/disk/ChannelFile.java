package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A file on a local disk. When a thread is interrupted while it reads or writes, Java closes the
 * file.
 */
final class ChannelFile implements DiskFile {
    /**
     * The identities of the files that this process has locked. It must not open one of them again:
     * Unix forgets all locks of a process on a file as soon as it closes the file once.
     */
    private static final Set<Object> LOCKED = ConcurrentHashMap.newKeySet();

    private final FileChannel channel;
    private final Object identity;
    private volatile boolean locked;

    /**
     * Makes a file.
     *
     * @param identity that of its {@link FileState}
     */
    ChannelFile(FileChannel channel, Object identity) {
        this.channel = channel;
        this.identity = identity;
    }

    /** Returns whether this process has locked the file of that identity. */
    static boolean isLocked(Object identity) {
        return LOCKED.contains(identity);
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        return channel.read(into, position);
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        return channel.write(from, position);
    }

    @Override
    public long size() throws IOException {
        return channel.size();
    }

    @Override
    public void force() throws IOException {
        channel.force(true);
    }

    @Override
    @SuppressWarnings("resource") // the lock ends with the channel
    public boolean tryLock() {
        try {
            FileLock lock = channel.tryLock();
            if (lock != null) {
                LOCKED.add(identity);
                locked = true;
            }
            return lock != null;
        } catch (IOException | OverlappingFileLockException e) {
            return false;
        }
    }

    @Override
    public long copyTo(DiskFile target, long position, long count) throws IOException {
        if (target instanceof ChannelFile other) {
            // Writing at the target's own position lets the system share blocks instead of copying.
            other.channel.position(position);
            return channel.transferTo(position, count, other.channel);
        }
        return DiskFile.super.copyTo(target, position, count);
    }

    @Override
    public void close() throws IOException {
        if (locked) {
            LOCKED.remove(identity);
        }
        channel.close();
    }
}
