package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.store.Serial;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The section of a filter in a snapshot: the words of the filter in order, then a CRC-32C (u32) for
 * each {@value #CHUNK} bytes of them.
 */
final class FilterSection {
    static final int CHUNK = 1 << 20;

    private FilterSection() {}

    /** Returns the length of the section of a filter of that shape. */
    static long length(FilterShape shape) {
        return shape.bytes() + Integer.BYTES * chunks(shape);
    }

    private static long chunks(FilterShape shape) {
        return (shape.bytes() + CHUNK - 1) / CHUNK;
    }

    /** Writes a filter to position {@code offset} and returns its section. */
    static Section write(DiskFile out, long offset, Filter filter) throws IOException {
        long bytes = filter.shape().bytes();
        ByteBuffer chunk =
                ByteBuffer.allocateDirect((int) Math.min(CHUNK, bytes)).order(Serial.ORDER);
        ByteBuffer sums =
                ByteBuffer.allocate((int) chunks(filter.shape()) * Integer.BYTES)
                        .order(Serial.ORDER);
        for (long at = 0; at < bytes; at += CHUNK) {
            chunk.clear().limit((int) Math.min(CHUNK, bytes - at));
            filter.write(at / Long.BYTES, chunk.asLongBuffer());
            sums.putInt(Checksums.crc(chunk.duplicate()));
            out.writeFully(chunk, offset + at);
        }
        sums.flip();
        int checksum = Checksums.crc(sums.duplicate());
        out.writeFully(sums, offset + bytes);
        return new Section(offset, length(filter.shape()), checksum);
    }

    /**
     * Reads a filter. Every chunk is verified before its bits are used.
     *
     * @param file the name of the file in messages
     * @throws SnapshotException if a checksum is wrong
     */
    static Filter read(DiskFile in, Section section, FilterShape shape, Path file)
            throws IOException {
        ByteBuffer sums = sums(in, section, shape, file);
        Filter filter = shape.create();
        ByteBuffer chunk =
                ByteBuffer.allocateDirect((int) Math.min(CHUNK, shape.bytes())).order(Serial.ORDER);
        for (long at = 0; at < shape.bytes(); at += CHUNK) {
            chunk.clear().limit((int) Math.min(CHUNK, shape.bytes() - at));
            in.readFully(chunk, section.offset() + at);
            if (Checksums.crc(chunk.duplicate()) != sums.getInt()) {
                throw damaged(file);
            }
            filter.read(at / Long.BYTES, chunk.asLongBuffer());
        }
        return filter;
    }

    /** Reads the checksums of the chunks and verifies them by that of the section. */
    private static ByteBuffer sums(DiskFile in, Section section, FilterShape shape, Path file)
            throws IOException {
        ByteBuffer sums =
                ByteBuffer.allocate((int) chunks(shape) * Integer.BYTES).order(Serial.ORDER);
        in.readFully(sums, section.offset() + shape.bytes());
        if (Checksums.crc(sums.duplicate()) != section.checksum()) {
            throw damaged(file);
        }
        return sums;
    }

    private static SnapshotException damaged(Path file) {
        return new SnapshotException(
                file, "damaged: a filter has a wrong checksum. Build or copy the snapshot again");
    }
}
