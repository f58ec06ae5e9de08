package io.github.senderwhitelist.database;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;
import io.github.senderwhitelist.living.PastChange;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** The changes of a list: the feed of the servers, and the history for people. */
final class ChangeLog {
    /** The most changes of a feed. Who is further behind reads the list as a whole. */
    static final int MOST = 200_000;

    /** How many changes are forgotten in one transaction at most. */
    static final int PART = 500;

    /** Stands for recipients who were forgotten. It is not the key of any. */
    private static final byte[] FORGOTTEN = {0};

    /** The sender of a change that is removed at once. */
    private static final PairKey NOBODY =
            PairKey.of(Key.of(new byte[0], "invalid".getBytes(US_ASCII)), null);

    private final Engine engine;
    private final String list;

    ChangeLog(Engine engine, String list) {
        this.engine = engine;
        this.list = list;
    }

    /** What the database says about the feed, the same in each row. */
    private record State(String epoch, long keptFrom, long next, long last) {
        static State read(ResultSet row) throws SQLException {
            return new State(row.getString(1), row.getLong(2), row.getLong(3), row.getLong(4));
        }

        boolean has(FeedPosition position) {
            return position.epoch().equals(epoch)
                    && position.value() >= keptFrom
                    && position.value() <= last;
        }
    }

    /**
     * Adds a change in the transaction that makes it.
     *
     * @param lines the lines afterwards, or null if the entry was removed
     */
    void add(Connection connection, PairKey key, int origin, String who, @Nullable String lines)
            throws SQLException {
        Sql.update(
                connection,
                "insert into whitelist_change(list, sender, recipient, origin, at, who, lines)"
                        + " values (?, ?, ?, ?, ?, ?, ?)",
                list,
                key.sender(),
                key.recipient(),
                origin,
                Instant.now().atOffset(ZoneOffset.UTC),
                who,
                lines);
    }

    /** Returns where the feed is now, or null if it has not begun. */
    @Nullable FeedPosition position(Connection connection) throws SQLException, IOException {
        List<State> states =
                Sql.query(
                        connection,
                        engine.feed(),
                        State::read,
                        Long.toString(Long.MAX_VALUE),
                        list,
                        1);
        return states.isEmpty()
                ? null
                : new FeedPosition(states.getFirst().epoch, states.getFirst().next);
    }

    /** Begins the feed, unless another server just did, and returns where it is. */
    FeedPosition begin(Connection connection) throws SQLException, IOException {
        FeedPosition there = position(connection);
        if (there != null) {
            return there;
        }
        Sql.update(
                connection,
                "insert into whitelist_list(list, epoch, kept_from) values (?, ?, 0)",
                list,
                UUID.randomUUID().toString());
        FeedPosition begun = position(connection);
        if (begun == null) {
            throw new IOException("the feed did not begin");
        }
        return begun;
    }

    /**
     * Ends what the feed told until now, before changes that it will not tell. Who followed it
     * builds its filters anew. Only where one process writes, so that the change with the greatest
     * number is the one that was just made.
     */
    void endFeed(Connection connection) throws SQLException, IOException {
        begin(connection);
        add(connection, NOBODY, 0, "", null);
        Sql.update(
                connection,
                "update whitelist_list set kept_from = (select max(seq) from whitelist_change)"
                        + " where list = ?",
                list);
        Sql.update(
                connection,
                "delete from whitelist_change where seq = (select max(seq) from whitelist_change)");
    }

    /** Returns the changes after a position, or null if they cannot be told. */
    @Nullable Feed after(Connection connection, FeedPosition position)
            throws SQLException, IOException {
        if (position.value() < 0) {
            return null;
        }
        List<State> states = new ArrayList<>();
        List<Feed.Change> changes = new ArrayList<>();
        Sql.query(
                connection,
                engine.feed(),
                row -> {
                    if (states.isEmpty()) {
                        states.add(State.read(row));
                    }
                    byte[] sender = row.getBytes(6);
                    return sender != null
                            && changes.add(new Feed.Change(row.getLong(5), PairKey.key(sender)));
                },
                Long.toString(position.value()),
                list,
                MOST + 1);
        if (states.isEmpty() || !states.getFirst().has(position) || changes.size() > MOST) {
            return null;
        }
        return new Feed(new FeedPosition(position.epoch(), states.getFirst().next), changes);
    }

    /** Returns the last changes of a sender, the newest first. */
    List<PastChange> history(Connection connection, Key sender, int most)
            throws SQLException, IOException {
        return Sql.query(
                connection,
                "select sender, recipient, at, who, origin, lines from whitelist_change"
                        + " where list = ? and sender = ? and recipient <> ?"
                        + " order by list desc, sender desc, seq desc limit ?",
                row -> {
                    String lines = row.getString("lines");
                    return new PastChange(
                            row.getObject("at", OffsetDateTime.class).toInstant(),
                            row.getString("who"),
                            origin(row.getInt("origin")),
                            PairKey.read(row).toString(),
                            lines == null ? List.of() : List.of(lines.split("\n", -1)));
                },
                list,
                PairKey.of(sender, null).sender(),
                FORGOTTEN,
                most);
    }

    /**
     * Forgets for whom some of the changes for a recipient were, who made them, and what they said.
     * Number, place and sender stay, because servers that follow the feed need them. Returns how
     * many were forgotten; there may be more if these are {@value #PART}.
     */
    int forget(Connection connection, Key to) throws SQLException {
        return Sql.update(
                connection,
                "update whitelist_change set recipient = ?, who = '', lines = null where seq in"
                        + " (select seq from whitelist_change where list = ? and recipient = ?"
                        + " limit "
                        + PART
                        + ")",
                FORGOTTEN,
                list,
                PairKey.of(to, to).recipient());
    }

    private static Origin origin(int code) throws IOException {
        Origin origin = Origin.ofCode((byte) code);
        if (origin == null) {
            throw new IOException("the database holds an unknown origin, " + code);
        }
        return origin;
    }
}
