package io.github.senderwhitelist.database;

import io.github.senderwhitelist.living.EntryTable.Done;
import io.github.senderwhitelist.living.EntryTable.Effect;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A put of many entries into PostgreSQL by one statement, which takes them as arrays.
 *
 * <p>Feed and history are written from the rows that the statement returns for the entries that it
 * has locked. So a change gets its number after that.
 */
final class BulkPut {
    /** The rules of a row as a set, so that their order makes no difference. */
    private static final String SET =
            "(select array_agg(x order by x collate \"C\")"
                    + " from unnest(string_to_array(%s.rules, E'\\n')) x)";

    /** The clause that replaces other rules, only where they differ. */
    static final String REPLACES =
            " on conflict (list, sender, recipient, origin) do update"
                    + " set rules = excluded.rules, ends = excluded.ends"
                    + " where whitelist_entry.rules <> excluded.rules and "
                    + SET.formatted("whitelist_entry")
                    + " is distinct from "
                    + SET.formatted("excluded");

    /** The end of a clause that replaces rules: not those with a denial that the new lack. */
    static final String KEEPS_DENIALS =
            " and not ('\n' || whitelist_entry.rules like '%\n!%'"
                    + " and '\n' || excluded.rules not like '%\n!%')";

    private static final String PUT =
            "with put as (insert into whitelist_entry(list, sender, recipient, origin, rules, ends)"
                    + " select ?, u.sender, u.recipient, u.origin, u.rules, u.ends from"
                    + " unnest(cast(? as bytea[]), cast(? as bytea[]), cast(? as int[]),"
                    + " cast(? as varchar[]), cast(? as bigint[]))"
                    + " as u(sender, recipient, origin, rules, ends)"
                    + " order by u.sender, u.recipient, u.origin"
                    + REPLACES
                    + "%s returning sender, recipient, origin, rules, xmax = 0 as created),"
                    + " fed as (insert into whitelist_feed(list, sender, recipient, origin, at)"
                    + " select ?, sender, recipient, origin, ? from put"
                    + " returning sender, recipient, origin, seq, token, "
                    + PostgresFeed.TRANSACTION
                    + " as xid),"
                    + " noted as (insert into whitelist_history(list, sender, recipient, origin,"
                    + " at, who, rules) select ?, sender, recipient, origin, ?, ?, rules from put)"
                    + " select sender, recipient, origin, created, seq, token, xid"
                    + " from put join fed using (sender, recipient, origin)";

    private final FeedLog feed;

    BulkPut(FeedLog feed) {
        this.feed = feed;
    }

    /**
     * Puts entries in their order, and returns the effect of each.
     *
     * @param keepDenials whether what is there stays if it has a denial and the new entry has none
     */
    List<Done> put(Connection connection, List<EntryRow> rows, String who, boolean keepDenials)
            throws SQLException, IOException {
        int id = feed.id(connection);
        List<Done> done = new ArrayList<>();
        Map<Target, EntryRow> part = new LinkedHashMap<>();
        for (EntryRow row : rows) {
            Target target = Target.of(row);
            if (part.containsKey(target)) {
                done.addAll(putDistinct(connection, id, part, who, keepDenials));
                part.clear();
            }
            part.put(target, row);
        }
        if (!part.isEmpty()) {
            done.addAll(putDistinct(connection, id, part, who, keepDenials));
        }
        return done;
    }

    /** The key and the origin of a row. */
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

    private static List<Done> putDistinct(
            Connection connection,
            int id,
            Map<Target, EntryRow> part,
            String who,
            boolean keepDenials)
            throws SQLException, IOException {
        List<EntryRow> rows = List.copyOf(part.values());
        Map<Target, Done> done = new LinkedHashMap<>();
        for (Map.Entry<Target, EntryRow> each : part.entrySet()) {
            done.put(each.getKey(), Done.none(each.getValue().rules()));
        }
        long now = System.currentTimeMillis();
        Sql.forEach(
                connection,
                PUT.formatted(keepDenials ? KEEPS_DENIALS : ""),
                row -> {
                    Effect effect = row.getBoolean("created") ? Effect.CREATED : Effect.REPLACED;
                    long number = row.getLong("seq");
                    long transaction = row.getLong("xid");
                    long token = row.getLong("token");
                    done.computeIfPresent(
                            Target.read(row),
                            (any, none) ->
                                    new Done(effect, none.rules(), number, transaction, token));
                },
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
        return List.copyOf(done.values());
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
