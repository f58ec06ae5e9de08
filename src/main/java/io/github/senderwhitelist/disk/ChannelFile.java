package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;

/**
 * A file on a local disk. When a thread is interrupted while it reads or writes, Java closes the
 * file.
 */
final class ChannelFile implements DiskFile {
    private final FileChannel channel;

    ChannelFile(FileChannel channel) {
        this.channel = channel;
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
            return channel.tryLock() != null;
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
        channel.close();
    }
}
