package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.filter.BloomFilter;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.store.Serial;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * The bits of a filter in a file: the words in order, then one checksum for each {@value #CHUNK}
 * bytes of them.
 */
final class FilterSection {
    static final int CHUNK = 1 << 20;

    private FilterSection() {}

    /** The length of the section of a filter of that shape. */
    static long length(FilterShape shape) {
        return shape.bytes() + Integer.BYTES * chunks(shape);
    }

    private static long chunks(FilterShape shape) {
        return (shape.bytes() + CHUNK - 1) / CHUNK;
    }

    /** Checks every chunk of a filter, and keeps none. */
    static void verify(FileChannel in, Section section, FilterShape shape, Path file)
            throws IOException {
        ByteBuffer sums =
                ByteBuffer.allocate((int) chunks(shape) * Integer.BYTES).order(Serial.ORDER);
        FileBytes.read(in, sums, section.offset() + shape.bytes());
        boolean whole = FileBytes.crc(sums.duplicate()) == section.checksum();
        ByteBuffer chunk = ByteBuffer.allocateDirect((int) Math.min(CHUNK, shape.bytes()));
        for (long at = 0; whole && at < shape.bytes(); at += CHUNK) {
            chunk.clear().limit((int) Math.min(CHUNK, shape.bytes() - at));
            FileBytes.read(in, chunk, section.offset() + at);
            whole = FileBytes.crc(chunk) == sums.getInt();
        }
        if (!whole) {
            throw damaged(file);
        }
    }

    /** Writes a filter at {@code offset} and returns its section. */
    static Section write(FileChannel out, long offset, BloomFilter filter) throws IOException {
        ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK).order(Serial.ORDER);
        ByteBuffer sums =
                ByteBuffer.allocate((int) chunks(filter.shape()) * Integer.BYTES)
                        .order(Serial.ORDER);
        long[] words = filter.words();
        long at = offset;
        for (int word = 0; word < words.length; ) {
            int count = Math.min(CHUNK / Long.BYTES, words.length - word);
            chunk.clear();
            chunk.asLongBuffer().put(words, word, count);
            chunk.limit(count * Long.BYTES);
            sums.putInt(FileBytes.crc(chunk.duplicate()));
            at += FileBytes.write(out, chunk, at);
            word += count;
        }
        sums.flip();
        int checksum = FileBytes.crc(sums.duplicate());
        FileBytes.write(out, sums, at);
        return new Section(offset, length(filter.shape()), checksum);
    }

    /** Reads a filter, every chunk checked before its bits are used. */
    static BloomFilter read(FileChannel in, Section section, FilterShape shape, Path file)
            throws IOException {
        ByteBuffer sums =
                ByteBuffer.allocate((int) chunks(shape) * Integer.BYTES).order(Serial.ORDER);
        FileBytes.read(in, sums, section.offset() + shape.bytes());
        if (FileBytes.crc(sums.duplicate()) != section.checksum()) {
            throw damaged(file);
        }
        BloomFilter filter = shape.create();
        long[] words = filter.words();
        ByteBuffer chunk =
                ByteBuffer.allocateDirect((int) Math.min(CHUNK, shape.bytes())).order(Serial.ORDER);
        long at = section.offset();
        for (int word = 0; word < words.length; ) {
            int count = Math.min(CHUNK / Long.BYTES, words.length - word);
            chunk.clear().limit(count * Long.BYTES);
            FileBytes.read(in, chunk, at);
            if (FileBytes.crc(chunk.duplicate()) != sums.getInt()) {
                throw damaged(file);
            }
            chunk.asLongBuffer().get(words, word, count);
            at += count * (long) Long.BYTES;
            word += count;
        }
        return filter;
    }

    private static SnapshotException damaged(Path file) {
        return new SnapshotException(
                file, "damaged: a filter has a wrong checksum. Build or copy the snapshot again");
    }
}
