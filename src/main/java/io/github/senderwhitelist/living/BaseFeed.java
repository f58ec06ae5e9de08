package io.github.senderwhitelist.living;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.ListLine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The position in the feed that a base keeps, as UTF-8 text: a line each for the name of the list,
 * the epoch and the place up to which it has all changes, the epoch and the place that have seen
 * all that is in it, and when the table was read last; then the lines of those entries that are too
 * large for a snapshot.
 *
 * @param list the name of the list
 * @param position up to which it has all changes
 * @param ahead which has seen all that is in it
 * @param read when all entries were read from the table last, in milliseconds since 1970
 * @param large the entries, which lie over the base as changes do
 */
record BaseFeed(
        String list, FeedPosition position, FeedPosition ahead, long read, List<Entry> large) {
    private static final int LINES = 6;

    /** Returns the text as bytes. */
    byte[] bytes() {
        StringBuilder text = new StringBuilder();
        text.append(list).append('\n');
        for (FeedPosition each : List.of(position, ahead)) {
            text.append(each.epoch()).append('\n');
            text.append(each.place()).append('\n');
        }
        text.append(read).append('\n');
        for (Entry entry : large) {
            entry.lines().forEach(line -> text.append(line).append('\n'));
        }
        return text.toString().getBytes(UTF_8);
    }

    /**
     * Parses a text.
     *
     * @throws IOException if it is no such text, as that of a snapshot of a list in a file
     */
    static BaseFeed parse(byte[] bytes) throws IOException {
        String[] lines = new String(bytes, UTF_8).split("\n", -1);
        if (lines.length <= LINES) {
            throw new IOException("no base of a living list");
        }
        SortedMap<Entry, List<Rule>> large = new TreeMap<>(Entry.ORDER);
        for (int i = LINES; i < lines.length - 1; i++) {
            if (!(ListLine.parse(lines[i]) instanceof ListLine.Good(Entry entry))) {
                throw new IOException("a base with a line that cannot be used: " + lines[i]);
            }
            large.computeIfAbsent(entry, first -> new ArrayList<>()).addAll(entry.rules());
        }
        return new BaseFeed(
                lines[0],
                new FeedPosition(lines[1], lines[2]),
                new FeedPosition(lines[3], lines[4]),
                time(lines[5]),
                large.entrySet().stream()
                        .map(
                                each ->
                                        new Entry(
                                                each.getKey().key(),
                                                each.getKey().to(),
                                                each.getValue()))
                        .toList());
    }

    private static long time(String text) throws IOException {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IOException("a base without the time at which its table was read", e);
        }
    }
}
