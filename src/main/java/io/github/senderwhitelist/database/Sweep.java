package io.github.senderwhitelist.database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The removal of ended entries and old changes, a part in each transaction. */
final class Sweep {
    /** So long that no clock which was wrong for some days removes what still holds. */
    private static final Duration KEPT = Duration.ofDays(90);

    private static final int PART = 500;

    private final JdbcTable table;
    private final FeedLog feed;
    private final History history;
    private final String list;

    Sweep(JdbcTable table, FeedLog feed, History history, String list) {
        this.table = table;
        this.feed = feed;
        this.history = history;
        this.list = list;
    }

    /** Removes entries whose rules ended 90 days ago. Returns whether there may be more. */
    boolean entries(Connection connection, Instant now) throws SQLException, IOException {
        long before = now.minus(KEPT).toEpochMilli();
        List<EntryRow> ended =
                Sql.query(
                        connection,
                        // Those that end first, by their index; then in the order of all locks.
                        "select sender, recipient, origin, rules from (select sender, recipient,"
                                + " origin, rules from whitelist_entry where list = "
                                + Schema.LIST
                                + " and ends < ? order by ends limit "
                                + PART
                                + ") as ended order by sender, recipient, origin",
                        EntryRow::read,
                        list,
                        before);
        for (EntryRow row : ended) {
            table.remove(connection, row.key(), row.origin(), "sweep", " and ends < ?", before);
        }
        return ended.size() == PART;
    }

    /**
     * Removes old changes from the history and from the feed. A server that is further behind
     * notices that it lacks some. Returns whether there may be more.
     */
    boolean changes(Connection connection, Instant now) throws SQLException, IOException {
        Instant before = now.minus(KEPT);
        boolean more = history.sweep(connection, before);
        return feed.sweep(connection, before, PART) || more;
    }
}
