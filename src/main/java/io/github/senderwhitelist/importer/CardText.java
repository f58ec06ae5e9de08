package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.list.ListRefusedException;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.Charset;

/**
 * The text of vCards for their parser, without properties so long that the parser would keep too
 * much in memory. It is UTF-8, or UTF-16 with a byte order mark. Other bytes become U+FFFD, which
 * no entry may contain.
 */
final class CardText extends Reader {
    /** The longest property, in characters: pictures of some megabytes. */
    static final int MAX_PROPERTY = 1 << 23;

    private final Reader text;
    private final String name;
    private boolean begins = true;
    private boolean ended;
    private int length;

    /**
     * Decodes a text.
     *
     * @param name what messages call it
     */
    CardText(InputStream in, String name) throws IOException {
        BufferedInputStream bytes = new BufferedInputStream(in);
        bytes.mark(2);
        int mark = bytes.read() << 8 | bytes.read();
        bytes.reset();
        Charset charset = mark == 0xfeff || mark == 0xfffe ? UTF_16 : UTF_8;
        this.text = new BufferedReader(new InputStreamReader(bytes, charset), 1 << 16);
        this.name = name;
    }

    /** Returns whether the end of the text was reached. */
    boolean hasEnded() {
        return ended;
    }

    /** Starts counting the characters of another property. */
    void nextProperty() {
        length = 0;
    }

    @Override
    public int read() throws IOException {
        int c = text.read();
        while (begins && c == '\ufeff') {
            c = text.read();
        }
        begins = c == '\n' || c == '\r';
        ended |= c < 0;
        if (c == 0) {
            throw new ListRefusedException(
                    name
                            + ": binary data (a zero byte); expected text in UTF-8, or in UTF-16"
                            + " with its mark, plain or gzip. Nothing was imported");
        }
        if (++length > MAX_PROPERTY) {
            throw new ListRefusedException(
                    name
                            + ": a property of more than "
                            + MAX_PROPERTY
                            + " characters. Nothing was imported");
        }
        return c;
    }

    @Override
    public int read(char[] target, int from, int count) throws IOException {
        int c = count == 0 ? 0 : read();
        if (c > 0) {
            target[from] = (char) c;
        }
        return c < 0 ? -1 : Math.min(count, 1);
    }

    @Override
    public void close() throws IOException {
        text.close();
    }
}
