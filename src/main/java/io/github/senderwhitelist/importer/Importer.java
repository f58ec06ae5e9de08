package io.github.senderwhitelist.importer;

import static java.nio.charset.StandardCharsets.UTF_16;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.HiddenCharacters;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.util.regex.Pattern;

/**
 * The reader of one list of a foreign format. An entry is a line, or several that continue one
 * another. Lines end with LF or CRLF, and are UTF-8, or UTF-16 with a byte order mark. Other bytes
 * become U+FFFD, which no entry may contain. Byte order marks are left out before any line, since
 * files may have been joined.
 */
abstract class Importer {
    /** The longest line, in characters. Of longer ones, one more is kept. */
    static final int MAX_LENGTH = 1 << 16;

    final Sink sink;
    private final Pattern comment;
    private Reader text = Reader.nullReader();
    private long lines;

    /** The line that was read last, and stands for itself; null at the end of the list. */
    private @Nullable String ahead = "";

    /** Makes an importer that leaves out of lines what {@code comment} matches. */
    Importer(Sink sink, String comment) {
        this.sink = sink;
        this.comment = Pattern.compile(comment);
    }

    /** Begins to read a list, which is unpacked. */
    final void open(InputStream in) throws IOException {
        BufferedInputStream bytes = new BufferedInputStream(in);
        bytes.mark(2);
        int mark = bytes.read() << 8 | bytes.read();
        bytes.reset();
        boolean wide = mark == 0xfeff || mark == 0xfffe;
        text = new BufferedReader(new InputStreamReader(bytes, wide ? UTF_16 : UTF_8));
    }

    /** Takes a line that is not blank, without comment, joined with those that continue it. */
    abstract void entry(String line) throws IOException;

    /**
     * Returns the part of a line to add to the line before, or null if it stands for itself. Each
     * line is asked about once, in their order. The end of {@code before} may be changed.
     */
    @Nullable String continuation(StringBuilder before, String line) throws IOException {
        return null;
    }

    /** Reads an entry. Returns false at the end of the list. */
    final boolean next() throws IOException {
        if (ahead == null) {
            return false;
        }
        long number = lines;
        StringBuilder joined = new StringBuilder(ahead);
        String more = "";
        while (more != null) {
            joined.append(joined.length() > MAX_LENGTH ? "" : more);
            ahead = line();
            more = ahead == null ? null : continuation(joined, ahead);
        }
        String entry = comment.matcher(joined).replaceFirst("");
        if (!HiddenCharacters.strip(entry).isEmpty()) {
            sink.open(number);
            if (joined.length() > MAX_LENGTH) {
                sink.bad(entry, "a line of more than " + MAX_LENGTH + " characters");
            } else {
                entry(entry);
            }
        }
        return true;
    }

    private @Nullable String line() throws IOException {
        int c = text.read();
        if (c < 0) {
            return null;
        }
        lines++;
        StringBuilder line = new StringBuilder();
        for (; c >= 0 && c != '\n'; c = text.read()) {
            if (c == 0) {
                sink.open(lines);
                throw sink.refused(
                        "binary data (a zero byte); expected text in UTF-8, or in UTF-16 with its"
                                + " mark, plain or gzip");
            }
            if (line.length() <= MAX_LENGTH && (c != '\ufeff' || !line.isEmpty())) {
                line.append((char) c);
            }
        }
        int end = line.length() - 1;
        return end >= 0 && line.charAt(end) == '\r' ? line.substring(0, end) : line.toString();
    }

    /** Returns the first word of a text, and what follows it, both without white space around. */
    static String[] firstAndRest(String text) {
        String[] parts = HiddenCharacters.strip(text).split("\\s+", 2);
        String rest = parts.length == 1 ? "" : HiddenCharacters.strip(parts[1]);
        return new String[] {HiddenCharacters.strip(parts[0]), rest};
    }
}
