package io.github.senderwhitelist.snapshot;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterShape;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * A part of a snapshot file, which begins at a multiple of {@value #ALIGNMENT}.
 *
 * @param offset its position in the file, in bytes
 * @param length its length in bytes
 * @param checksum its CRC-32C
 */
record Section(long offset, long length, int checksum) {
    static final Section NONE = new Section(0, 0, 0);
    static final int ALIGNMENT = 4096;

    /** The bytes of a filter that are written or read at a time. */
    static final int AT_ONCE = 1 << 20;

    /** Appends a section of these bytes. */
    static Section write(DiskFile out, byte[] bytes) throws IOException {
        long offset = next(out);
        out.writeFully(ByteBuffer.wrap(bytes), offset);
        return new Section(offset, bytes.length, crc(ByteBuffer.wrap(bytes)));
    }

    /** Returns where the next section of a file begins; the header is before all of them. */
    private static long next(DiskFile out) throws IOException {
        return (Math.max(1, out.size()) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /**
     * Reads the bytes and verifies them.
     *
     * @param file the name of the file in messages
     * @param name what the section is, in messages
     */
    ByteBuffer read(DiskFile in, Path file, String name) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate((int) length).order(LITTLE_ENDIAN);
        in.readFully(bytes, offset);
        require(crc(bytes) == checksum, file, name);
        return bytes;
    }

    private static void require(boolean isRight, Path file, String name) throws SnapshotException {
        if (!isRight) {
            throw SnapshotException.damaged(file, name + " has a wrong checksum");
        }
    }

    /** Returns the CRC-32C of what remains in a buffer, which is not changed. */
    static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    private static ByteBuffer piece(FilterShape shape) {
        int length = (int) Math.min(AT_ONCE, shape.bytes());
        return ByteBuffer.allocateDirect(length).order(LITTLE_ENDIAN);
    }

    /** Appends the words of a filter. */
    static Section write(DiskFile out, Filter filter) throws IOException {
        long offset = next(out);
        long length = filter.shape().bytes();
        CRC32C crc = new CRC32C();
        ByteBuffer piece = piece(filter.shape());
        for (long at = 0; at < length; at += AT_ONCE) {
            piece.clear().limit((int) Math.min(AT_ONCE, length - at));
            filter.write(at / Long.BYTES, piece.asLongBuffer());
            crc.update(piece.duplicate());
            out.writeFully(piece, offset + at);
        }
        return new Section(offset, length, (int) crc.getValue());
    }

    /** Reads a filter, which nobody has before its words are verified. */
    Filter readFilter(DiskFile in, FilterShape shape, Path file) throws IOException {
        Filter filter = shape.create();
        CRC32C crc = new CRC32C();
        ByteBuffer piece = piece(shape);
        for (long at = 0; at < length; at += AT_ONCE) {
            piece.clear().limit((int) Math.min(AT_ONCE, length - at));
            in.readFully(piece, offset + at);
            filter.read(at / Long.BYTES, piece.asLongBuffer());
            crc.update(piece);
        }
        require((int) crc.getValue() == checksum, file, "a filter");
        return filter;
    }
}
