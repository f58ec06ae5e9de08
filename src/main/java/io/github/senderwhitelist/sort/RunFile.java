package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Sorted runs of records in one temporary file, which is deleted when it is closed. One thread
 * writes run after run; then all runs can be read. A record is written as two varints, the number
 * of bytes shared with the one before and the number that follow, and these bytes.
 */
final class RunFile implements Closeable {
    private static final int BUFFER = 1 << 18;

    /** The most bytes that a record takes: two varints of two bytes and the record. */
    private static final int MAX_WRITTEN = 4 + Records.MAX_LENGTH;

    private final DiskFile file;
    private final List<Long> ends = new ArrayList<>();
    private long written;

    RunFile(Scratch scratch) throws IOException {
        this.file = scratch.create();
    }

    /** Appends a run of sorted records, each once. */
    void write(Records records) throws IOException {
        byte[] buffer = new byte[BUFFER];
        byte[] before = new byte[Records.MAX_LENGTH];
        int beforeLength = 0;
        int at = 0;
        while (records.next()) {
            byte[] record = records.record;
            int shared = Arrays.mismatch(before, 0, beforeLength, record, 0, records.length);
            if (shared < 0) {
                continue;
            }
            if (at > buffer.length - MAX_WRITTEN) {
                flush(buffer, at);
                at = 0;
            }
            int follow = records.length - shared;
            at = putVarint(buffer, at, shared);
            at = putVarint(buffer, at, follow);
            System.arraycopy(record, shared, buffer, at, follow);
            System.arraycopy(record, shared, before, shared, follow);
            beforeLength = records.length;
            at += follow;
        }
        flush(buffer, at);
        ends.add(written);
    }

    private static int putVarint(byte[] buffer, int at, int value) {
        if (value < 0x80) {
            buffer[at] = (byte) value;
            return at + 1;
        }
        buffer[at] = (byte) (value | 0x80);
        buffer[at + 1] = (byte) (value >>> 7);
        return at + 2;
    }

    private void flush(byte[] buffer, int length) throws IOException {
        file.writeFully(ByteBuffer.wrap(buffer, 0, length), written);
        written += length;
    }

    /** Returns all runs, which are read with this many bytes of memory, or a little more. */
    List<Records> read(long memory) {
        int each = Math.clamp(memory / ends.size(), 2 * MAX_WRITTEN, BUFFER);
        List<Records> runs = new ArrayList<>();
        long start = 0;
        for (long end : ends) {
            runs.add(new Run(start, end, each));
            start = end;
        }
        return runs;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private final class Run extends Records {
        private final byte[] bytes;
        private final long end;
        private long position;
        private int at;
        private int limit;

        Run(long start, long end, int buffer) {
            this.bytes = new byte[buffer];
            this.position = start;
            this.end = end;
        }

        @Override
        boolean next() throws IOException {
            if (limit - at < MAX_WRITTEN) {
                refill();
                if (at == limit) {
                    return false;
                }
            }
            int shared = varint();
            int follow = varint();
            System.arraycopy(bytes, at, record, shared, follow);
            at += follow;
            length = shared + follow;
            return true;
        }

        private int varint() {
            int value = bytes[at++];
            return value >= 0 ? value : (value & 0x7f) | bytes[at++] << 7;
        }

        private void refill() throws IOException {
            System.arraycopy(bytes, at, bytes, 0, limit - at);
            limit -= at;
            at = 0;
            int count = (int) Math.min(bytes.length - limit, end - position);
            file.readFully(ByteBuffer.wrap(bytes, limit, count), position);
            position += count;
            limit += count;
        }
    }
}
