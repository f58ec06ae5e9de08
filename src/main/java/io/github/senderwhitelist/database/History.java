package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.living.PastChange;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** The history of a list's changes, with time and author, for people only. */
final class History {
    /** How many rows are removed in one transaction at most. */
    static final int PART = 500;

    private final String list;

    History(String list) {
        this.list = list;
    }

    /**
     * Adds a change.
     *
     * @param rules the rules of the entry after the change, or null if it was removed
     */
    void add(
            Connection connection,
            int id,
            PairKey key,
            int origin,
            String who,
            @Nullable String rules)
            throws SQLException {
        Sql.update(
                connection,
                "insert into whitelist_history(at, list, sender, recipient, origin, who, rules)"
                        + " values (?, ?, ?, ?, ?, ?, ?)",
                System.currentTimeMillis(),
                id,
                key.sender(),
                key.recipient(),
                origin,
                who,
                rules);
    }

    /** Returns the last changes of a sender, the newest first. */
    List<PastChange> of(Connection connection, Key sender, int most)
            throws SQLException, IOException {
        return Sql.query(
                connection,
                "select sender, recipient, at, who, origin, rules from whitelist_history"
                        + " where list = "
                        + Schema.LIST
                        + " and sender = ? order by number desc limit ?",
                row -> {
                    PairKey key = PairKey.read(row);
                    int origin = row.getInt("origin");
                    return new PastChange(
                            Instant.ofEpochMilli(row.getLong("at")),
                            row.getString("who"),
                            EntryRow.originOf(origin),
                            key.toString(),
                            EntryRow.lines(key, origin, row.getString("rules")));
                },
                list,
                PairKey.of(sender, null).sender(),
                most);
    }

    /**
     * Deletes some changes for a recipient, and returns how many: fewer than a part if these were
     * the last.
     */
    int forget(Connection connection, Key to) throws SQLException {
        return remove(
                connection,
                "recipient = ? and length(recipient) > 0",
                PairKey.of(to, to).recipient());
    }

    /** Deletes some changes that were made before a time. Returns whether there may be more. */
    boolean sweep(Connection connection, Instant before) throws SQLException {
        return remove(connection, "at < ?", before.toEpochMilli()) == PART;
    }

    private int remove(Connection connection, String condition, Object value) throws SQLException {
        return Sql.update(
                connection,
                "delete from whitelist_history where (list, sender, number) in (select list,"
                        + " sender, number from whitelist_history where list = "
                        + Schema.LIST
                        + " and "
                        + condition
                        + " limit "
                        + PART
                        + ")",
                list,
                value);
    }
}
