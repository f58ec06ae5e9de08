package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Pair;

import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.ds.PGSimpleDataSource;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Collectors;

import javax.sql.DataSource;

/**
 * A PostgreSQL database, which several servers may share. Whatever a transaction needs is set
 * within it: behind a pooler, the next one may be on another connection of the server.
 */
final class PostgresDatabase extends Database {
    /** The lock for making the tables; any number that no one else uses. */
    private static final long SCHEMA_LOCK = 0x73656e6465727377L;

    /** All that is read is of one moment, as a position of the log needs it. */
    private static final String READ =
            "set transaction isolation level repeatable read, read only; ";

    /**
     * Each statement sees what was committed before it: after the wait for the list's lock, also
     * what the others have written.
     */
    private static final String WRITE = "set transaction isolation level read committed; ";

    /** The most statements in one message. */
    private static final int MESSAGE = 100;

    private final DataSource source;

    /**
     * What each transaction begins with: nothing is acknowledged that the server's disk lacks, and
     * nothing waits for long. A server in recovery may have what is old.
     */
    private final String settings;

    /** Whether the tables were there, or were made. Who drops them restores them. */
    private volatile boolean prepared;

    PostgresDatabase(Duration timeout, DataSource source) {
        super(timeout);
        this.source = source;
        // The limit for a lock comes first, since its message says more.
        long millis = timeout.toMillis();
        this.settings =
                """
                select pg_is_in_recovery(), set_config('synchronous_commit', 'on', true),
                set_config('statement_timeout', '%s', true), set_config('lock_timeout', '%s', true)\
                """
                        .formatted(millis, millis * 9 / 10);
    }

    @Override
    <T extends @Nullable Object> T transaction(boolean writes, Session.Work<T> work)
            throws SQLException, IOException {
        prepare();
        return transaction(writes ? WRITE : READ, work);
    }

    /** Makes the tables, once; many servers may start at the same time. */
    private void prepare() throws SQLException, IOException {
        if (!prepared) {
            transaction(
                    WRITE,
                    session -> {
                        session.run("select pg_advisory_xact_lock(" + SCHEMA_LOCK + ")");
                        return Schema.make(session, false);
                    });
            prepared = true;
        }
    }

    private <T extends @Nullable Object> T transaction(String isolation, Session.Work<T> work)
            throws SQLException, IOException {
        // The pool has a connection commit each statement again.
        try (Connection connection = source.getConnection()) {
            connection.setAutoCommit(false);
            Session session = new Session(connection);
            if (Boolean.TRUE.equals(
                    session.first(isolation + settings, row -> row.getBoolean(1)))) {
                throw new SQLException(
                        "the server is in recovery, so that it may have what is old; needed: the"
                                + " primary");
            }
            return session.transaction(work);
        }
    }

    @Override
    boolean hasTables() throws SQLException, IOException {
        return transaction(READ, session -> Schema.isThere(session, false));
    }

    @Override
    String clock() {
        return "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)";
    }

    @Override
    String endOfSender(int length) {
        return "substr(sender, length(sender) - " + (length - 1) + ")";
    }

    @Override
    String size() {
        return "select pg_table_size('whitelist_entry')";
    }

    /**
     * Has the plan kept, since planning takes as long as a whole change; and in it all rows found
     * by their keys, however small the tables were when it was made.
     */
    @Override
    String beforeLog() {
        return "set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; ";
    }

    /** Has the table read, by several processes, in a fifth of the time of its primary key. */
    @Override
    void readAll(Session session) throws SQLException {
        session.run("set local enable_indexscan = off; set local enable_bitmapscan = off");
    }

    /** Has the primary key read: a sort would have to end before the timeout. */
    @Override
    void readInOrder(Session session) throws SQLException {
        session.run(
                "set local enable_seqscan = off; set local enable_bitmapscan = off;"
                        + " set local enable_sort = off; set local max_parallel_workers_per_gather"
                        + " = 0");
    }

    /** In few messages, since each waits for its answer. */
    @Override
    void update(Session session, List<Session.Update> updates) throws SQLException {
        for (int from = 0; from < updates.size(); from += MESSAGE) {
            List<Session.Update> part =
                    updates.subList(from, Math.min(updates.size(), from + MESSAGE));
            session.update(
                    part.stream().map(Session.Update::sql).collect(Collectors.joining("; ")),
                    part.stream().map(Session.Update::values).flatMap(Arrays::stream).toArray());
        }
    }

    /** With one statement, as if the table were small: as it is when nothing is known of it yet. */
    @Override
    List<EntryRow> there(Session session, int list, Collection<Pair> pairs)
            throws SQLException, IOException {
        if (pairs.size() == 1) {
            return super.there(session, list, pairs);
        }
        byte[][] senders = pairs.stream().map(each -> each.sender().bytes()).toArray(byte[][]::new);
        byte[][] to = pairs.stream().map(each -> EntryRow.column(each.to())).toArray(byte[][]::new);
        return session.query(
                """
                set local enable_hashjoin = off; set local enable_mergejoin = off;
                select e.sender, e.recipient, e.rules from unnest(?, ?) as r(sender, recipient)
                join whitelist_entry e
                on e.list = ? and e.sender = r.sender and e.recipient = r.recipient\
                """,
                EntryRow::read,
                session.connection().createArrayOf("bytea", senders),
                session.connection().createArrayOf("bytea", to),
                list);
    }

    @Override
    String explain(SQLException e) {
        if (e instanceof SQLTransientConnectionException) {
            return e.getCause() instanceof SQLException cause
                    ? reason(cause)
                    : "no connection was free within " + seconds();
        }
        return switch (String.valueOf(e.getSQLState())) {
            case "55P03" ->
                    "another transaction has kept the list locked for more than "
                            + seconds()
                            + "; nothing was changed";
            case "42P01" -> "the tables are gone. Restore them; only a start makes new ones";
            case "57014" -> "no answer within " + seconds();
            default -> reason(e);
        };
    }

    @Override
    public void close() {
        closeQuietly(source);
    }

    /**
     * A source of connections. The driver's own source would use Java's list of drivers, in which
     * the server may have another version of the driver.
     */
    static final class Source extends PGSimpleDataSource {
        private static final long serialVersionUID = 1L;

        Source(String url, String user, String password, Duration timeout) {
            requireUsable(url);
            setURL(url);
            setUser(user);
            setPassword(password);
            int seconds = Math.toIntExact(timeout.plusMillis(999).toSeconds());
            setConnectTimeout(seconds);
            // Later than the server, whose message says more.
            setSocketTimeout(seconds + 1);
            setTcpKeepAlive(true);
            setReWriteBatchedInserts(true);
            if (getServerNames().length > 1 && !url.contains("targetServerType=")) {
                setTargetServerType("primary");
            }
        }

        @Override
        public Connection getConnection(@Nullable String user, @Nullable String password)
                throws SQLException {
            Properties properties = new Properties();
            properties.setProperty("user", String.valueOf(user));
            properties.setProperty("password", String.valueOf(password));
            return Objects.requireNonNull(new Driver().connect(getURL(), properties));
        }
    }
}
