package io.github.senderwhitelist.store;

import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Sorted runs of records in one temporary file, which is deleted when it is closed. One thread
 * writes run after run; then all runs can be read. A record is written as the number of bytes
 * shared with the one before (u16), the number that follow (u16), and these bytes.
 */
final class Runs implements Closeable {
    private static final int BUFFER = 1 << 18;
    private static final int MAX_WRITTEN = 2 * Short.BYTES + Records.MAX_LENGTH;

    private final DiskFile file;
    private final List<Long> ends = new ArrayList<>();
    private long written;

    Runs(Scratch scratch) throws IOException {
        this.file = scratch.create();
    }

    /** Appends a run of sorted records, each once. */
    void write(List<byte[]> records) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        byte[] before = {};
        for (byte[] record : records) {
            int shared = Arrays.mismatch(before, record);
            if (shared < 0) {
                continue;
            }
            if (buffer.remaining() < MAX_WRITTEN) {
                flush(buffer);
            }
            int follow = record.length - shared;
            buffer.putShort((short) shared).putShort((short) follow).put(record, shared, follow);
            before = record;
        }
        flush(buffer);
        ends.add(written);
    }

    private void flush(ByteBuffer buffer) throws IOException {
        int length = buffer.position();
        file.writeFully(buffer.flip(), written);
        written += length;
        buffer.clear();
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

    private final class Run implements Records {
        /** What was read and is not used yet. */
        private final ByteBuffer buffer;

        private long position;
        private final long end;
        private byte[] before = {};

        Run(long start, long end, int memory) {
            this.buffer = ByteBuffer.allocate(memory).flip();
            this.position = start;
            this.end = end;
        }

        @Override
        public byte @Nullable [] next() throws IOException {
            if (buffer.remaining() < MAX_WRITTEN && position < end) {
                buffer.compact();
                int count = (int) Math.min(buffer.remaining(), end - position);
                file.readFully(buffer.limit(buffer.position() + count), position);
                position += count;
            }
            if (!buffer.hasRemaining()) {
                return null;
            }
            int shared = buffer.getShort();
            int follow = buffer.getShort();
            before = Arrays.copyOf(before, shared + follow);
            buffer.get(before, shared, follow);
            return before;
        }
    }
}
