package io.github.senderwhitelist.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;

/**
 * The engine for PostgreSQL, which several servers may share. Whatever a transaction needs is set
 * within it: behind a pooler, the next one may be on another connection of the server.
 */
final class PostgresEngine implements Engine {
    /** The lock for making the tables; any number that no one else uses. */
    private static final long SCHEMA_LOCK = 0x73656e6465727377L;

    // Not to_regclass, which may say what it said before another server made the tables.
    private static final String EXISTS =
            "select 1 from pg_catalog.pg_class where relname = 'whitelist_schema' and"
                    + " pg_catalog.pg_table_is_visible(oid)";

    private static final String LOAD =
            """
            insert into whitelist_entry(list, sender, recipient, origin, rules, ends)
            select distinct on (sender, recipient, origin)
              cast(? as int), sender, recipient, origin, rules, ends
            from whitelist_staging order by sender, recipient, origin, place desc
            on conflict (list, sender, recipient, origin)
            do update set rules = excluded.rules, ends = excluded.ends where\
            """;

    private static final String OTHERS =
            "select s.place, e.rules from whitelist_staging s join whitelist_entry e on e.list = ?"
                    + " and e.sender = s.sender and e.recipient = s.recipient and e.origin ="
                    + " s.origin where e.rules <> s.rules";

    private final Duration timeout;
    private final Connections connections;
    private final String limits;

    /** Whether the tables are there. */
    private volatile boolean prepared;

    PostgresEngine(Duration timeout, Connections connections) {
        this.timeout = timeout;
        this.connections = connections;
        this.limits =
                "set local statement_timeout = "
                        + timeout.toMillis()
                        // Before that, the one for a lock, which says more.
                        + "; set local lock_timeout = "
                        + timeout.toMillis() * 9 / 10
                        + "; ";
    }

    @Override
    public <T extends @Nullable Object> T read(Sql.Work<T> work) throws SQLException, IOException {
        return prepared(
                "set transaction isolation level repeatable read, read only; " + limits, work);
    }

    @Override
    public <T extends @Nullable Object> T write(Sql.Work<T> work) throws SQLException, IOException {
        return prepared(
                "set transaction isolation level read committed; set local synchronous_commit = on;"
                        + limits,
                work);
    }

    private <T extends @Nullable Object> T prepared(String settings, Sql.Work<T> work)
            throws SQLException, IOException {
        try {
            if (!prepared) {
                transaction(
                        limits,
                        connection -> {
                            if (Sql.first(connection, EXISTS, row -> true) == null) {
                                Sql.run(
                                        connection,
                                        "select pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
                            }
                            Schema.make(connection, EXISTS, Schema.ofPostgres());
                            return true;
                        });
                prepared = true;
            }
            return transaction(settings, work);
        } catch (SQLException e) {
            if (Failures.isRefusal(e)) {
                // The tables may be gone, such as while a dump is restored.
                prepared = false;
            }
            throw e;
        }
    }

    private <T extends @Nullable Object> T transaction(String settings, Sql.Work<T> work)
            throws SQLException, IOException {
        try (Connection connection = connections.connect()) {
            connection.setAutoCommit(false);
            boolean done = false;
            try {
                begin(connection, settings);
                T result = work.on(connection);
                connection.commit();
                done = true;
                return result;
            } finally {
                end(connection, done);
            }
        }
    }

    /** Rejects a server in recovery, which may have what is old. */
    private static void begin(Connection connection, String settings) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(settings + "select pg_is_in_recovery()");
            while (statement.getResultSet() == null) {
                statement.getMoreResults();
            }
            ResultSet row = statement.getResultSet();
            if (row.next() && row.getBoolean(1)) {
                throw new SQLException(
                        "the server is in recovery, so that it may have what is old; needed: the"
                                + " primary");
            }
        }
    }

    /** Undoes what is not done. Why that is needed says more than why it fails. */
    private static void end(Connection connection, boolean done) {
        try {
            if (!done) {
                connection.rollback();
            }
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            // The connection is gone, and the transaction with it.
        }
    }

    @Override
    public boolean hasTables() throws SQLException, IOException {
        return transaction(limits, own -> Sql.first(own, EXISTS, row -> true) != null);
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public String clock() {
        return "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";
    }

    /** Has the primary key read: a sort would have to end before the timeout. */
    @Override
    public void readInOrder(Connection connection) throws SQLException {
        Sql.run(
                connection,
                "set local enable_seqscan = off; set local enable_bitmapscan = off;"
                        + " set local enable_sort = off; set local max_parallel_workers_per_gather"
                        + " = 0");
    }

    /** Copies the rows into a temporary table, and merges that. */
    @Override
    public int load(
            Connection connection, int list, List<EntryRow> rows, String condition, Others others)
            throws SQLException, IOException {
        Sql.run(
                connection,
                // Nothing is known of the new table, and the other one may be very long.
                "set local enable_hashjoin = off; set local enable_mergejoin = off",
                "create temporary table whitelist_staging(place int, sender bytea, recipient bytea,"
                        + " origin smallint, rules varchar, ends bigint) on commit drop");
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < rows.size(); i++) {
            append(lines, i, rows.get(i));
        }
        connection
                .unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn(
                        "copy whitelist_staging from stdin",
                        new ByteArrayInputStream(lines.toString().getBytes(UTF_8)));
        Sql.forEach(connection, OTHERS, row -> others.take(row.getInt(1), row.getString(2)), list);
        return Sql.update(connection, LOAD + condition, list);
    }

    private static void append(StringBuilder lines, int place, EntryRow row) throws IOException {
        Long ends = row.ends();
        HexFormat hex = HexFormat.of();
        lines.append(place)
                .append("\t\\\\x")
                .append(hex.formatHex(row.key().sender()))
                .append("\t\\\\x")
                .append(hex.formatHex(row.key().recipient()))
                .append('\t')
                .append(row.origin())
                .append('\t')
                .append(
                        row.text()
                                .replace("\\", "\\\\")
                                .replace("\t", "\\t")
                                .replace("\r", "\\r")
                                .replace("\n", "\\n"))
                .append('\t')
                .append(ends == null ? "\\N" : ends)
                .append('\n');
    }

    @Override
    public String explain(SQLException e) {
        if (e instanceof SQLTransientConnectionException) {
            return e.getCause() instanceof SQLException cause
                    ? Failures.reason(cause)
                    : "no connection was free within " + Failures.seconds(timeout);
        }
        return switch (String.valueOf(e.getSQLState())) {
            case Failures.LOCKED ->
                    "another transaction has kept the list locked for more than "
                            + Failures.seconds(timeout)
                            + "; nothing was changed";
            case Failures.CANCELED -> "no answer within " + Failures.seconds(timeout);
            default -> Failures.reason(e);
        };
    }

    @Override
    public void close() {
        connections.close();
    }
}
