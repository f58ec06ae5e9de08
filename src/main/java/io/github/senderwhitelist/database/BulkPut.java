package io.github.senderwhitelist.database;

import io.github.senderwhitelist.living.EntryTable.Effect;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;

/** Puts many entries with few statements, which take them as arrays. For PostgreSQL. */
final class BulkPut {
    private static final String KEYS =
            "cast(? as varchar[]), cast(? as bytea[]), cast(? as bytea[]), cast(? as int[])";

    private static final String SAME =
            "e.list = u.list and e.sender = u.sender and e.recipient = u.recipient"
                    + " and e.origin = u.origin";

    /**
     * Has each entry looked up in the index, until the transaction ends. PostgreSQL would rather
     * read a list of a million entries as a whole for each five thousand. The name of the list is a
     * column for the same reason: of a name that is new, PostgreSQL would think that it has no
     * entries, and look for them the other way round.
     */
    private static final String BY_INDEX =
            "select set_config('enable_hashjoin', 'off', true),"
                    + " set_config('enable_mergejoin', 'off', true)";

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
        if (!part.isEmpty()) {
            effects.addAll(putDistinct(connection, part, who));
        }
        return effects;
    }

    /** What a row is about. */
    private record Target(ByteBuffer sender, ByteBuffer recipient, int origin) {
        static Target of(EntryRow row) {
            return of(row.key(), row.origin());
        }

        static Target read(ResultSet row) throws SQLException {
            return of(PairKey.read(row), row.getInt("origin"));
        }

        private static Target of(PairKey key, int origin) {
            return new Target(
                    ByteBuffer.wrap(key.sender()), ByteBuffer.wrap(key.recipient()), origin);
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
        Set<Target> created = insertNew(connection, rows);
        List<EntryRow> old =
                rows.stream().filter(row -> !created.contains(Target.of(row))).toList();
        Map<Target, String> before = old.isEmpty() ? Map.of() : linesOf(connection, old);
        List<Put> puts = new ArrayList<>();
        for (EntryRow row : rows) {
            Target target = Target.of(row);
            String lines = before.get(target);
            if (lines == null && !created.contains(target)) {
                throw Failures.changedMeanwhile();
            }
            puts.add(new Put(row, lines));
        }
        update(connection, puts.stream().filter(put -> put.effect() == Effect.REPLACED).toList());
        log(connection, puts.stream().filter(put -> put.effect() != Effect.NONE).toList(), who);
        return puts.stream().map(Put::effect).toList();
    }

    /** Inserts the rows whose keys were not there, and returns which they are. */
    private Set<Target> insertNew(Connection connection, List<EntryRow> rows)
            throws SQLException, IOException {
        Keys keys = Keys.of(connection, list, rows);
        return new HashSet<>(
                Sql.query(
                        connection,
                        "insert into whitelist_entry(list, sender, recipient, origin, lines,"
                                + " until_moment) select u.list, u.sender, u.recipient, u.origin,"
                                + " u.lines, to_timestamp(u.until) from unnest("
                                + KEYS
                                + ", cast(? as varchar[]), cast(? as bigint[]))"
                                + " as u(list, sender, recipient, origin, lines, until)"
                                + " on conflict (list, sender, recipient, origin) do nothing"
                                + " returning sender, recipient, origin",
                        Target::read,
                        keys.lists,
                        keys.senders,
                        keys.recipients,
                        keys.origins,
                        array(connection, "varchar", rows, EntryRow::lines),
                        ends(connection, rows)));
    }

    /** Returns the lines that are there now. */
    private Map<Target, String> linesOf(Connection connection, List<EntryRow> rows)
            throws SQLException, IOException {
        Sql.run(connection, BY_INDEX);
        Map<Target, String> lines = new HashMap<>();
        Keys keys = Keys.of(connection, list, rows);
        Sql.query(
                connection,
                "select e.sender, e.recipient, e.origin, e.lines from unnest("
                        + KEYS
                        + ") as u(list, sender, recipient, origin) join whitelist_entry e on "
                        + SAME,
                row ->
                        Objects.requireNonNullElse(
                                lines.put(Target.read(row), row.getString(4)), ""),
                keys.lists,
                keys.senders,
                keys.recipients,
                keys.origins);
        return lines;
    }

    private void update(Connection connection, List<Put> puts) throws SQLException, IOException {
        if (puts.isEmpty()) {
            return;
        }
        List<EntryRow> rows = puts.stream().map(Put::row).toList();
        Keys keys = Keys.of(connection, list, rows);
        int updated =
                Sql.update(
                        connection,
                        "update whitelist_entry e set lines = u.lines,"
                                + " until_moment = to_timestamp(u.until) from unnest("
                                + KEYS
                                + ", cast(? as varchar[]), cast(? as bigint[]),"
                                + " cast(? as varchar[]))"
                                + " as u(list, sender, recipient, origin, lines, until, before)"
                                + " where "
                                + SAME
                                + " and e.lines = u.before",
                        keys.lists,
                        keys.senders,
                        keys.recipients,
                        keys.origins,
                        array(connection, "varchar", rows, EntryRow::lines),
                        ends(connection, rows),
                        array(connection, "varchar", puts, Put::before));
        if (updated < puts.size()) {
            throw Failures.changedMeanwhile();
        }
    }

    private void log(Connection connection, List<Put> puts, String who) throws SQLException {
        if (puts.isEmpty()) {
            return;
        }
        List<EntryRow> rows = puts.stream().map(Put::row).toList();
        Keys keys = Keys.of(connection, list, rows);
        Sql.update(
                connection,
                "insert into whitelist_change(list, sender, recipient, origin, at, who, lines)"
                        + " select u.list, u.sender, u.recipient, u.origin, ?, ?, u.lines"
                        + " from unnest("
                        + KEYS
                        + ", cast(? as varchar[])) as u(list, sender, recipient, origin, lines)",
                Instant.now().atOffset(ZoneOffset.UTC),
                who,
                keys.lists,
                keys.senders,
                keys.recipients,
                keys.origins,
                array(connection, "varchar", rows, EntryRow::lines));
    }

    /** The keys of rows, as arrays. */
    private record Keys(Array lists, Array senders, Array recipients, Array origins) {
        static Keys of(Connection connection, String list, List<EntryRow> rows)
                throws SQLException {
            return new Keys(
                    array(connection, "varchar", rows, row -> list),
                    array(connection, "bytea", rows, row -> row.key().sender()),
                    array(connection, "bytea", rows, row -> row.key().recipient()),
                    array(connection, "int4", rows, EntryRow::origin));
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
    private static Array ends(Connection connection, List<EntryRow> rows)
            throws SQLException, IOException {
        List<@Nullable Long> ends = new ArrayList<>();
        for (EntryRow row : rows) {
            OffsetDateTime end = row.until();
            ends.add(end == null ? null : end.toEpochSecond());
        }
        return connection.createArrayOf("int8", ends.toArray());
    }
}
