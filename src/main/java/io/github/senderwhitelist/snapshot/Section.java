package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.store.Serial;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * A part of a snapshot file. That of a filter has its words in order, then a CRC-32C (u32) for each
 * {@value #CHUNK} bytes of them.
 *
 * @param offset its position in the file, in bytes
 * @param length its length in bytes
 * @param checksum its CRC-32C; {@link SnapshotHeader} documents which bytes it covers
 */
record Section(long offset, long length, int checksum) {
    static final int CHUNK = 1 << 20;

    /** Writes bytes to position {@code offset}. */
    static Section write(DiskFile out, long offset, byte[] bytes) throws IOException {
        out.writeFully(ByteBuffer.wrap(bytes), offset);
        return new Section(offset, bytes.length, crc(ByteBuffer.wrap(bytes)));
    }

    /**
     * Reads the bytes and verifies them.
     *
     * @param file the name of the file in messages
     * @param name what the section is, in messages
     */
    ByteBuffer read(DiskFile in, Path file, String name) throws IOException {
        return verified(in, offset, (int) length, file, name);
    }

    private ByteBuffer verified(DiskFile in, long from, int count, Path file, String name)
            throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(count).order(Serial.ORDER);
        in.readFully(bytes, from);
        if (crc(bytes.duplicate()) != checksum) {
            throw damaged(file, name);
        }
        return bytes;
    }

    private static SnapshotException damaged(Path file, String name) {
        return new SnapshotException(
                file,
                "damaged: " + name + " has a wrong checksum. Build or copy the snapshot again");
    }

    private static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    /** Returns the length of the section of a filter of that shape. */
    static long length(FilterShape shape) {
        return shape.bytes() + sums(shape);
    }

    /** Returns the bytes that the checksums of a filter take. */
    private static long sums(FilterShape shape) {
        return (shape.bytes() + CHUNK - 1) / CHUNK * Integer.BYTES;
    }

    private static ByteBuffer chunk(FilterShape shape) {
        return ByteBuffer.allocateDirect((int) Math.min(CHUNK, shape.bytes())).order(Serial.ORDER);
    }

    /** Writes a filter to position {@code offset}. */
    static Section write(DiskFile out, long offset, Filter filter) throws IOException {
        long bytes = filter.shape().bytes();
        ByteBuffer chunk = chunk(filter.shape());
        ByteBuffer sums = ByteBuffer.allocate((int) sums(filter.shape())).order(Serial.ORDER);
        for (long at = 0; at < bytes; at += CHUNK) {
            chunk.clear().limit((int) Math.min(CHUNK, bytes - at));
            filter.write(at / Long.BYTES, chunk.asLongBuffer());
            sums.putInt(crc(chunk.duplicate()));
            out.writeFully(chunk, offset + at);
        }
        int checksum = write(out, offset + bytes, sums.array()).checksum;
        return new Section(offset, length(filter.shape()), checksum);
    }

    /** Reads a filter. Every chunk is verified before its bits are used. */
    Filter readFilter(DiskFile in, FilterShape shape, Path file) throws IOException {
        String name = "a filter";
        ByteBuffer sums = verified(in, offset + shape.bytes(), (int) sums(shape), file, name);
        Filter filter = shape.create();
        ByteBuffer chunk = chunk(shape);
        for (long at = 0; at < shape.bytes(); at += CHUNK) {
            chunk.clear().limit((int) Math.min(CHUNK, shape.bytes() - at));
            in.readFully(chunk, offset + at);
            if (crc(chunk.duplicate()) != sums.getInt()) {
                throw damaged(file, name);
            }
            filter.read(at / Long.BYTES, chunk.asLongBuffer());
        }
        return filter;
    }
}
