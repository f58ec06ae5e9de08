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
    void write(Records records) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
        byte[] before = new byte[Records.MAX_LENGTH];
        int beforeLength = 0;
        while (records.next()) {
            byte[] record = records.record;
            int shared = Arrays.mismatch(before, 0, beforeLength, record, 0, records.length);
            if (shared < 0) {
                continue;
            }
            if (buffer.remaining() < MAX_WRITTEN) {
                flush(buffer);
            }
            int follow = records.length - shared;
            buffer.putShort((short) shared).putShort((short) follow).put(record, shared, follow);
            System.arraycopy(record, shared, before, shared, follow);
            beforeLength = records.length;
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

    private final class Run extends Records {
        /** What was read and is not used yet. */
        private final ByteBuffer buffer;

        private long position;
        private final long end;

        Run(long start, long end, int memory) {
            this.buffer = ByteBuffer.allocate(memory).flip();
            this.position = start;
            this.end = end;
        }

        @Override
        boolean next() throws IOException {
            if (buffer.remaining() < MAX_WRITTEN && position < end) {
                buffer.compact();
                int count = (int) Math.min(buffer.remaining(), end - position);
                file.readFully(buffer.limit(buffer.position() + count), position);
                position += count;
            }
            if (!buffer.hasRemaining()) {
                return false;
            }
            int shared = buffer.getShort();
            int follow = buffer.getShort();
            buffer.get(record, shared, follow);
            length = shared + follow;
            return true;
        }
    }
}
