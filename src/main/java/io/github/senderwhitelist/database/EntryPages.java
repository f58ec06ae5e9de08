package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.living.EntryTable.Page;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads a whole list, some entries at a time, all as of the same moment. So each statement takes
 * little time and memory, however long the list is, and however slow the visitor.
 */
final class EntryPages {
    /** The columns of the primary key. Without the first, H2 would sort all that is left. */
    private static final String IN_ORDER = " order by list, sender, recipient, origin limit ";

    private static final int PAGE = 5_000;
    private static final byte[] BEFORE_ALL = {};

    private final String list;

    EntryPages(String list) {
        this.list = list;
    }

    /** Takes a row. */
    @FunctionalInterface
    private interface RowVisitor {
        void visit(EntryRow row) throws IOException;
    }

    /** Visits all entries in order. */
    void forEach(Connection connection, Consumer<Entry> visitor) throws SQLException, IOException {
        EntryMerger merger = new EntryMerger(visitor);
        forEachRow(connection, "lines", merger::add);
        merger.end();
    }

    /** Returns some entries after the sender and the recipients of another one. */
    Page after(Connection connection, @Nullable Entry after, int most)
            throws SQLException, IOException {
        // The last entry may be cut off, so one with a row of each origin must fit.
        int limit = most + Origin.values().length - 1;
        List<EntryRow> rows = new ArrayList<>();
        PairKey last = after == null ? null : PairKey.of(after.key(), after.to());
        if (last != null) {
            rows.addAll(rest(connection, "lines", last, Integer.MAX_VALUE, limit));
        }
        if (rows.size() < limit) {
            rows.addAll(nextSenders(connection, "lines", last, limit - rows.size()));
        }
        List<Entry> entries = new ArrayList<>();
        EntryMerger merger = new EntryMerger(entries::add);
        for (EntryRow row : rows) {
            merger.add(row);
        }
        merger.end();
        boolean cut = rows.size() == limit;
        int whole = cut && entries.size() > 1 ? entries.size() - 1 : entries.size();
        int told = Math.min(most, whole);
        return new Page(List.copyOf(entries.subList(0, told)), cut || told < whole);
    }

    /** Visits all senders, each once, in order. */
    void forEachSender(Connection connection, Consumer<Key> visitor)
            throws SQLException, IOException {
        var onlyNew =
                new RowVisitor() {
                    private @Nullable PairKey last;

                    @Override
                    public void visit(EntryRow row) throws IOException {
                        if (last == null || !last.hasSenderOf(row.key())) {
                            visitor.accept(row.key().senderKey());
                        }
                        last = row.key();
                    }
                };
        forEachRow(connection, "'' as lines", onlyNew);
    }

    private void forEachRow(Connection connection, String lines, RowVisitor visitor)
            throws SQLException, IOException {
        Transactions.read(
                connection,
                own -> {
                    EntryRow last = null;
                    while (true) {
                        EntryRow next = last == null ? null : visitRest(own, lines, visitor, last);
                        last = next != null ? next : visitNextSenders(own, lines, visitor, last);
                        if (last == null) {
                            return true;
                        }
                    }
                });
    }

    /** Visits what follows a row and has the same sender, or null when there is no more. */
    private @Nullable EntryRow visitRest(
            Connection connection, String lines, RowVisitor visitor, EntryRow last)
            throws SQLException, IOException {
        return visit(rest(connection, lines, last.key(), last.origin(), PAGE), visitor);
    }

    /** Returns the rows of the same sender that follow that of a key and an origin. */
    private List<EntryRow> rest(
            Connection connection, String lines, PairKey key, int origin, int limit)
            throws SQLException, IOException {
        return Sql.query(
                connection,
                select(lines)
                        + "sender = ? and recipient >= ? and (recipient > ? or origin > ?)"
                        + IN_ORDER
                        + limit,
                EntryRow::read,
                list,
                key.sender(),
                key.recipient(),
                key.recipient(),
                origin);
    }

    private @Nullable EntryRow visitNextSenders(
            Connection connection, String lines, RowVisitor visitor, @Nullable EntryRow last)
            throws SQLException, IOException {
        PairKey key = last == null ? null : last.key();
        return visit(nextSenders(connection, lines, key, PAGE), visitor);
    }

    /** Returns the rows of the senders after that of a key. */
    private List<EntryRow> nextSenders(
            Connection connection, String lines, @Nullable PairKey key, int limit)
            throws SQLException, IOException {
        return Sql.query(
                connection,
                select(lines) + "sender > ?" + IN_ORDER + limit,
                EntryRow::read,
                list,
                key == null ? BEFORE_ALL : key.sender());
    }

    private static String select(String lines) {
        return "select sender, recipient, origin, "
                + lines
                + " from whitelist_entry where list = ? and ";
    }

    /** Visits the rows and returns the last, or null if there are none. */
    private static @Nullable EntryRow visit(List<EntryRow> rows, RowVisitor visitor)
            throws IOException {
        for (EntryRow row : rows) {
            visitor.visit(row);
        }
        return rows.isEmpty() ? null : rows.getLast();
    }
}
