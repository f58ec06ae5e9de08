package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.CharConversionException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;

/**
 * The lines of a foreign list, which end with LF or CRLF: UTF-8, or UTF-16 with a byte order mark.
 * Other bytes become U+FFFD, which no entry may contain. Byte order marks at the beginning of any
 * line are left out, since files may have been joined. A text with a zero character is refused.
 */
final class ForeignLines {
    /** The longest line, in characters. Of longer ones, one more is kept. */
    static final int MAX_LENGTH = 1 << 16;

    private final BufferedReader text;
    private long count;

    /** Decodes a text, which is unpacked. */
    ForeignLines(InputStream in) throws IOException {
        BufferedInputStream bytes = new BufferedInputStream(in);
        bytes.mark(2);
        int mark = bytes.read() << 8 | bytes.read();
        bytes.reset();
        boolean wide = mark == 0xfeff || mark == 0xfffe;
        this.text = new BufferedReader(new InputStreamReader(bytes, wide ? UTF_16 : UTF_8));
    }

    /** Returns how many lines have been read. */
    long count() {
        return count;
    }

    /** Returns the next line, or null after the last. */
    @Nullable String next() throws IOException {
        int c = text.read();
        if (c < 0) {
            return null;
        }
        count++;
        StringBuilder line = new StringBuilder();
        for (; c >= 0 && c != '\n'; c = text.read()) {
            if (c == 0) {
                throw new CharConversionException(
                        "binary data (a zero byte in line "
                                + count
                                + "); expected text in UTF-8, or in UTF-16 with its mark, plain or"
                                + " gzip");
            }
            if (line.length() <= MAX_LENGTH && (c != '\ufeff' || !line.isEmpty())) {
                line.append((char) c);
            }
        }
        int end = line.length() - 1;
        return end >= 0 && line.charAt(end) == '\r' ? line.substring(0, end) : line.toString();
    }
}
