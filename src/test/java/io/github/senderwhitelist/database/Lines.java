package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.ListLine;

import java.util.Arrays;
import java.util.List;

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
}
