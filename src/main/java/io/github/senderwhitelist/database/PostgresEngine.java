package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

import javax.sql.DataSource;

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

    /** Rows as arrays of their columns: one statement for all, however many there are. */
    private static final String ROWS =
            " unnest(?, ?, ?, ?, ?) with ordinality as r(sender, recipient, origin, rules, ends,"
                    + " place) ";

    private static final String LOAD =
            "insert into whitelist_entry(list, sender, recipient, origin, rules, ends)"
                    + " select distinct on (sender, recipient, origin) cast(? as int), sender,"
                    + " recipient, origin, rules, ends from"
                    + ROWS
                    + "order by sender, recipient, origin, place desc"
                    + " on conflict (list, sender, recipient, origin)"
                    + " do update set rules = excluded.rules, ends = excluded.ends where";

    private static final String OTHERS =
            "select r.place, e.rules from"
                    + ROWS
                    + "join whitelist_entry e on e.list = ? and e.sender = r.sender and e.recipient"
                    + " = r.recipient and e.origin = r.origin where e.rules <> r.rules";

    private final Duration timeout;
    private final DataSource source;
    private final String limits;

    /** Whether the tables are there. */
    private volatile boolean prepared;

    PostgresEngine(Duration timeout, DataSource source) {
        this.timeout = timeout;
        this.source = source;
        this.limits =
                "set local statement_timeout = "
                        + timeout.toMillis()
                        // Before that, the one for a lock, which says more.
                        + "; set local lock_timeout = "
                        + timeout.toMillis() * 9 / 10
                        + "; ";
    }

    @Override
    public <T extends @Nullable Object> T read(Session.Work<T> work)
            throws SQLException, IOException {
        return prepared(
                "set transaction isolation level repeatable read, read only; " + limits, work);
    }

    @Override
    public <T extends @Nullable Object> T write(Session.Work<T> work)
            throws SQLException, IOException {
        return prepared(
                "set transaction isolation level read committed; set local synchronous_commit = on;"
                        + limits,
                work);
    }

    private <T extends @Nullable Object> T prepared(String settings, Session.Work<T> work)
            throws SQLException, IOException {
        try {
            if (!prepared) {
                transaction(
                        limits,
                        session -> {
                            if (session.first(EXISTS, row -> true) == null) {
                                session.run("select pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
                            }
                            return Schema.make(session, EXISTS, Schema.ofPostgres());
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

    private <T extends @Nullable Object> T transaction(String settings, Session.Work<T> work)
            throws SQLException, IOException {
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            boolean done = false;
            try {
                begin(connection, settings);
                T result = work.on(new Session(connection));
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
        return transaction(limits, session -> session.first(EXISTS, row -> true) != null);
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
    public void readInOrder(Session session) throws SQLException {
        session.run(
                "set local enable_seqscan = off; set local enable_bitmapscan = off;"
                        + " set local enable_sort = off; set local max_parallel_workers_per_gather"
                        + " = 0");
    }

    @Override
    public int load(Session session, int list, List<EntryRow> rows, String condition, Others others)
            throws SQLException, IOException {
        // As if the table were small, as it is when nothing is known of it yet.
        session.run("set local enable_hashjoin = off; set local enable_mergejoin = off");
        Array[] columns = {
            column(session, "bytea", rows, row -> row.key().sender(), byte[][]::new),
            column(session, "bytea", rows, row -> row.key().recipient(), byte[][]::new),
            column(session, "smallint", rows, EntryRow::origin, Object[]::new),
            column(session, "varchar", rows, EntryRow::text, Object[]::new),
            column(session, "bigint", rows, EntryRow::ends, Object[]::new)
        };
        session.forEach(
                OTHERS,
                row -> {
                    others.take(row.getInt(1) - 1, row.getString(2));
                    return row;
                },
                columns[0],
                columns[1],
                columns[2],
                columns[3],
                columns[4],
                list);
        return session.update(
                LOAD + condition, list, columns[0], columns[1], columns[2], columns[3], columns[4]);
    }

    private static Array column(
            Session session,
            String type,
            List<EntryRow> rows,
            Function<EntryRow, @Nullable Object> value,
            IntFunction<@Nullable Object[]> array)
            throws SQLException {
        return session.connection().createArrayOf(type, rows.stream().map(value).toArray(array));
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
        Database.close(source);
    }
}
