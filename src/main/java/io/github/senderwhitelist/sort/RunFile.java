package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.SortKey;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Sorted runs of entries in one temporary file, which is gone when it is closed. One thread writes
 * run after run; then each run can be read.
 *
 * <p>An entry: bytes shared with the key before (varint), bytes that follow (varint), flags (u8),
 * the bytes that follow.
 */
final class RunFile implements Closeable {
    private static final int WRITE_BUFFER = 1 << 18;
    private static final int MAX_RECORD = SortKey.MAX_LENGTH + 8;

    private final FileChannel channel;
    private final List<Long> ends = new ArrayList<>();
    private long written;

    RunFile(Path path) throws IOException {
        this.channel =
                FileChannel.open(
                        path,
                        StandardOpenOption.CREATE_NEW,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE,
                        StandardOpenOption.DELETE_ON_CLOSE);
    }

    /** Appends a run. */
    void write(SortedEntries entries) throws IOException {
        byte[] before = new byte[SortKey.MAX_LENGTH];
        int beforeLength = 0;
        byte[] buffer = new byte[WRITE_BUFFER];
        int at = 0;
        while (entries.next()) {
            if (at > buffer.length - MAX_RECORD) {
                flush(buffer, at);
                at = 0;
            }
            byte[] key = entries.key();
            int length = entries.keyLength();
            int mismatch = Arrays.mismatch(before, 0, beforeLength, key, 0, length);
            int shared = mismatch < 0 ? length : mismatch;
            at = putVarint(buffer, at, shared);
            at = putVarint(buffer, at, length - shared);
            buffer[at++] = (byte) entries.flags();
            System.arraycopy(key, shared, buffer, at, length - shared);
            System.arraycopy(key, shared, before, shared, length - shared);
            at += length - shared;
            beforeLength = length;
        }
        flush(buffer, at);
        ends.add(written);
    }

    private void flush(byte[] buffer, int length) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, length);
        while (bytes.hasRemaining()) {
            channel.write(bytes, written + bytes.position());
        }
        written += length;
    }

    private static int putVarint(byte[] buffer, int position, int value) {
        int at = position;
        int rest = value;
        while (rest >= 0x80) {
            buffer[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        buffer[at++] = (byte) rest;
        return at;
    }

    int runs() {
        return ends.size();
    }

    /** Bytes written. */
    long size() {
        return written;
    }

    /** The entries of a run, read with a buffer of that many bytes. */
    SortedEntries read(int run, int bufferSize) {
        return new Reader(run == 0 ? 0 : ends.get(run - 1), ends.get(run), bufferSize);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** Reads one run. */
    private final class Reader implements SortedEntries {
        private final ByteBuffer buffer;
        private final byte[] bytes;
        private final long end;
        private long filePosition;
        private int at;
        private int limit;
        private final byte[] key = new byte[SortKey.MAX_LENGTH];
        private int length;
        private int flags;

        Reader(long start, long end, int bufferSize) {
            this.filePosition = start;
            this.end = end;
            this.bytes = new byte[Math.max(bufferSize, 2 * MAX_RECORD)];
            this.buffer = ByteBuffer.wrap(bytes);
        }

        @Override
        public boolean next() throws IOException {
            if (limit - at < MAX_RECORD) {
                fill();
                if (at == limit) {
                    return false;
                }
            }
            int shared = varint();
            int follow = varint();
            flags = bytes[at++];
            System.arraycopy(bytes, at, key, shared, follow);
            at += follow;
            length = shared + follow;
            return true;
        }

        private void fill() throws IOException {
            System.arraycopy(bytes, at, bytes, 0, limit - at);
            limit -= at;
            at = 0;
            buffer.clear().position(limit);
            buffer.limit((int) Math.min(bytes.length, limit + end - filePosition));
            while (buffer.hasRemaining()) {
                int count = channel.read(buffer, filePosition);
                if (count < 0) {
                    throw new IOException(
                            "a temporary file ends at " + filePosition + ", " + end + " expected");
                }
                filePosition += count;
            }
            limit = buffer.position();
        }

        private int varint() {
            int value = 0;
            for (int shift = 0; ; shift += 7) {
                int b = bytes[at++];
                value |= (b & 0x7f) << shift;
                if (b >= 0) {
                    return value;
                }
            }
        }

        @Override
        public byte[] key() {
            return key;
        }

        @Override
        public int keyLength() {
            return length;
        }

        @Override
        public int flags() {
            return flags;
        }
    }
}
