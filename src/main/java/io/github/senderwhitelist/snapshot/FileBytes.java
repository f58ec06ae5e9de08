package io.github.senderwhitelist.snapshot;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/** Whole reads and writes at a position, and their checksums. */
final class FileBytes {
    private FileBytes() {}

    /** Writes all of {@code bytes} and returns how many there were. */
    static long write(FileChannel out, ByteBuffer bytes, long offset) throws IOException {
        long at = offset;
        while (bytes.hasRemaining()) {
            at += out.write(bytes, at);
        }
        return at - offset;
    }

    /** Fills {@code bytes} and flips it. */
    static void read(FileChannel in, ByteBuffer bytes, long offset) throws IOException {
        long at = offset;
        while (bytes.hasRemaining()) {
            int count = in.read(bytes, at);
            if (count < 0) {
                throw new EOFException("the file ends at " + at);
            }
            at += count;
        }
        bytes.flip();
    }

    /** CRC-32C of the remaining bytes, which are consumed. */
    static int crc(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }
}
