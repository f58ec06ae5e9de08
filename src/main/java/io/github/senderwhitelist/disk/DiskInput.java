package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A stream of the bytes of a file. Bytes that are appended after it was begun are not read, so
 * reading ends even if the file never stops growing.
 */
public final class DiskInput extends InputStream {
    /** The length of the largest file that is read as lines. */
    private static final int MAX_TEXT = 1 << 20;

    private final DiskFile file;
    private long end = -1;
    private long position;

    private DiskInput(DiskFile file) {
        this.file = file;
    }

    /** Opens a file. */
    public static DiskInput open(Disk disk, Path path) throws IOException {
        return new DiskInput(disk.open(path));
    }

    /**
     * Returns the lines of a small UTF-8 file without their line ends.
     *
     * @throws IOException if the file cannot be read, is not UTF-8, or is longer than a megabyte;
     *     the message names the file
     */
    public static List<String> lines(Disk disk, Path path) throws IOException {
        try (InputStream in = open(disk, path)) {
            ByteBuffer bytes = ByteBuffer.wrap(in.readNBytes(MAX_TEXT + 1));
            if (bytes.limit() > MAX_TEXT) {
                throw new IOException(path + ": more than " + MAX_TEXT + " bytes");
            }
            return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString().lines().toList();
        } catch (CharacterCodingException e) {
            throw new IOException(path + ": not UTF-8", e);
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
        if (end < 0) {
            end = file.size();
        }
        int max = (int) Math.min(length, end - position);
        if (max <= 0) {
            return length == 0 ? 0 : -1;
        }
        int count = file.read(ByteBuffer.wrap(bytes, from, max), position);
        position += Math.max(0, count);
        return count;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
