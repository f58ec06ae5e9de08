package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The changes of a table after a position.
 *
 * @param next the position after them
 */
public record Feed(FeedPosition next, List<EntryTable.Change> changes) {
    /** Returns the changes, or null if the table does not know the position. */
    public static @Nullable Feed of(EntryTable table, FeedPosition after) throws IOException {
        List<EntryTable.Change> changes = new ArrayList<>();
        FeedPosition next = table.changes(after, changes::add);
        return next == null ? null : new Feed(next, List.copyOf(changes));
    }

    /** Returns the lines of the entry that a change is about. */
    public static List<String> lines(EntryTable.Change change) {
        return new Entry(change.sender(), change.to(), change.rules()).lines();
    }

    /** Returns the senders of the changes. */
    public List<String> senders() {
        return changes.stream().map(change -> change.sender().toString()).toList();
    }
}
