package io.github.senderwhitelist.database;

import io.github.senderwhitelist.living.EntryTable.Effect;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** Puts many entries with few statements, which take them as arrays. For PostgreSQL. */
final class BulkPut {
    private static final String KEYS = "cast(? as bytea[]), cast(? as bytea[]), cast(? as int[])";
    private static final String SAME =
            "e.list = ? and e.sender = u.sender and e.recipient = u.recipient"
                    + " and e.origin = u.origin";

    private final String list;

    BulkPut(String list) {
        this.list = list;
    }

    /** Puts entries in their order, and returns what was done for each. */
    List<Effect> put(Connection connection, List<EntryRow> rows, String who)
            throws SQLException, IOException {
        List<Effect> effects = new ArrayList<>();
        List<EntryRow> part = new ArrayList<>();
        Set<Target> targets = new HashSet<>();
        for (EntryRow row : rows) {
            if (!targets.add(Target.of(row))) {
                effects.addAll(putDistinct(connection, part, who));
                part.clear();
                targets.clear();
                targets.add(Target.of(row));
            }
            part.add(row);
        }
        effects.addAll(putDistinct(connection, part, who));
        return effects;
    }

    /** What a row is about. */
    private record Target(String key, int origin) {
        static Target of(EntryRow row) {
            return new Target(row.key().toString(), row.origin());
        }
    }

    /** A row to put, and the lines that are there before, or null. */
    private record Put(EntryRow row, @Nullable String before) {
        Effect effect() {
            if (before == null) {
                return Effect.CREATED;
            }
            return row.saysSameAs(before) ? Effect.NONE : Effect.REPLACED;
        }
    }

    private List<Effect> putDistinct(Connection connection, List<EntryRow> rows, String who)
            throws SQLException, IOException {
        TreeMap<Long, String> before = linesBefore(connection, rows);
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < rows.size(); i++) {
            puts.add(new Put(rows.get(i), before.get(i + 1L)));
        }
        insert(connection, puts.stream().filter(put -> put.effect() == Effect.CREATED).toList());
        update(connection, puts.stream().filter(put -> put.effect() == Effect.REPLACED).toList());
        log(connection, puts.stream().filter(put -> put.effect() != Effect.NONE).toList(), who);
        return puts.stream().map(Put::effect).toList();
    }

    /** Returns the lines that are there now, by the place of the row, counted from 1. */
    private TreeMap<Long, String> linesBefore(Connection connection, List<EntryRow> rows)
            throws SQLException, IOException {
        TreeMap<Long, String> before = new TreeMap<>();
        Keys keys = Keys.of(connection, rows);
        Sql.query(
                connection,
                "select u.place, e.lines from unnest("
                        + KEYS
                        + ") with ordinality as u(sender, recipient, origin, place)"
                        + " join whitelist_entry e on "
                        + SAME,
                row -> Objects.requireNonNullElse(before.put(row.getLong(1), row.getString(2)), ""),
                keys.senders,
                keys.recipients,
                keys.origins,
                list);
        return before;
    }

    private void insert(Connection connection, List<Put> puts) throws SQLException, IOException {
        if (puts.isEmpty()) {
            return;
        }
        Keys keys = Keys.ofAll(connection, puts);
        Sql.update(
                connection,
                "insert into whitelist_entry(list, sender, recipient, origin, lines, until_moment)"
                        + " select ?, u.sender, u.recipient, u.origin, u.lines,"
                        + " to_timestamp(u.until) from unnest("
                        + KEYS
                        + ", cast(? as varchar[]), cast(? as bigint[]))"
                        + " as u(sender, recipient, origin, lines, until)",
                list,
                keys.senders,
                keys.recipients,
                keys.origins,
                array(connection, "varchar", puts, put -> put.row.lines()),
                ends(connection, puts));
    }

    private void update(Connection connection, List<Put> puts) throws SQLException, IOException {
        if (puts.isEmpty()) {
            return;
        }
        Keys keys = Keys.ofAll(connection, puts);
        int updated =
                Sql.update(
                        connection,
                        "update whitelist_entry e set lines = u.lines,"
                                + " until_moment = to_timestamp(u.until) from unnest("
                                + KEYS
                                + ", cast(? as varchar[]), cast(? as bigint[]),"
                                + " cast(? as varchar[]))"
                                + " as u(sender, recipient, origin, lines, until, before) where "
                                + SAME
                                + " and e.lines = u.before",
                        keys.senders,
                        keys.recipients,
                        keys.origins,
                        array(connection, "varchar", puts, put -> put.row.lines()),
                        ends(connection, puts),
                        array(connection, "varchar", puts, Put::before),
                        list);
        if (updated < puts.size()) {
            throw Failures.changedMeanwhile();
        }
    }

    private void log(Connection connection, List<Put> puts, String who) throws SQLException {
        if (puts.isEmpty()) {
            return;
        }
        Keys keys = Keys.ofAll(connection, puts);
        Sql.update(
                connection,
                "insert into whitelist_change(list, sender, recipient, origin, at, who, lines)"
                        + " select ?, u.sender, u.recipient, u.origin, ?, ?, u.lines from unnest("
                        + KEYS
                        + ", cast(? as varchar[])) as u(sender, recipient, origin, lines)",
                list,
                Instant.now().atOffset(ZoneOffset.UTC),
                who,
                keys.senders,
                keys.recipients,
                keys.origins,
                array(connection, "varchar", puts, put -> put.row.lines()));
    }

    /** The keys of rows, as arrays. */
    private record Keys(Array senders, Array recipients, Array origins) {
        static Keys of(Connection connection, List<EntryRow> rows) throws SQLException {
            return new Keys(
                    array(connection, "bytea", rows, row -> row.key().sender()),
                    array(connection, "bytea", rows, row -> row.key().recipient()),
                    array(connection, "int4", rows, EntryRow::origin));
        }

        static Keys ofAll(Connection connection, List<Put> puts) throws SQLException {
            return of(connection, puts.stream().map(Put::row).toList());
        }
    }

    private static <T> Array array(
            Connection connection,
            String type,
            List<T> rows,
            Function<T, ? extends @Nullable Object> column)
            throws SQLException {
        @Nullable Object[] values =
                type.equals("bytea") ? new byte[rows.size()][] : new Object[rows.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = column.apply(rows.get(i));
        }
        return connection.createArrayOf(type, values);
    }

    /** Returns the seconds at which the rows end, or null for those that do not. */
    private static Array ends(Connection connection, List<Put> puts)
            throws SQLException, IOException {
        List<@Nullable Long> ends = new ArrayList<>();
        for (Put put : puts) {
            OffsetDateTime end = put.row.until();
            ends.add(end == null ? null : end.toEpochSecond());
        }
        return connection.createArrayOf("int8", ends.toArray());
    }
}
