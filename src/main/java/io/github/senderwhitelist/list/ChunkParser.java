package io.github.senderwhitelist.list;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.list.ListLine.Bad;
import io.github.senderwhitelist.list.ListLine.Blank;
import io.github.senderwhitelist.list.ListLine.Good;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A parser of chunks of a list, which passes their entries to a sink. It is for one thread; several
 * parsers can share the chunks of one list.
 *
 * <p>Nearly all lines are plain addresses. They are parsed as bytes and never become a String.
 */
final class ChunkParser {
    private static final int COMPLAINTS_KEPT = 10;
    private static final byte[] TO = {' ', 't', 'o', '='};

    private final String name;
    private final TextList.Sink sink;
    private final CharsetDecoder utf8 = StandardCharsets.UTF_8.newDecoder();
    private final List<ChunkLines> chunks = new ArrayList<>();
    private final List<Complaint> complaints = new ArrayList<>();
    private long good;
    private long bad;

    /** The number of lines in a chunk. */
    record ChunkLines(int chunk, long lines) {}

    /** The reason why a line of a chunk is bad. The first line of a chunk has number 1. */
    record Complaint(int chunk, long line, String reason) {}

    ChunkParser(String name, TextList.Sink sink) {
        this.name = name;
        this.sink = sink;
    }

    void parse(ListChunk chunk) throws IOException {
        long line = 0;
        if (chunk.number == 0) {
            refuseUtf16(chunk);
        }
        int start = 0;
        while (start < chunk.length) {
            int end = start;
            while (end < chunk.length && chunk.bytes[end] != '\n') {
                end++;
            }
            line++;
            parse(chunk, start, end, line);
            start = end + 1;
        }
        chunks.add(new ChunkLines(chunk.number, line));
    }

    private void refuseUtf16(ListChunk chunk) throws ListRefusedException {
        int first = chunk.length < 2 ? 0 : (chunk.bytes[0] & 0xff) << 8 | (chunk.bytes[1] & 0xff);
        if (first == 0xfeff || first == 0xfffe) {
            throw new ListRefusedException(
                    name
                            + ": UTF-16 text; a list is UTF-8 (iconv -f UTF-16 -t UTF-8). The list"
                            + " is refused");
        }
    }

    private void parse(ListChunk chunk, int start, int stop, long line) throws IOException {
        byte[] bytes = chunk.bytes;
        int end = stop;
        while (end > start
                && (bytes[end - 1] == '\r' || bytes[end - 1] == ' ' || bytes[end - 1] == '\t')) {
            end--;
        }
        if (end > start && mayBePlain(bytes[start])) {
            int at = AddressSyntax.canonicalizePlain(bytes, start, end);
            if (at >= 0) {
                bytes[at] = 0;
                good++;
                sink.accept(bytes, start, end - start, RulesCodec.PLAIN);
                return;
            }
            if (parsePlainPair(bytes, start, end)) {
                good++;
                return;
            }
        }
        switch (parseCarefully(chunk, start, end)) {
            case Good(var entry) -> {
                good++;
                byte[] key = SortKey.of(entry.key(), entry.to());
                sink.accept(key, 0, key.length, RulesCodec.encode(entry.rules().getFirst()));
            }
            case Bad(String reason) -> {
                bad++;
                if (complaints.size() < COMPLAINTS_KEPT) {
                    complaints.add(new Complaint(chunk.number, line, reason));
                }
            }
            case Blank() -> {}
        }
    }

    /**
     * Parses a line of two plain addresses, {@code sender to=recipient}, of which lists of users
     * are made. Returns false, and changes nothing, if the line is anything else.
     */
    private boolean parsePlainPair(byte[] bytes, int start, int end) throws IOException {
        int space = start;
        while (space < end && bytes[space] != ' ') {
            space++;
        }
        int to = space + TO.length;
        if (to >= end
                || !Arrays.equals(bytes, space, to, TO, 0, TO.length)
                || !mayBePlain(bytes[to])) {
            return false;
        }
        int recipientAt = AddressSyntax.canonicalizePlain(bytes, to, end);
        int senderAt = recipientAt < 0 ? -1 : AddressSyntax.canonicalizePlain(bytes, start, space);
        if (senderAt < 0) {
            return false;
        }
        bytes[senderAt] = 0;
        bytes[recipientAt] = 0;
        int from = SortKey.joinAddresses(bytes, start, space, to);
        sink.accept(bytes, from, end - from, RulesCodec.PLAIN);
        return true;
    }

    /**
     * Returns whether an entry that begins with this byte may be a plain address. Comments, denials
     * and patterns begin with bytes that an address may begin with, too.
     */
    private static boolean mayBePlain(byte first) {
        return first != '#' && first != '!' && first != '*';
    }

    private ListLine parseCarefully(ListChunk chunk, int start, int end)
            throws ListRefusedException {
        if (end - start > ListLine.MAX_BYTES) {
            return new Bad("a line of more than " + ListLine.MAX_BYTES + " bytes");
        }
        String text = decode(chunk, start, end);
        return text == null
                ? new Bad("not UTF-8 (if the file is Latin-1: iconv -f LATIN1 -t UTF-8)")
                : ListLine.parse(text);
    }

    private @Nullable String decode(ListChunk chunk, int start, int end)
            throws ListRefusedException {
        for (int i = start; i < end; i++) {
            if (chunk.bytes[i] == 0) {
                throw new ListRefusedException(
                        name
                                + ": binary data (a zero byte at byte "
                                + (chunk.offset + i)
                                + "); a list is UTF-8 text, plain or gzip, or a .swl snapshot. The"
                                + " list is refused");
            }
        }
        try {
            return utf8.decode(ByteBuffer.wrap(chunk.bytes, start, end - start)).toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** Returns what several parsers together found in the chunks of one list. */
    static TextList.Summary summary(String name, List<ChunkParser> parsers) {
        List<ChunkLines> chunks =
                parsers.stream()
                        .flatMap(parser -> parser.chunks.stream())
                        .sorted((a, b) -> Integer.compare(a.chunk, b.chunk))
                        .toList();
        long[] before = new long[chunks.size() + 1];
        for (ChunkLines chunk : chunks) {
            before[chunk.chunk + 1] = before[chunk.chunk] + chunk.lines;
        }
        List<String> messages =
                parsers.stream()
                        .flatMap(parser -> parser.complaints.stream())
                        .sorted(
                                (a, b) ->
                                        Long.compare(
                                                before[a.chunk] + a.line, before[b.chunk] + b.line))
                        .limit(COMPLAINTS_KEPT)
                        .map(
                                complaint ->
                                        name
                                                + ":"
                                                + (before[complaint.chunk] + complaint.line)
                                                + ": "
                                                + complaint.reason)
                        .toList();
        long good = parsers.stream().mapToLong(parser -> parser.good).sum();
        long bad = parsers.stream().mapToLong(parser -> parser.bad).sum();
        return new TextList.Summary(before[chunks.size()], good, bad, messages);
    }
}
