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
 * Reads a list in the order of its entries, some at a time. So each statement takes little time and
 * memory, however long the list is, and however slow the visitor.
 */
final class EntryPages {
    private static final int PAGE = 5_000;

    /** Greater than the code of any origin. */
    private static final int ALL_ORIGINS = 127;

    /**
     * Has PostgreSQL read the primary key, until the transaction ends. Of a list that has just been
     * imported, it would think that it is short, and sort all that is left for each page.
     */
    private static final String IN_ORDER =
            "select set_config('enable_seqscan', 'off', true),"
                    + " set_config('enable_bitmapscan', 'off', true),"
                    + " set_config('enable_sort', 'off', true)";

    private final Engine engine;
    private final String list;

    EntryPages(Engine engine, String list) {
        this.engine = engine;
        this.list = list;
    }

    /** Visits all entries in order. */
    void forEach(Consumer<Entry> visitor) throws SQLException, IOException {
        EntryMerger merger = new EntryMerger(visitor);
        forEachRow("rules", merger::add);
        merger.end();
    }

    /** Visits all senders, each once, in order. */
    void forEachSender(Consumer<Key> visitor) throws SQLException, IOException {
        forEachRow(
                "'' as rules",
                new RowVisitor() {
                    private @Nullable PairKey last;

                    @Override
                    public void visit(EntryRow row) throws IOException {
                        if (last == null || !last.hasSenderOf(row.key())) {
                            visitor.accept(row.key().senderKey());
                        }
                        last = row.key();
                    }
                });
    }

    /** Returns some entries after the sender and the recipients of another one. */
    Page after(Connection connection, @Nullable Entry after, int most)
            throws SQLException, IOException {
        // The last entry may be cut off, so one with a row of each origin must fit.
        int limit = most + Origin.values().length - 1;
        PairKey last = after == null ? null : PairKey.of(after.key(), after.to());
        List<EntryRow> rows = rows(connection, "rules", last, ALL_ORIGINS, limit);
        List<Entry> entries = new ArrayList<>();
        EntryMerger merger = new EntryMerger(entries::add);
        for (EntryRow row : rows) {
            merger.add(row);
        }
        merger.end();
        boolean cut = rows.size() == limit;
        int whole = cut && entries.size() > 1 ? entries.size() - 1 : entries.size();
        int returned = Math.min(most, whole);
        return new Page(List.copyOf(entries.subList(0, returned)), cut || returned < whole);
    }

    /** Takes a row. */
    @FunctionalInterface
    private interface RowVisitor {
        void visit(EntryRow row) throws IOException;
    }

    private void forEachRow(String rules, RowVisitor visitor) throws SQLException, IOException {
        if (engine.streamsOneMoment()) {
            engine.readOneState(
                    connection -> {
                        Sql.run(connection, IN_ORDER);
                        forEachRow(visitor, last -> rows(connection, rules, last));
                        return true;
                    });
        } else {
            forEachRow(visitor, last -> engine.read(connection -> rows(connection, rules, last)));
        }
    }

    /** Reads the rows after another one, or the first ones. */
    @FunctionalInterface
    private interface PageReader {
        List<EntryRow> after(@Nullable EntryRow last) throws SQLException, IOException;
    }

    private static void forEachRow(RowVisitor visitor, PageReader reader)
            throws SQLException, IOException {
        List<EntryRow> rows = reader.after(null);
        while (!rows.isEmpty()) {
            for (EntryRow row : rows) {
                visitor.visit(row);
            }
            rows = reader.after(rows.getLast());
        }
    }

    private List<EntryRow> rows(Connection connection, String rules, @Nullable EntryRow last)
            throws SQLException, IOException {
        return last == null
                ? rows(connection, rules, null, 0, PAGE)
                : rows(connection, rules, last.key(), last.origin(), PAGE);
    }

    /** Returns the rows that follow that of a key and an origin, or the first ones. */
    private List<EntryRow> rows(
            Connection connection, String rules, @Nullable PairKey after, int origin, int limit)
            throws SQLException, IOException {
        return Sql.query(
                connection,
                "select sender, recipient, origin, "
                        + rules
                        + " from whitelist_entry where list = "
                        + Schema.LIST
                        // Not with the list among them: SQLite would begin at its first entry.
                        + " and (sender, recipient, origin) > (?, ?, ?)"
                        + " order by list, sender, recipient, origin limit "
                        + limit,
                EntryRow::read,
                list,
                after == null ? new byte[0] : after.sender(),
                after == null ? new byte[0] : after.recipient(),
                after == null ? -1 : origin);
    }
}
