package io.github.senderwhitelist.snapshot;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.store.BlockStore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * A part of a snapshot file: where it begins, which is at a multiple of {@value #ALIGNMENT}, its
 * length in bytes, and its CRC-32C.
 */
record Section(long offset, long length, int checksum) {
    static final Section NONE = new Section(0, 0, 0);
    static final int ALIGNMENT = 4096;

    /** The bytes that are written, read or copied at a time. */
    static final int AT_ONCE = 1 << 20;

    /** Appends a section of these bytes. */
    static Section write(DiskFile out, byte[] bytes) throws IOException {
        long offset = next(out);
        out.writeFully(ByteBuffer.wrap(bytes), offset);
        return new Section(offset, bytes.length, BlockStore.crc(bytes, bytes.length));
    }

    /** Returns where the next section of a file begins; the header is before all of them. */
    private static long next(DiskFile out) throws IOException {
        return (Math.max(1, out.size()) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }

    /** Reads and verifies the bytes; messages call the section by its name. */
    ByteBuffer read(DiskFile in, Path file, String name) throws IOException {
        byte[] bytes = new byte[(int) length];
        in.readFully(ByteBuffer.wrap(bytes), offset);
        require(BlockStore.crc(bytes, bytes.length), file, name);
        return ByteBuffer.wrap(bytes).order(LITTLE_ENDIAN);
    }

    private void require(int crc, Path file, String name) throws SnapshotException {
        if (crc != checksum) {
            throw SnapshotException.damaged(file, name + " has a wrong checksum");
        }
    }

    private static ByteBuffer piece(long length) {
        return ByteBuffer.allocateDirect((int) Math.min(AT_ONCE, length)).order(LITTLE_ENDIAN);
    }

    /** Appends the words of a filter. */
    static Section write(DiskFile out, Filter filter) throws IOException {
        long offset = next(out);
        long length = filter.shape().bytes();
        CRC32C crc = new CRC32C();
        ByteBuffer piece = piece(length);
        for (long at = 0; at < length; at += AT_ONCE) {
            piece.clear().limit((int) Math.min(AT_ONCE, length - at));
            filter.write(at / Long.BYTES, piece.asLongBuffer());
            crc.update(piece.duplicate());
            out.writeFully(piece, offset + at);
        }
        return new Section(offset, length, (int) crc.getValue());
    }

    /** Reads a filter, which nobody has before its words are verified. */
    Filter read(DiskFile in, FilterShape shape, Path file) throws IOException {
        Filter filter = shape.create();
        CRC32C crc = new CRC32C();
        ByteBuffer piece = piece(length);
        for (long at = 0; at < length; at += AT_ONCE) {
            piece.clear().limit((int) Math.min(AT_ONCE, length - at));
            in.readFully(piece, offset + at);
            filter.read(at / Long.BYTES, piece.asLongBuffer());
            crc.update(piece);
        }
        require((int) crc.getValue(), file, "a filter");
        return filter;
    }
}
