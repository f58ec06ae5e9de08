package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.ListLine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;

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

    /**
     * Imports entries, each of which is made of a line.
     *
     * @param line the line of each number, from 0 on
     */
    static void putAll(Import importing, int count, IntFunction<String> line) throws IOException {
        List<Entry> part = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            part.add(entry(line.apply(i)));
            if (part.size() == importing.part()) {
                importing.putAll(part);
                part.clear();
            }
        }
        importing.putAll(part);
    }

    static Key key(String text) {
        return ((ListLine.ParsedKey.Good) ListLine.parseKey(text)).key();
    }
}
