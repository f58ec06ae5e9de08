package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Reads the lines of a text, with LF or CRLF, in bounded memory. Of a line of more than {@value
 * #MAX_LINE} bytes, only the beginning is kept. Bytes that are not UTF-8 become U+FFFD, which no
 * entry may contain.
 */
final class LineReader {
    static final int MAX_LINE = 1 << 16;

    /** The message for lines that were cut. */
    static final String CUT = "a line of more than " + MAX_LINE + " bytes";

    private final InputStream in;
    private final String name;
    private final byte[] buffer = new byte[1 << 16];
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private int length;
    private int at;
    private long number;

    /**
     * Makes a reader.
     *
     * @param name what messages call the text
     */
    LineReader(InputStream in, String name) {
        this.in = in;
        this.name = name;
    }

    /** Returns the next line, or null after the last. */
    @Nullable Line next() throws IOException {
        line.reset();
        boolean cut = false;
        boolean any = false;
        while (at < length || fill()) {
            any = true;
            int end = at;
            while (end < length && buffer[end] != '\n') {
                refuseBinary(buffer[end++]);
            }
            int kept = Math.min(end - at, MAX_LINE - line.size());
            cut |= kept < end - at;
            line.write(buffer, at, kept);
            boolean ended = end < length;
            at = ended ? end + 1 : end;
            if (ended) {
                break;
            }
        }
        if (!any) {
            return null;
        }
        number++;
        return new Line(number, 1, text(), cut);
    }

    private boolean fill() throws IOException {
        at = 0;
        length = Math.max(0, in.read(buffer, 0, buffer.length));
        return length > 0;
    }

    private void refuseBinary(byte b) throws ListRefusedException {
        if (b == 0) {
            throw new ListRefusedException(
                    name
                            + ": binary data or UTF-16 (a zero byte in line "
                            + (number + 1)
                            + "); expected UTF-8 text, plain or gzip. Nothing was imported");
        }
    }

    private String text() {
        String text = line.toString(UTF_8);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    }
}
