package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;

/** A file of this machine's. An interruption of a thread that reads or writes closes it. */
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
            FileLock lock = channel.tryLock();
            return lock != null;
        } catch (IOException | OverlappingFileLockException e) {
            return false;
        }
    }

    @Override
    public @Nullable Mapping map(long start, long length) throws IOException {
        return ArenaMapping.isPossible() ? ArenaMapping.of(channel, start, length) : null;
    }

    @Override
    public long copyTo(DiskFile target, long position, long count) throws IOException {
        if (target instanceof ChannelFile other) {
            // The copy goes on at the channel's own position, so that the system may share blocks.
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
