package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.list.ListRefusedException;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;

/**
 * The text of a foreign list: UTF-8, or UTF-16 with a byte order mark. Other bytes become U+FFFD,
 * which no entry may contain. Byte order marks at the beginning of any line are left out, since
 * files may have been joined. A text with a zero character is refused.
 */
final class ForeignText extends Reader {
    /** The longest line, in characters. */
    static final int MAX_LINE = 1 << 16;

    private static final int BUFFER = 1 << 16;

    private final Reader text;
    private final String name;
    private final char[] buffer = new char[BUFFER];
    private int at;
    private int length;
    private boolean atLineStart = true;
    private long lines;

    /**
     * Decodes a text.
     *
     * @param in the unpacked list
     * @param name what messages call the list
     */
    ForeignText(InputStream in, String name) throws IOException {
        BufferedInputStream bytes = new BufferedInputStream(in, BUFFER);
        bytes.mark(2);
        int mark = bytes.read() << 8 | bytes.read();
        bytes.reset();
        boolean wide = mark == 0xfeff || mark == 0xfffe;
        this.text = new InputStreamReader(bytes, wide ? UTF_16 : UTF_8);
        this.name = name;
    }

    /** Returns what messages call the list. */
    String name() {
        return name;
    }

    /** Returns how many lines have begun so far. */
    long lines() {
        return lines;
    }

    /**
     * Returns the next line, which ended with LF or CRLF, or null after the last. Of a line of more
     * than {@link #MAX_LINE} characters one more is kept.
     */
    @Nullable String line() throws IOException {
        int c = read();
        if (c < 0) {
            return null;
        }
        StringBuilder line = new StringBuilder();
        for (; c >= 0 && c != '\n'; c = read()) {
            if (line.length() <= MAX_LINE) {
                line.append((char) c);
            }
        }
        int end = line.length() - 1;
        return end >= 0 && line.charAt(end) == '\r' ? line.substring(0, end) : line.toString();
    }

    @Override
    public int read() throws IOException {
        int c = decoded();
        while (atLineStart && c == '\ufeff') {
            c = decoded();
        }
        if (atLineStart && c >= 0) {
            lines++;
        }
        atLineStart = c == '\n';
        if (c == 0) {
            throw new ListRefusedException(
                    name
                            + ": binary data (a zero byte in line "
                            + lines
                            + "); expected text in UTF-8, or in UTF-16 with its mark, plain or"
                            + " gzip. Nothing was imported");
        }
        return c;
    }

    private int decoded() throws IOException {
        if (at == length) {
            at = 0;
            length = Math.max(0, text.read(buffer));
        }
        return at < length ? buffer[at++] : -1;
    }

    @Override
    public int read(char[] target, int from, int wanted) throws IOException {
        int count = 0;
        while (count < wanted) {
            int c = read();
            if (c < 0) {
                return count == 0 ? -1 : count;
            }
            target[from + count++] = (char) c;
        }
        return count;
    }

    @Override
    public void close() throws IOException {
        text.close();
    }
}
