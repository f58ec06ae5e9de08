package io.github.senderwhitelist.disk;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file, for any number of threads. Positions and lengths are in bytes. {@code toString}
 * returns the name that people know it by.
 */
public interface DiskFile extends Closeable {
    /**
     * Reads bytes from a position on, at least one unless the file ends there, and at most as many
     * as the buffer has room for.
     *
     * @return how many were read, or -1 at the end of the file
     */
    int read(ByteBuffer into, long position) throws IOException;

    /** Writes bytes at a position, maybe fewer than the buffer holds. Returns how many. */
    int write(ByteBuffer from, long position) throws IOException;

    /** Returns the length of the file. */
    long size() throws IOException;

    /** Forces everything that was written to the disk, so that it survives a power cut. */
    void force() throws IOException;

    /**
     * Locks the file until it is closed. Other processes then see that it is in use.
     *
     * @return false when somebody has locked it, or files cannot be locked here
     */
    boolean tryLock();

    /**
     * Fills the buffer and flips it.
     *
     * @throws EOFException if the file ends first
     */
    default void readFully(ByteBuffer into, long position) throws IOException {
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
    default void writeFully(ByteBuffer from, long position) throws IOException {
        long at = position;
        while (from.hasRemaining()) {
            at += write(from, at);
        }
    }
}
