package io.github.senderwhitelist.database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * PostgreSQL, which several servers may share. Changes become visible in another order than that of
 * their numbers. So a position of the feed is the number of the oldest transaction that had not
 * ended: after it comes all that was not visible yet.
 */
final class PostgresEngine implements Engine {
    /** The lock for making the tables; any number that no one else uses. */
    private static final long SCHEMA_LOCK = 0x73656e6465727377L;

    /**
     * Names what numbers the transactions: the database cluster, and its timeline, which is another
     * one after it was restored, or after a standby took over, which may lack the last changes.
     */
    private static final String CLUSTER =
            "(select '/' || system_identifier from pg_control_system()) || '/' ||"
                    + " substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)";

    /**
     * Names the file of the entries, which is another one after a dump was put back: its entries
     * have no changes that say so.
     */
    private static final String FILE =
            " || '/' || (select oid from pg_database where datname = current_database()) || '.' ||"
                    + " pg_relation_filenode('whitelist_entry')";

    private final Duration timeout;
    private final Connections connections;
    private volatile String cluster = "''";

    /** Where connections come from. */
    interface Connections {
        Connection connect() throws SQLException;

        /** Closes those that nobody uses. */
        default void close() {}
    }

    PostgresEngine(Duration timeout, Connections connections) {
        this.timeout = timeout;
        this.connections = connections;
    }

    @Override
    public Connection connect() throws SQLException {
        return connections.connect();
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public void prepare(Connection connection) throws SQLException {
        try {
            Sql.run(connection, "select " + CLUSTER);
            cluster = CLUSTER;
        } catch (SQLException e) {
            // Some who host databases allow no such questions. Then only the epoch tells.
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
        List<String> statements =
                new ArrayList<>(
                        Schema.statements(
                                "bytea",
                                "seq bigint generated always as identity primary key,"
                                        + " xid xid8 not null default pg_current_xact_id()",
                                "xid"));
        statements.addAll(Inbox.SCHEMA);
        return statements;
    }

    @Override
    public boolean hasInbox() {
        return true;
    }

    @Override
    public <T> T write(Writing<T> work) throws IOException, SQLException {
        return work.run();
    }

    @Override
    public boolean isOfOneProcess() {
        return false;
    }

    @Override
    public boolean readsArrays() {
        return true;
    }

    @Override
    public String placeOfChange() {
        return "cast(cast(xid as text) as bigint)";
    }

    @Override
    public long keptFrom(long removed) {
        return removed + 1;
    }

    /**
     * {@inheritDoc}
     *
     * <p>Transactions that this cluster has not begun yet have changes only if these were restored
     * from another cluster. They are old.
     */
    @Override
    public String feed() {
        return "select l.epoch || "
                + cluster
                + FILE
                + ", l.kept_from,"
                + " cast(cast(pg_snapshot_xmin(pg_current_snapshot()) as text) as bigint),"
                + " cast(cast(pg_snapshot_xmax(pg_current_snapshot()) as text) as bigint),"
                + " c.seq, c.sender from whitelist_list l left join whitelist_change c on c.list ="
                + " l.list and c.xid >= cast(cast(? as text) as xid8) and c.xid <"
                + " pg_snapshot_xmax(pg_current_snapshot()) where l.list = ? limit ?";
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
