package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.EntryTable.Unreadable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A merger of consecutive rows of several origins with the same key into one entry. */
final class EntryMerger {
    private final Consumer<Entry> visitor;
    private final Unreadable unreadable;
    private final List<EntryRow> rows = new ArrayList<>();

    /**
     * Makes a merger.
     *
     * @param unreadable takes why rows cannot be used, which are left out
     */
    EntryMerger(Consumer<Entry> visitor, Unreadable unreadable) {
        this.visitor = visitor;
        this.unreadable = unreadable;
    }

    /** Returns a merger that fails where a row cannot be used. */
    static EntryMerger strict(Consumer<Entry> visitor) {
        return new EntryMerger(
                visitor,
                why -> {
                    throw why;
                });
    }

    /** Takes the next row. */
    void add(EntryRow row) throws IOException {
        if (!rows.isEmpty() && !rows.getFirst().key().isSameAs(row.key())) {
            end();
        }
        rows.add(row);
    }

    /** Passes the last entry to the visitor. */
    void end() throws IOException {
        if (!rows.isEmpty()) {
            PairKey key = rows.getFirst().key();
            List<Rule> rules = new ArrayList<>();
            for (EntryRow row : rows) {
                try {
                    rules.addAll(row.rules());
                } catch (IOException e) {
                    unreadable.take(e);
                }
            }
            rows.clear();
            if (!rules.isEmpty()) {
                visitor.accept(new Entry(key.senderKey(), key.recipientKey(), rules));
            }
        }
    }
}
