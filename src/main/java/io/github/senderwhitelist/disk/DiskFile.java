package io.github.senderwhitelist.disk;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** An open file. Positions and lengths are in bytes. */
public interface DiskFile extends Closeable {
    /**
     * Reads bytes from a position on; maybe fewer than asked for.
     *
     * @return how many, or -1 at the end of the file
     */
    int read(ByteBuffer into, long position) throws IOException;

    /**
     * Writes bytes at a position; maybe fewer than given.
     *
     * @return how many
     */
    int write(ByteBuffer from, long position) throws IOException;

    /** Returns the length of the file. */
    long size() throws IOException;

    /** Forces what was written to the disk, so that it outlives a power cut. */
    void force() throws IOException;

    /**
     * Locks the file until it is closed, so that other processes can tell that somebody is at work
     * on it.
     *
     * @return false when another one has locked it, or files cannot be locked here
     */
    boolean tryLock();

    /** Maps a part of the file into memory; null when this Java cannot. */
    @Nullable Mapping map(long start, long length) throws IOException;

    /**
     * Copies bytes from here into the same place of another file; maybe fewer than asked for. The
     * system may share the blocks of the two instead of copying them.
     *
     * @return how many, or -1 at the end of the file
     */
    default long copyTo(DiskFile target, long position, long count) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate((int) Math.min(count, 1 << 16));
        int read = read(piece, position);
        target.writeFully(piece.flip(), position);
        return read;
    }

    /**
     * Fills the buffer and flips it.
     *
     * @throws EOFException when the file ends before
     */
    default void readFully(ByteBuffer into, long position) throws IOException {
        int start = into.position();
        while (into.hasRemaining()) {
            if (read(into, position + into.position() - start) < 0) {
                throw new EOFException("the file ends at " + (position + into.position() - start));
            }
        }
        into.flip();
    }

    /** Writes all bytes of the buffer. */
    default void writeFully(ByteBuffer from, long position) throws IOException {
        long at = position;
        while (from.hasRemaining()) {
            at += write(from, at);
        }
    }
}
