package io.github.senderwhitelist.list;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.list.ListLine.Bad;
import io.github.senderwhitelist.list.ListLine.Blank;
import io.github.senderwhitelist.list.ListLine.Good;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipException;

/**
 * The reader of text lists, in bounded memory. A list is UTF-8 with one entry a line, LF or CRLF,
 * with or without a byte order mark, plain or gzip.
 *
 * <p>Bad lines are counted and skipped, and the first few are reported with their numbers. When
 * {@linkplain #areTooMany too many} are bad, the list is refused.
 *
 * <p>Nearly all lines are plain addresses. They are parsed as bytes and never become a String.
 */
public final class TextList {
    /** How many lines may be bad beside good ones. A few typos must not hold up the rest. */
    private static final int MAX_BAD_ALWAYS_SKIPPED = 3;

    private static final int COMPLAINTS_KEPT = 10;

    private final String name;
    private final LineReader line;
    private final Sink sink;
    private final CharsetDecoder utf8 = UTF_8.newDecoder();
    private final List<String> complaints = new ArrayList<>();
    private long lines;
    private long good;
    private long bad;

    private TextList(String name, LineReader line, Sink sink) {
        this.name = name;
        this.line = line;
        this.sink = sink;
    }

    /**
     * Returns whether so many lines are bad that the list is refused, since it is probably none:
     * more than {@value #MAX_BAD_ALWAYS_SKIPPED} and more than 1 % of the lines with content, or
     * all.
     */
    public static boolean areTooMany(long bad, long lines) {
        return bad > lines / 100 && (bad > MAX_BAD_ALWAYS_SKIPPED || bad == lines);
    }

    /** Takes the entries of a list one by one. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Takes the entry with the sort key {@code bytes[from, from + length)}. The array may be
         * reused after the call.
         *
         * @param rules the rules of the entry, encoded by {@link
         *     io.github.senderwhitelist.address.RulesCodec}
         */
        void accept(byte[] bytes, int from, int length, byte[] rules) throws IOException;
    }

    /**
     * The counts of a list that was read, and its first bad lines.
     *
     * @param lines the number of all lines
     * @param entries the number of lines with an entry, duplicates included
     * @param badLines the number of bad lines, which were skipped
     * @param complaints what is wrong with the first bad lines, each as {@code LIST:LINE: REASON}
     */
    public record Summary(long lines, long entries, long badLines, List<String> complaints) {}

    /**
     * Reads {@code in} to its end.
     *
     * @param name what messages call the list
     * @throws ListRefusedException when the list is not text, is damaged, or has too many bad lines
     */
    public static Summary read(InputStream in, String name, Sink sink) throws IOException {
        try {
            return new TextList(name, new LineReader(unpacked(in)), sink).read();
        } catch (EOFException | ZipException e) {
            throw new ListRefusedException(
                    name + ": damaged gzip data (" + e.getMessage() + "). The list is refused");
        }
    }

    /** Returns the text in {@code in}, unpacked if it is gzip. */
    public static InputStream unpacked(InputStream in) throws IOException {
        InputStream buffered = new BufferedInputStream(in, 1 << 16);
        buffered.mark(2);
        byte[] start = buffered.readNBytes(2);
        buffered.reset();
        return isPacked(start) ? GzipMembers.open(buffered) : buffered;
    }

    /** Returns whether a list with this beginning is gzip. */
    public static boolean isPacked(byte[] start) {
        return start.length >= 2 && start[0] == 0x1f && start[1] == (byte) 0x8b;
    }

    private Summary read() throws IOException {
        while (line.next()) {
            lines++;
            if (line.end - line.start > ListLine.MAX_BYTES) {
                complain("a line of more than " + ListLine.MAX_BYTES + " bytes");
            } else {
                parse(line.bytes, line.start, withoutBlanks());
            }
        }
        if (areTooMany(bad, good + bad)) {
            throw ListRefusedException.mostlyBad(name, bad, good + bad, complaints);
        }
        return new Summary(lines, good, bad, List.copyOf(complaints));
    }

    private void complain(String reason) {
        bad++;
        if (complaints.size() < COMPLAINTS_KEPT) {
            complaints.add(name + ":" + lines + ": " + reason);
        }
    }

    private int withoutBlanks() {
        int end = line.end;
        while (end > line.start && " \t\r".indexOf(line.bytes[end - 1]) >= 0) {
            end--;
        }
        return end;
    }

    private void parse(byte[] bytes, int start, int end) throws IOException {
        // Comments, denials and patterns begin with what an address may begin with, too.
        if (start < end && "#!*".indexOf(bytes[start]) < 0) {
            int at = AddressSyntax.canonicalizePlain(bytes, start, end);
            if (at >= 0) {
                bytes[at] = 0;
                good++;
                sink.accept(bytes, start, end - start, RulesCodec.PLAIN);
                return;
            }
        }
        requireNoZero(bytes, start, end);
        ListLine parsed;
        try {
            parsed =
                    ListLine.parse(
                            utf8.decode(ByteBuffer.wrap(bytes, start, end - start)).toString());
        } catch (CharacterCodingException e) {
            parsed = new Bad(ListLine.NOT_UTF_8);
        }
        switch (parsed) {
            case Good(var entry) -> {
                good++;
                byte[] key = SortKey.of(entry.key(), entry.to());
                sink.accept(key, 0, key.length, RulesCodec.encode(entry.rules().getFirst()));
            }
            case Bad(String reason) -> complain(reason);
            case Blank() -> {}
        }
    }

    private void requireNoZero(byte[] bytes, int start, int end) throws ListRefusedException {
        for (int i = start; i < end; i++) {
            if (bytes[i] == 0) {
                throw new ListRefusedException(
                        name
                                + ":"
                                + lines
                                + ": binary data (a zero byte); a list is UTF-8 text, plain or"
                                + " gzip, or a .swl snapshot (of UTF-16: iconv -f UTF-16 -t UTF-8)."
                                + " The list is refused");
            }
        }
    }
}
