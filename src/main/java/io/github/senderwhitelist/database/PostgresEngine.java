package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The engine for PostgreSQL, which several servers may share. */
final class PostgresEngine implements Engine {
    /** The lock for making the tables; any number that no one else uses. */
    private static final long SCHEMA_LOCK = 0x73656e6465727377L;

    /** Has the transaction wait until the disk keeps it, whatever the database's default is. */
    private static final String LASTING = "set local synchronous_commit = on";

    private static final Schema.Dialect DIALECT =
            new Schema.Dialect(
                    "bytea",
                    "smallint",
                    "int generated always as identity primary key",
                    "bigint generated always as identity",
                    // A third of the size of a tree of senders.
                    " using hash (sender)",
                    "seq bigint generated always as identity (cache 1),"
                            + " xid xid8 not null default pg_current_xact_id(), token bigint not"
                            + " null default hashtextextended(gen_random_uuid()::text, 0)",
                    ", primary key (list, xid, seq)",
                    "",
                    address("e.sender"),
                    "case when length(e.recipient) > 0 then "
                            + address("substring(e.recipient from 2)")
                            + " end",
                    "to_timestamp(e.ends / 1000.0)");

    private final Duration timeout;
    private final Connections connections;
    private final PostgresFeed feed = new PostgresFeed();

    /** The source of connections. */
    interface Connections {
        Connection connect() throws SQLException;

        /** Closes those that nobody uses. */
        default void close() {}
    }

    /**
     * Makes it.
     *
     * @param connections for calls
     */
    PostgresEngine(Duration timeout, Connections connections) {
        this.timeout = timeout;
        this.connections = connections;
    }

    @Override
    public <T extends @Nullable Object> T read(Sql.Work<T> work) throws SQLException, IOException {
        try (Connection connection = connections.connect()) {
            return work.on(connection);
        }
    }

    @Override
    public <T extends @Nullable Object> T readOneState(Sql.Work<T> work)
            throws SQLException, IOException {
        return read(connection -> Transactions.read(connection, work));
    }

    @Override
    public <T extends @Nullable Object> T write(Sql.Work<T> work) throws SQLException, IOException {
        return read(
                connection ->
                        Transactions.write(
                                connection,
                                own -> {
                                    Sql.run(own, LASTING);
                                    return work.on(own);
                                }));
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public Object incarnation() {
        return this;
    }

    @Override
    public void prepare(Connection connection) throws SQLException {
        try {
            Sql.run(connection, "select " + PostgresFeed.CLUSTER);
            feed.knowsCluster();
        } catch (SQLException e) {
            // Some hosts of databases do not allow this statement. Then only epoch and witnesses
            // are compared.
            if (!Failures.isRefusal(e)) {
                throw e;
            }
        }
    }

    @Override
    public void lockSchema(Connection connection) throws SQLException {
        Sql.run(connection, "select pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
    }

    @Override
    public String hasSchema() {
        // Not to_regclass, which may say what it said before another server made the tables.
        return "select 1 from pg_catalog.pg_class where relname = 'whitelist_schema' and"
                + " pg_catalog.pg_table_is_visible(oid)";
    }

    @Override
    public List<String> schema() {
        List<String> statements = new ArrayList<>(Schema.statements(DIALECT));
        // They are small, and enough to find what is old.
        statements.add("create index whitelist_feed_at on whitelist_feed using brin (at)");
        statements.add("create index whitelist_history_at on whitelist_history using brin (at)");
        return statements;
    }

    private static String address(String bytes) {
        return "convert_from(substring(%s from 1 for position('\\x00'::bytea in %s) - 1), 'UTF8')"
                        .formatted(bytes, bytes)
                + " || '@' || convert_from(substring(%s from position('\\x00'::bytea in %s) + 1),"
                        .formatted(bytes, bytes)
                + " 'UTF8')";
    }

    @Override
    public String clock() {
        return "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";
    }

    @Override
    public FeedReader feed() {
        return feed;
    }

    @Override
    public boolean putsInBulk() {
        return true;
    }

    @Override
    public boolean streamsOneMoment() {
        return true;
    }

    @Override
    public BulkLoad bulkLoad() {
        return new PostgresLoad();
    }

    @Override
    public String explain(SQLException e) {
        if (e instanceof SQLTransientConnectionException) {
            return e.getCause() instanceof SQLException cause
                    ? Failures.reason(cause)
                    : "no connection was free within " + Failures.seconds(timeout);
        }
        return Failures.CANCELED.equals(e.getSQLState())
                ? "no answer within " + Failures.seconds(timeout)
                : Failures.reason(e);
    }

    @Override
    public void close() {
        connections.close();
    }
}
