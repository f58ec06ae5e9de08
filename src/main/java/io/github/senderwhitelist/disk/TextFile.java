package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Reads small text files. */
public final class TextFile {
    /** The largest file that is read, in bytes. */
    public static final int MAX_BYTES = 1 << 20;

    private TextFile() {}

    /**
     * Returns the lines of a UTF-8 file without their line ends.
     *
     * @throws IOException if the file cannot be read, is not UTF-8, or is longer than 1,048,576
     *     bytes; the message names the file
     */
    public static List<String> lines(Disk disk, Path file) throws IOException {
        try (InputStream in = DiskInput.open(disk, file)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw new IOException(file + ": more than " + MAX_BYTES + " bytes");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString()
                    .lines()
                    .toList();
        } catch (CharacterCodingException e) {
            throw new IOException(file + ": not UTF-8", e);
        }
    }
}
