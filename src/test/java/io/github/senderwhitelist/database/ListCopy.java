package io.github.senderwhitelist.database;

import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A copy of a list that is brought up to date by the feed, and read again where the feed ends. */
final class ListCopy {
    private final String list;
    private FeedPosition position;
    private final Map<String, List<String>> lines = new TreeMap<>();

    private ListCopy(String list, FeedPosition position) {
        this.list = list;
        this.position = position;
    }

    /** Reads a list as a whole. */
    static ListCopy of(Database database, String list) throws IOException {
        EntryTable table = database.table(list);
        ListCopy copy = new ListCopy(list, table.position());
        copy.read(table);
        return copy;
    }

    private void read(EntryTable table) throws IOException {
        table.forEach(entry -> lines.put(entry.key().toString(), entry.lines()));
    }

    /** Returns another one, which stays as it is when this one is brought up to date. */
    ListCopy copy() {
        ListCopy copy = new ListCopy(list, position);
        copy.lines.putAll(lines);
        return copy;
    }

    /** Brings it up to date. */
    void update(Database database) throws IOException {
        EntryTable table = database.table(list);
        Feed feed = Feed.of(table, position);
        if (feed == null) {
            position = table.position();
            lines.clear();
            read(table);
        } else {
            position = feed.next();
            feed.changes().forEach(this::apply);
        }
    }

    private void apply(EntryTable.Change change) {
        String sender = change.sender().toString();
        if (change.rules().isEmpty()) {
            lines.remove(sender);
        } else {
            lines.put(sender, Feed.lines(change));
        }
    }

    String list() {
        return list;
    }

    /** Returns the lines of each sender. */
    Map<String, List<String>> lines() {
        return lines;
    }
}
