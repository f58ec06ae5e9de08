package io.github.senderwhitelist.list;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import org.jspecify.annotations.Nullable;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The reader of text lists, in bounded memory. A list is UTF-8 with one entry a line, LF or CRLF,
 * with or without a byte order mark, plain or gzip. Bad lines are counted and skipped, unless they
 * are {@linkplain #areTooMany too many}.
 *
 * <p>Nearly all lines are plain addresses. They are parsed as bytes and never become a String.
 */
public final class TextList {
    /** In bytes, which the processor's cache holds. */
    static final int BUFFER = 1 << 16;

    /** How many lines may be bad beside good ones. A few typos must not hold up the rest. */
    private static final int MAX_BAD_ALWAYS_SKIPPED = 3;

    private static final int COMPLAINTS_KEPT = 10;

    /** How many lines of one sender are told. */
    private static final int MAX_NUMBERS = 50;

    private final InputStream in;
    private final String name;
    private final byte[] buffer = new byte[BUFFER];
    private int at;
    private int filled;

    /** The line is {@code bytes[0, end)}. Of one that is too long, a byte too many is kept. */
    private final byte[] bytes = new byte[ListLine.MAX_BYTES + 1];

    private int end;
    private final List<String> complaints = new ArrayList<>();
    private long lines;
    private long good;
    private long bad;

    private TextList(InputStream in, String name) throws IOException {
        this.in = unpacked(in, name);
        this.name = name;
    }

    /**
     * Returns whether so many lines are bad that the list is refused, since it is probably none:
     * more than {@value #MAX_BAD_ALWAYS_SKIPPED} and more than 1 % of the lines with content, or
     * all.
     */
    public static boolean areTooMany(long bad, long lines) {
        return bad > lines / 100 && (bad > MAX_BAD_ALWAYS_SKIPPED || bad == lines);
    }

    /** Refuses a list, or several, when {@linkplain #areTooMany too many} lines are bad. */
    public static void requireFewBad(String name, long bad, long lines, List<String> complaints)
            throws ListRefusedException {
        if (areTooMany(bad, lines)) {
            throw new ListRefusedException(
                    "%s: %s of %s".formatted(name, bad, lines)
                            + " entries are bad; with more than 3 and more than 1 %, or all, a list"
                            + " is refused",
                    complaints);
        }
    }

    /** Opens a list, which may be text or packed by gzip. */
    @FunctionalInterface
    public interface Opener {
        /** Returns a stream of the list's bytes. The caller closes it. */
        InputStream open() throws IOException;
    }

    /** Takes the entries of a list one by one. */
    @FunctionalInterface
    public interface Sink {
        /**
         * Takes the entry with the sort key {@code bytes[from, from + length)}. The array may be
         * reused after the call.
         *
         * @param rules the rules of the entry, encoded by {@link RulesCodec}
         */
        void accept(byte[] bytes, int from, int length, byte[] rules) throws IOException;
    }

    /**
     * The numbers of all lines of a list, of those with an entry, and of bad ones, which were
     * skipped; and what is wrong with the first of these, each as {@code LIST:LINE: REASON}.
     */
    public record Summary(long lines, long entries, long badLines, List<String> complaints) {}

    /**
     * Reads {@code in} to its end.
     *
     * @param name what messages call the list
     * @throws ListRefusedException when the list is not text, is damaged, or has too many bad lines
     */
    public static Summary read(InputStream in, String name, Sink sink) throws IOException {
        return new TextList(in, name).read(sink);
    }

    /**
     * Returns the numbers of the lines about a sender and some recipients, or all if {@code to} is
     * null.
     */
    public static List<Long> numbers(InputStream in, String name, Key sender, @Nullable Key to)
            throws IOException {
        byte[] wanted = SortKey.of(sender, to);
        List<Long> numbers = new ArrayList<>();
        TextList list = new TextList(in, name);
        list.read(
                (bytes, from, length, rules) -> {
                    if (Arrays.equals(bytes, from, from + length, wanted, 0, wanted.length)
                            && numbers.size() < MAX_NUMBERS) {
                        numbers.add(list.lines);
                    }
                });
        return numbers;
    }

    /** Returns the text in {@code in}, unpacked if it is gzip as by {@link GzipMembers}. */
    public static InputStream unpacked(InputStream in, String name) throws IOException {
        InputStream buffered = new BufferedInputStream(in, BUFFER);
        buffered.mark(2);
        byte[] start = buffered.readNBytes(2);
        buffered.reset();
        return isPacked(start) ? GzipMembers.open(buffered, name) : buffered;
    }

    /** Returns whether a list with this beginning is gzip. */
    public static boolean isPacked(byte[] start) {
        return start.length >= 2 && start[0] == 0x1f && start[1] == (byte) 0x8b;
    }

    private Summary read(Sink sink) throws IOException {
        while (next()) {
            lines++;
            if (end > ListLine.MAX_BYTES) {
                complain("a line of more than " + ListLine.MAX_BYTES + " bytes");
                continue;
            }
            while (end > 0 && " \t\r".indexOf(bytes[end - 1]) >= 0) {
                end--;
            }
            // Comments, denials and patterns begin with what an address may begin with, too.
            boolean isOther = end == 0 || "#!*".indexOf(bytes[0]) >= 0;
            int at = isOther ? -1 : AddressSyntax.canonicalizePlain(bytes, end);
            if (at < 0) {
                parse(sink);
            } else {
                // Of a@b, the sort key is a, a zero, b.
                bytes[at] = 0;
                good++;
                sink.accept(bytes, 0, end, RulesCodec.PLAIN);
            }
        }
        requireFewBad(name, bad, good + bad, complaints);
        return new Summary(lines, good, bad, List.copyOf(complaints));
    }

    /** Goes to the next line. Returns false at the end of the list. */
    private boolean next() throws IOException {
        end = 0;
        while (true) {
            if (at == filled) {
                at = 0;
                filled = in.read(buffer, 0, BUFFER);
                if (filled < 0) {
                    filled = 0;
                    return end > 0;
                }
            }
            int from = at;
            while (at < filled && buffer[at] != '\n') {
                at++;
            }
            int kept = Math.min(at - from, bytes.length - end);
            System.arraycopy(buffer, from, bytes, end, kept);
            end += kept;
            if (at < filled) {
                at++;
                return true;
            }
        }
    }

    private void complain(String reason) {
        bad++;
        if (complaints.size() < COMPLAINTS_KEPT) {
            complaints.add(name + ":" + lines + ": " + reason);
        }
    }

    private void parse(Sink sink) throws IOException {
        String text = new String(bytes, 0, end, UTF_8);
        if (text.indexOf('\0') >= 0) {
            throw new ListRefusedException(
                    ("%s:%s: binary data (a zero byte); a list is UTF-8 text, plain or gzip, or"
                                    + " a .swl snapshot (of UTF-16: iconv -f UTF-16 -t UTF-8)."
                                    + " The list is refused")
                            .formatted(name, lines));
        }
        // What is not UTF-8 became other characters.
        boolean isUtf8 = Arrays.equals(text.getBytes(UTF_8), Arrays.copyOf(bytes, end));
        ListLine parsed = isUtf8 ? ListLine.parse(text) : new ListLine.Bad(ListLine.NOT_UTF_8);
        switch (parsed) {
            case ListLine.Good(var entry) -> {
                good++;
                byte[] key = SortKey.of(entry.key(), entry.to());
                sink.accept(key, 0, key.length, RulesCodec.encode(entry.rules().getFirst()));
            }
            case ListLine.Bad(String reason) -> complain(reason);
            case ListLine.Blank() -> {}
        }
    }
}
