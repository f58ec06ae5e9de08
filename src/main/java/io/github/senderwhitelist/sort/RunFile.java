package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.sort.RunCode.Decoder;
import io.github.senderwhitelist.sort.RunCode.Encoder;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Sorted runs of entries in one temporary file, which is deleted when it is closed. One thread
 * writes run after run; then each run can be read.
 */
final class RunFile implements Closeable {
    private static final int WRITE_BUFFER = 1 << 18;

    private final DiskFile file;
    private final DomainTable domains;
    private final List<Long> ends = new ArrayList<>();
    private long written;

    /**
     * Creates a file.
     *
     * @param domains for the numbers of domains
     */
    RunFile(Scratch scratch, DomainTable domains) throws IOException {
        this.file = scratch.create();
        this.domains = domains;
    }

    /** Appends a run. */
    void write(DistinctEntries entries) throws IOException {
        Encoder encoder = new Encoder(domains);
        byte[] buffer = new byte[WRITE_BUFFER];
        int at = 0;
        for (SortedEntry entry = entries.next(); entry != null; entry = entries.next()) {
            if (at > buffer.length - RunCode.MAX_ENTRY) {
                flush(buffer, at);
                at = 0;
            }
            at = encoder.put(entry, buffer, at);
        }
        flush(buffer, at);
        ends.add(written);
    }

    private void flush(byte[] buffer, int length) throws IOException {
        file.writeFully(ByteBuffer.wrap(buffer, 0, length), written);
        written += length;
    }

    int runs() {
        return ends.size();
    }

    /** Returns the bytes written. */
    long size() {
        return written;
    }

    /** Returns the entries of a run, which are read with a buffer of {@code bufferSize} bytes. */
    SortedEntries read(int run, int bufferSize) {
        return new Reader(
                run == 0 ? 0 : ends.get(run - 1),
                ends.get(run),
                Math.max(bufferSize, 2 * RunCode.MAX_ENTRY));
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** Reads one run. */
    private final class Reader extends Decoder {
        private final ByteBuffer buffer;
        private final long end;
        private long position;

        Reader(long start, long end, int bufferSize) {
            super(domains, new byte[bufferSize], 0, 0);
            this.buffer = ByteBuffer.wrap(bytes);
            this.position = start;
            this.end = end;
        }

        @Override
        void refill() throws IOException {
            System.arraycopy(bytes, at, bytes, 0, limit - at);
            limit -= at;
            at = 0;
            buffer.clear()
                    .limit((int) Math.min(bytes.length, limit + end - position))
                    .position(limit);
            while (buffer.hasRemaining()) {
                int count = file.read(buffer, position);
                if (count < 0) {
                    throw new IOException(
                            "a temporary file ends at " + position + ", " + end + " expected");
                }
                position += count;
            }
            limit = buffer.position();
        }
    }
}
