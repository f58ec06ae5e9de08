package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.living.EntryTable.Page;
import io.github.senderwhitelist.living.EntryTable.Unreadable;
import io.github.senderwhitelist.living.FeedPosition;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A reader of a list in the order of its entries, page by page. So each statement takes little time
 * and memory, however long the list is, and however slow the visitor.
 */
final class EntryPages {
    private static final int PAGE = 5_000;

    /** Greater than the code of any origin. */
    private static final int ALL_ORIGINS = 127;

    /**
     * Has PostgreSQL read the primary key, until the transaction ends. It would assume that a list
     * that has just been imported is short, and sort the whole rest for each page.
     */
    private static final String IN_ORDER =
            "select set_config('enable_seqscan', 'off', true),"
                    + " set_config('enable_bitmapscan', 'off', true),"
                    + " set_config('enable_sort', 'off', true)";

    private final Engine engine;
    private final FeedLog feed;
    private final String list;

    EntryPages(Engine engine, FeedLog feed, String list) {
        this.engine = engine;
        this.feed = feed;
        this.list = list;
    }

    /** Visits all entries in order, and returns a position that has seen them. */
    FeedPosition forEach(Consumer<Entry> visitor, Unreadable unreadable)
            throws SQLException, IOException {
        EntryMerger merger = new EntryMerger(visitor, unreadable);
        Walk walk = new Walk(merger);
        if (engine.streamsOneMoment()) {
            engine.readOneState(
                    connection -> {
                        Sql.run(connection, IN_ORDER);
                        while (walk.next(connection)) {
                            walk.visit();
                        }
                        return true;
                    });
        } else {
            while (engine.readOneState(walk::next)) {
                walk.visit();
            }
        }
        merger.end();
        return walk.position();
    }

    /** Reads one page after the other, each together with a position. */
    private final class Walk {
        private final EntryMerger merger;
        private List<EntryRow> rows = List.of();
        private @Nullable EntryRow last;
        private @Nullable FeedPosition position;

        Walk(EntryMerger merger) {
            this.merger = merger;
        }

        /** Reads the next page. Returns whether it has rows. */
        boolean next(Connection connection) throws SQLException, IOException {
            if (position != null && !feed.goesOn(connection, position)) {
                throw new IOException("the database was put back while it was read");
            }
            position = feed.position(connection);
            if (position == null) {
                throw new IOException("its feed begins again, since an import has died");
            }
            rows =
                    last == null
                            ? rows(connection, null, 0, PAGE)
                            : rows(connection, last.key(), last.origin(), PAGE);
            return !rows.isEmpty();
        }

        /** Takes the page, while nothing is read. */
        void visit() throws IOException {
            for (EntryRow row : rows) {
                merger.add(row);
            }
            last = rows.getLast();
        }

        FeedPosition position() throws IOException {
            if (position == null) {
                throw new IOException("nothing was read");
            }
            return position;
        }
    }

    /** Returns some entries after the sender and the recipients of another one. */
    Page after(Connection connection, @Nullable Entry after, int most)
            throws SQLException, IOException {
        // The last entry may be cut off, so one with a row of each origin must fit.
        int limit = most + Origin.values().length - 1;
        PairKey last = after == null ? null : PairKey.of(after.key(), after.to());
        List<EntryRow> rows = rows(connection, last, ALL_ORIGINS, limit);
        List<Entry> entries = new ArrayList<>();
        EntryMerger merger = EntryMerger.strict(entries::add);
        for (EntryRow row : rows) {
            merger.add(row);
        }
        merger.end();
        boolean cut = rows.size() == limit;
        int whole = cut && entries.size() > 1 ? entries.size() - 1 : entries.size();
        int returned = Math.min(most, whole);
        return new Page(List.copyOf(entries.subList(0, returned)), cut || returned < whole);
    }

    /** Returns the rows that follow that of a key and an origin, or the first ones. */
    private List<EntryRow> rows(
            Connection connection, @Nullable PairKey after, int origin, int limit)
            throws SQLException, IOException {
        return Sql.query(
                connection,
                "select sender, recipient, origin, rules from whitelist_entry where list = "
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
