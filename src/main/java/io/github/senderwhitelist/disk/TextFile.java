package io.github.senderwhitelist.disk;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/** Reads small files of text. */
public final class TextFile {
    private static final int MOST = 1 << 20;

    private TextFile() {}

    /**
     * Returns the lines of a UTF-8 file.
     *
     * @throws IOException when it cannot be read, is no UTF-8, or has more than a megabyte
     */
    public static List<String> lines(Disk disk, Path file) throws IOException {
        try (InputStream in = DiskInput.open(disk, file)) {
            byte[] bytes = in.readNBytes(MOST + 1);
            if (bytes.length > MOST) {
                throw new IOException(file + ": more than " + MOST + " bytes");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString()
                    .lines()
                    .toList();
        }
    }
}
