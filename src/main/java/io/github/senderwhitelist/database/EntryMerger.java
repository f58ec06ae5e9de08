package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Makes one entry of the rows of several origins that follow each other and have the same key. */
final class EntryMerger {
    private final Consumer<Entry> visitor;
    private final List<EntryRow> rows = new ArrayList<>();

    EntryMerger(Consumer<Entry> visitor) {
        this.visitor = visitor;
    }

    /** Takes the next row. */
    void add(EntryRow row) throws IOException {
        if (!rows.isEmpty() && !rows.getFirst().key().isSameAs(row.key())) {
            end();
        }
        rows.add(row);
    }

    /** Passes on the last entry. */
    void end() throws IOException {
        if (!rows.isEmpty()) {
            PairKey key = rows.getFirst().key();
            visitor.accept(new Entry(key.senderKey(), key.recipientKey(), EntryRow.rules(rows)));
            rows.clear();
        }
    }
}
