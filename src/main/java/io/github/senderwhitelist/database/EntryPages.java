package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Reads a whole list, some entries at a time, all as of the same moment. So each statement takes
 * little time and memory, however long the list is, and however slow the visitor.
 */
final class EntryPages {
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
        byte[] recipient = last.key().recipient();
        return visit(
                Sql.query(
                        connection,
                        select(lines)
                                + "sender = ? and recipient >= ? and (recipient > ? or origin > ?)"
                                + " order by recipient, origin limit "
                                + PAGE,
                        EntryRow::read,
                        list,
                        last.key().sender(),
                        recipient,
                        recipient,
                        last.origin()),
                visitor);
    }

    private @Nullable EntryRow visitNextSenders(
            Connection connection, String lines, RowVisitor visitor, @Nullable EntryRow last)
            throws SQLException, IOException {
        return visit(
                Sql.query(
                        connection,
                        select(lines)
                                + "sender > ? order by sender, recipient, origin limit "
                                + PAGE,
                        EntryRow::read,
                        list,
                        last == null ? BEFORE_ALL : last.key().sender()),
                visitor);
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
