package io.github.senderwhitelist.database;

import io.github.senderwhitelist.living.EntryTable.Effect;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts entries with one statement, which takes them as arrays. For PostgreSQL.
 *
 * <p>Feed and history are written from what the statement returns of each entry that it has locked.
 * So a change gets its number after that.
 */
final class BulkPut {
    /** The rules of a row as a set, so that their order makes no difference. */
    private static final String SET =
            "(select array_agg(x order by x collate \"C\")"
                    + " from unnest(string_to_array(%s.rules, E'\\n')) x)";

    /** What is put in place of other rules, and only where they differ. */
    static final String REPLACES =
            " on conflict (list, sender, recipient, origin) do update"
                    + " set rules = excluded.rules, ends = excluded.ends"
                    + " where whitelist_entry.rules <> excluded.rules and "
                    + SET.formatted("whitelist_entry")
                    + " is distinct from "
                    + SET.formatted("excluded");

    private static final String PUT =
            "with put as (insert into whitelist_entry(list, sender, recipient, origin, rules, ends)"
                    + " select ?, u.sender, u.recipient, u.origin, u.rules, u.ends from"
                    + " unnest(cast(? as bytea[]), cast(? as bytea[]), cast(? as int[]),"
                    + " cast(? as varchar[]), cast(? as bigint[]))"
                    + " as u(sender, recipient, origin, rules, ends)"
                    + " order by u.sender, u.recipient, u.origin"
                    + REPLACES
                    + " returning sender, recipient, origin, rules, xmax = 0 as created),"
                    + " fed as (insert into whitelist_feed(list, sender, recipient, origin, at)"
                    + " select ?, sender, recipient, origin, ? from put),"
                    + " noted as (insert into whitelist_history(list, sender, recipient, origin,"
                    + " at, who, rules) select ?, sender, recipient, origin, ?, ?, rules from put)"
                    + " select sender, recipient, origin, created from put";

    private final FeedLog feed;

    BulkPut(FeedLog feed) {
        this.feed = feed;
    }

    /** Puts entries in their order, and returns what was done for each. */
    List<Effect> put(Connection connection, List<EntryRow> rows, String who)
            throws SQLException, IOException {
        int id = feed.id(connection);
        List<Effect> effects = new ArrayList<>();
        List<EntryRow> part = new ArrayList<>();
        Set<Target> targets = new HashSet<>();
        for (EntryRow row : rows) {
            if (!targets.add(Target.of(row))) {
                effects.addAll(putDistinct(connection, id, part, who));
                part.clear();
                targets.clear();
                targets.add(Target.of(row));
            }
            part.add(row);
        }
        if (!part.isEmpty()) {
            effects.addAll(putDistinct(connection, id, part, who));
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

    private static List<Effect> putDistinct(
            Connection connection, int id, List<EntryRow> rows, String who)
            throws SQLException, IOException {
        Map<Target, Effect> effects = new HashMap<>();
        long now = System.currentTimeMillis();
        Sql.forEach(
                connection,
                PUT,
                row ->
                        effects.put(
                                Target.read(row),
                                row.getBoolean("created") ? Effect.CREATED : Effect.REPLACED),
                id,
                Sql.array(connection, "bytea", rows, row -> row.key().sender()),
                Sql.array(connection, "bytea", rows, row -> row.key().recipient()),
                Sql.array(connection, "int4", rows, EntryRow::origin),
                Sql.array(connection, "varchar", rows, EntryRow::text),
                ends(connection, rows),
                id,
                now,
                id,
                now,
                who);
        return rows.stream().map(row -> effects.getOrDefault(Target.of(row), Effect.NONE)).toList();
    }

    private static Array ends(Connection connection, List<EntryRow> rows)
            throws SQLException, IOException {
        List<@Nullable Long> ends = new ArrayList<>();
        for (EntryRow row : rows) {
            ends.add(row.ends());
        }
        return connection.createArrayOf("int8", ends.toArray());
    }
}
