package io.github.senderwhitelist.database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collections;
import java.util.List;

/** Removes what no one needs any more, a part in each transaction. */
final class Sweep {
    private static final Duration ENDED = Duration.ofDays(1);
    private static final Duration HISTORY = Duration.ofDays(90);
    private static final int PART = 500;

    private final Engine engine;
    private final ChangeLog log;
    private final String list;

    Sweep(Engine engine, ChangeLog log, String list) {
        this.engine = engine;
        this.log = log;
        this.list = list;
    }

    /** A change to remove. */
    private record Place(long number, long place) {}

    /** Removes entries whose rules have all ended. Returns whether there may be more. */
    boolean entries(Connection connection, Instant now) throws SQLException, IOException {
        OffsetDateTime before = now.minus(ENDED).atOffset(ZoneOffset.UTC);
        List<EntryRow> ended =
                Sql.query(
                        connection,
                        "select sender, recipient, origin, lines from whitelist_entry"
                                + " where list = ? and until_moment < ?"
                                + " order by sender, recipient, origin limit "
                                + PART,
                        EntryRow::read,
                        list,
                        before);
        for (EntryRow row : ended) {
            int removed =
                    Sql.update(
                            connection,
                            "delete from whitelist_entry where list = ? and sender = ?"
                                    + " and recipient = ? and origin = ? and until_moment < ?",
                            list,
                            row.key().sender(),
                            row.key().recipient(),
                            row.origin(),
                            before);
            if (removed > 0) {
                log.add(connection, row.key(), row.origin(), "sweep", null);
            }
        }
        return ended.size() == PART;
    }

    /**
     * Removes old changes, and says from where they are kept, so that a server that is further
     * behind learns that it lacks some. The newest of the database stays, for the {@link
     * SweepClock} of the next start. Returns whether there may be more.
     */
    boolean changes(Connection connection, Instant now) throws SQLException, IOException {
        List<Place> old =
                Sql.query(
                        connection,
                        "select seq, "
                                + engine.placeOfChange()
                                + " from whitelist_change where list = ? and at < ? and seq <"
                                + " (select seq from whitelist_change order by seq desc limit 1)"
                                + " order by list, at limit "
                                + PART,
                        row -> new Place(row.getLong(1), row.getLong(2)),
                        list,
                        now.minus(HISTORY).atOffset(ZoneOffset.UTC));
        if (old.isEmpty()) {
            return false;
        }
        long keptFrom = engine.keptFrom(Collections.max(old.stream().map(Place::place).toList()));
        Sql.update(
                connection,
                "update whitelist_list set kept_from = ? where list = ? and kept_from < ?",
                keptFrom,
                list,
                keptFrom);
        for (Place change : old) {
            Sql.update(connection, "delete from whitelist_change where seq = ?", change.number);
        }
        return old.size() == PART;
    }
}
