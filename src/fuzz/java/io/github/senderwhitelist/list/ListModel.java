package io.github.senderwhitelist.list;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;
import io.github.senderwhitelist.list.ListLine.Bad;
import io.github.senderwhitelist.list.ListLine.Good;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a list holds, by the plainest reading of it: split into lines, each line by itself; and what
 * {@link TextList} makes of it, to compare.
 *
 * @param lines all lines; -1 when the list is refused for its bad ones, -2 when for what it is
 */
record ListModel(long lines, long bad, List<Entry> entries, List<String> complaints) {
    private static final int COMPLAINTS = 10;
    private static final ListModel NO_TEXT = new ListModel(-2, 0, List.of(), List.of());

    static ListModel of(byte[] list) {
        if (startsWith(list, 0xfe, 0xff) || startsWith(list, 0xff, 0xfe)) {
            return NO_TEXT;
        }
        List<Entry> entries = new ArrayList<>();
        List<String> complaints = new ArrayList<>();
        long lines = 0;
        long bad = 0;
        int start = 0;
        while (start < list.length) {
            int end = start;
            while (end < list.length && list[end] != '\n') {
                end++;
            }
            lines++;
            boolean isTooLong = end - start > ListLine.MAX_BYTES;
            byte[] line = Arrays.copyOfRange(list, start, withoutBlanks(list, start, end));
            start = end + 1;
            if (!isTooLong && contains(line, (byte) 0)) {
                return NO_TEXT;
            }
            switch (isTooLong ? new Bad("a line of more than 8192 bytes") : parse(line)) {
                case Good(Entry entry) -> entries.add(entry);
                case Bad(String reason) -> {
                    bad++;
                    if (complaints.size() < COMPLAINTS) {
                        complaints.add("list:" + lines + ": " + reason);
                    }
                }
                case ListLine.Blank() -> {}
            }
        }
        boolean tooMany = bad > 3 && bad * 100 > entries.size() + bad;
        return tooMany || (bad > 0 && entries.isEmpty())
                ? new ListModel(-1, bad, entries, List.of(String.join("; ", complaints)))
                : new ListModel(lines, bad, entries, complaints);
    }

    private static ListLine parse(byte[] line) {
        try {
            return ListLine.parse(UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString());
        } catch (CharacterCodingException e) {
            return new Bad("not UTF-8 (if the file is Latin-1: iconv -f LATIN1 -t UTF-8)");
        }
    }

    private static int withoutBlanks(byte[] list, int start, int end) {
        int last = end;
        while (last > start && " \t\r".indexOf(list[last - 1]) >= 0) {
            last--;
        }
        return last;
    }

    private static boolean startsWith(byte[] list, int... bytes) {
        for (int i = 0; i < bytes.length; i++) {
            if (i >= list.length || (list[i] & 0xff) != bytes[i]) {
                return false;
            }
        }
        return true;
    }

    private static boolean contains(byte[] bytes, byte wanted) {
        for (byte b : bytes) {
            if (b == wanted) {
                return true;
            }
        }
        return false;
    }

    /** What {@link TextList} makes of a list. */
    static ListModel read(InputStream list) throws IOException {
        List<Entry> entries = new ArrayList<>();
        TextList.Sink sink =
                (bytes, from, length, rules) ->
                        entries.add(
                                SortKey.entry(Arrays.copyOfRange(bytes, from, from + length))
                                        .withOnly(RulesCodec.decode(rules, 0).getFirst()));
        try {
            TextList.Summary summary = TextList.read(list, "list", sink);
            if (summary.entries() != entries.size()) {
                throw new AssertionError(summary.entries() + " of " + entries.size());
            }
            return new ListModel(
                    summary.lines(), summary.badLines(), entries, summary.complaints());
        } catch (ListRefusedException e) {
            if (e.badLines().isEmpty()) {
                return NO_TEXT;
            }
            // Entries before the end of the list reached the sink all the same.
            long bad = Long.parseLong(e.reason().replaceAll("^list: (\\d+) of .*", "$1"));
            return new ListModel(-1, bad, entries, List.of(String.join("; ", e.badLines())));
        }
    }
}
