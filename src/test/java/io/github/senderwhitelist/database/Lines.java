package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Makes entries and keys of the lines of lists. */
public final class Lines {
    private Lines() {}

    /** Returns the entry that lines about the same sender and recipients make together. */
    public static Entry entry(String... lines) {
        List<Entry> entries =
                Arrays.stream(lines)
                        .map(line -> ((ListLine.Good) ListLine.parse(line)).entry())
                        .toList();
        List<Rule> rules = entries.stream().flatMap(entry -> entry.rules().stream()).toList();
        return new Entry(entries.getFirst().key(), entries.getFirst().to(), rules);
    }

    /** Returns the key that is written so. */
    public static Key key(String text) {
        return ListLine.parseKey(text);
    }

    /** Returns one of the lines that {@link #load} puts. */
    static String line(int i) {
        return "sender" + (10_000_000 + i) + "@example.com to=u" + i % 1_000 + "@here.org";
    }

    /** Loads some hundred thousand entries as a bulk. */
    static void load(ListRecord record, int entries) throws IOException {
        int part = 10_000;
        for (int from = 0; from < entries; from += part) {
            IntStream lines = IntStream.range(from, from + part);
            record.load(lines.mapToObj(i -> entry(line(i))).toList(), false);
        }
        record.endLoad();
    }
}
