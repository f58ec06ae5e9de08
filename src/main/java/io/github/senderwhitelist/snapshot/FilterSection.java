package io.github.senderwhitelist.snapshot;

import io.github.senderwhitelist.filter.BloomFilter;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.store.Serial;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
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
        LongBuffer words = filter.words();
        long at = offset;
        while (words.hasRemaining()) {
            LongBuffer next = nextChunk(words);
            chunk.clear().limit(next.remaining() * Long.BYTES);
            chunk.asLongBuffer().put(next);
            sums.putInt(FileBytes.crc(chunk.duplicate()));
            at += FileBytes.write(out, chunk, at);
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
        LongBuffer words = filter.words();
        ByteBuffer chunk =
                ByteBuffer.allocateDirect((int) Math.min(CHUNK, shape.bytes())).order(Serial.ORDER);
        long at = section.offset();
        while (words.hasRemaining()) {
            LongBuffer next = nextChunk(words);
            chunk.clear().limit(next.remaining() * Long.BYTES);
            FileBytes.read(in, chunk, at);
            at += chunk.limit();
            if (FileBytes.crc(chunk.duplicate()) != sums.getInt()) {
                throw damaged(file);
            }
            next.put(chunk.asLongBuffer());
        }
        return filter;
    }

    /** The next words, at most a chunk of them; {@code words} goes on behind them. */
    private static LongBuffer nextChunk(LongBuffer words) {
        int count = Math.min(CHUNK / Long.BYTES, words.remaining());
        LongBuffer next = words.slice(words.position(), count);
        words.position(words.position() + count);
        return next;
    }

    private static SnapshotException damaged(Path file) {
        return new SnapshotException(
                file, "damaged: a filter has a wrong checksum. Build or copy the snapshot again");
    }
}
