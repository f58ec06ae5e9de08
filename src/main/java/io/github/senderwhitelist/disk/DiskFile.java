package io.github.senderwhitelist.disk;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** An open file, for any number of threads. Positions and lengths are in bytes. */
public abstract class DiskFile implements Closeable {
    /** The name that people know the file by. */
    final Path name;

    DiskFile(Path name) {
        this.name = name;
    }

    /**
     * Reads bytes from a position on, at least one unless the buffer is full. Returns how many, or
     * -1 at the end of the file.
     */
    public abstract int read(ByteBuffer into, long position) throws IOException;

    /** Writes bytes at a position, maybe fewer than the buffer holds. Returns how many. */
    abstract int write(ByteBuffer from, long position) throws IOException;

    /** Returns the length of the file. */
    public abstract long size() throws IOException;

    /** Forces everything that was written to the disk, so that it survives a power cut. */
    public abstract void force() throws IOException;

    /**
     * Locks the file until it is closed. Returns false when somebody has locked it, or files cannot
     * be locked here.
     */
    public abstract boolean tryLock();

    /** Fills the buffer and flips it. Throws an {@link EOFException} if the file ends first. */
    public final void readFully(ByteBuffer into, long position) throws IOException {
        long at = position;
        while (into.hasRemaining()) {
            int count = read(into, at);
            if (count < 0) {
                throw new EOFException(this + ": the file ends at " + at);
            }
            at += count;
        }
        into.flip();
    }

    /** Writes the whole buffer. */
    public final void writeFully(ByteBuffer from, long position) throws IOException {
        long at = position;
        while (from.hasRemaining()) {
            at += write(from, at);
        }
    }

    /**
     * Returns a stream of the bytes of the file, which it closes. Bytes that are appended after it
     * was begun are not read, so reading ends even if the file never stops growing.
     */
    public final InputStream input() {
        return new InputStream() {
            private long end = -1;
            private long position;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] bytes, int from, int length) throws IOException {
                end = end < 0 ? size() : end;
                int max = (int) Math.min(length, end - position);
                if (max <= 0) {
                    return length == 0 ? 0 : -1;
                }
                int count = DiskFile.this.read(ByteBuffer.wrap(bytes, from, max), position);
                position += Math.max(0, count);
                return count;
            }

            @Override
            public void close() throws IOException {
                DiskFile.this.close();
            }
        };
    }

    /** Returns a stream that writes from a position on. Closing it leaves the file open. */
    public final OutputStream output(long start) {
        return new OutputStream() {
            private long position = start;

            @Override
            public void write(int b) throws IOException {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int from, int length) throws IOException {
                writeFully(ByteBuffer.wrap(bytes, from, length), position);
                position += length;
            }
        };
    }

    @Override
    public final String toString() {
        return name.toString();
    }
}
