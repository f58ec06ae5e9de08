package io.github.senderwhitelist.list;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.list.ListLine.Bad;
import io.github.senderwhitelist.list.ListLine.Blank;
import io.github.senderwhitelist.list.ListLine.Good;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;

/**
 * Reads a text list (UTF-8, one entry a line, LF or CRLF, with or without a byte order mark, plain
 * or gzip) in bounded memory. A bad line is counted, the first few are kept with their numbers, and
 * it is skipped; when more than one in a hundred lines that say something is bad, the list is
 * refused.
 */
public final class TextList {
    /** Longer lines are bad; in bytes. */
    static final int MAX_LINE = 8192;

    private static final int COMPLAINTS_KEPT = 10;

    private final String name;
    private final List<String> complaints = new ArrayList<>();
    private final CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder();
    private long lines;
    private long good;
    private long bad;

    private TextList(String name) {
        this.name = name;
    }

    /** Takes the entries of a list one by one. */
    @FunctionalInterface
    public interface Sink {
        /** Takes the next entry. */
        void accept(Entry entry) throws IOException;
    }

    /**
     * What a list held.
     *
     * @param lines all lines
     * @param entries lines that are entries, duplicates included
     * @param badLines lines that were skipped
     * @param complaints the first of them, each with its number and reason
     */
    public record Summary(long lines, long entries, long badLines, List<String> complaints) {}

    /**
     * Reads {@code in} to its end.
     *
     * @param name what messages call the list
     * @throws ListRefusedException when it is not text, or too much of it is bad
     */
    public static Summary read(InputStream in, String name, Sink sink) throws IOException {
        return new TextList(name).read(in, sink);
    }

    private Summary read(InputStream in, Sink sink) throws IOException {
        LineReader reader = new LineReader(unpacked(in), MAX_LINE);
        while (reader.next()) {
            lines++;
            switch (parse(reader)) {
                case Good(Entry entry) -> {
                    good++;
                    sink.accept(entry);
                }
                case Bad(String reason) -> {
                    bad++;
                    if (complaints.size() < COMPLAINTS_KEPT) {
                        complaints.add("line " + lines + ": " + reason);
                    }
                }
                case Blank() -> {}
            }
        }
        if (bad > (good + bad) / 100) {
            throw new ListRefusedException(
                    name
                            + ": "
                            + bad
                            + " of "
                            + (good + bad)
                            + " entries are bad; a list with more than 1 % bad lines is refused. "
                            + String.join("; ", complaints));
        }
        return new Summary(lines, good, bad, List.copyOf(complaints));
    }

    private static InputStream unpacked(InputStream in) throws IOException {
        InputStream buffered = in.markSupported() ? in : new BufferedInputStream(in);
        buffered.mark(2);
        int first = buffered.read();
        int second = buffered.read();
        buffered.reset();
        return first == 0x1f && second == 0x8b ? new GZIPInputStream(buffered, 1 << 16) : buffered;
    }

    private ListLine parse(LineReader reader) throws ListRefusedException {
        if (reader.overlong() > 0) {
            return new Bad("a line of " + reader.overlong() + " bytes; at most " + MAX_LINE);
        }
        String text = decode(reader.line(), reader.length());
        if (text == null) {
            return new Bad("not UTF-8 (if the file is Latin-1: iconv -f LATIN1 -t UTF-8)");
        }
        return ListLine.parse(text);
    }

    private @Nullable String decode(byte[] line, int length) throws ListRefusedException {
        int start = 0;
        if (lines == 1) {
            if (startsWith(line, length, 0xfe, 0xff) || startsWith(line, length, 0xff, 0xfe)) {
                throw new ListRefusedException(
                        name
                                + ": UTF-16 text; a list is UTF-8 (iconv -f UTF-16 -t UTF-8). The"
                                + " list is refused");
            }
            start = startsWith(line, length, 0xef, 0xbb, 0xbf) ? 3 : 0;
        }
        boolean ascii = true;
        for (int i = start; i < length; i++) {
            if (line[i] == 0) {
                throw new ListRefusedException(
                        name
                                + ": binary data (a zero byte in line "
                                + lines
                                + "); a list is UTF-8 text, plain or gzip,"
                                + " or a .swl snapshot. The list is refused");
            }
            ascii &= line[i] > 0;
        }
        if (ascii) {
            return new String(line, start, length - start, StandardCharsets.ISO_8859_1);
        }
        try {
            return utf8.decode(ByteBuffer.wrap(line, start, length - start)).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static boolean startsWith(byte[] line, int length, int... bytes) {
        if (length < bytes.length) {
            return false;
        }
        for (int i = 0; i < bytes.length; i++) {
            if ((line[i] & 0xff) != bytes[i]) {
                return false;
            }
        }
        return true;
    }
}
