package io.github.senderwhitelist.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import io.github.senderwhitelist.living.ListRecord;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.SortedSet;
import java.util.TreeSet;

import javax.sql.DataSource;

/** A database with the records of any number of lists. Safe for use by any number of threads. */
public final class Database implements Closeable {
    /**
     * The system property with the folder into which SQLite's library is unpacked, if it is set.
     */
    public static final String LIBRARY_FOLDER = SqliteDriver.FOLDER;

    private final Engine engine;

    Database(Engine engine) {
        this.engine = engine;
    }

    /**
     * Opens a SQLite database in a file, which is made if it is missing. Other processes may have
     * it open, too.
     *
     * @param timeout how long a call waits for others
     * @throws IOException if the file cannot be used
     */
    public static Database sqlite(Path file, Duration timeout) throws IOException {
        return opened(new SqliteEngine(file, timeout, true));
    }

    /**
     * Opens a database as {@link #sqlite} does, with a new connection for each reading. For the
     * command line, which lacks what the pool logs with.
     *
     * @throws IOException if the file cannot be used
     */
    public static Database sqliteWithoutPool(Path file, Duration timeout) throws IOException {
        return opened(new SqliteEngine(file, timeout, false));
    }

    private static Database opened(SqliteEngine engine) throws IOException {
        Database database = new Database(engine);
        boolean opened = false;
        try {
            database.read(engine.toString(), session -> true);
            opened = true;
            return database;
        } finally {
            if (!opened) {
                database.close();
            }
        }
    }

    /**
     * Makes a database on a PostgreSQL server, of version 13 or newer. It need not be there yet.
     * Calls fail until it is.
     *
     * @param url the JDBC URL, without user and password
     * @param timeout how long a call waits for one answer
     * @param poolSize the most connections
     * @throws IllegalArgumentException if the URL cannot be used; the message does not contain it
     */
    public static Database postgres(
            String url, String user, String password, Duration timeout, int poolSize) {
        PostgresSource source = new PostgresSource(url, user, password, timeout);
        return new Database(new PostgresEngine(timeout, pool(source, timeout, poolSize)));
    }

    /**
     * Makes a database as {@link #postgres} does, with a new connection for each call. For the
     * command line, which lacks what the pool logs with.
     *
     * @throws IllegalArgumentException if the URL cannot be used; the message does not contain it
     */
    public static Database postgresWithoutPool(
            String url, String user, String password, Duration timeout) {
        return new Database(
                new PostgresEngine(timeout, new PostgresSource(url, user, password, timeout)));
    }

    /**
     * Rejects a URL with which {@link #postgres} could not make a database.
     *
     * @throws IllegalArgumentException if the URL cannot be used; the message does not contain it
     */
    public static void requireUsable(String url) {
        PostgresSource.requireUsable(url);
    }

    /** Returns a pool of connections for many threads. It logs over SLF4J, as James does. */
    static DataSource pool(DataSource source, Duration timeout, int size) {
        long leastWait = 250; // milliseconds, the least that the pool takes
        HikariConfig config = new HikariConfig();
        config.setPoolName("sender-whitelist");
        config.setDataSource(source);
        config.setMaximumPoolSize(size);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(Math.max(leastWait, timeout.toMillis()));
        config.setValidationTimeout(Math.max(leastWait, timeout.toMillis() / 2));
        // Opens even while the database is gone.
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    /** Closes a source, if it is a pool. */
    static void close(DataSource source) {
        // Not by the name of its class, which the command line does not have.
        if (source instanceof Closeable pool) {
            try {
                pool.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Returns the record of a list, which need not be there yet. */
    public ListRecord record(String list) {
        return new JdbcRecord(this, engine, list);
    }

    /**
     * Returns the names of the lists. Makes no tables on a server.
     *
     * @throws IOException if the database fails
     */
    public SortedSet<String> lists() throws IOException {
        String what = "read the names of lists";
        if (!run(what, engine::hasTables)) {
            return new TreeSet<>();
        }
        return read(
                what,
                session ->
                        new TreeSet<>(
                                session.query(
                                        "select name from whitelist_list",
                                        row -> row.getString(1))));
    }

    /**
     * Runs work that reads, all of it from one moment of the database.
     *
     * @param what the action and its object, for the message when it fails
     */
    <T extends @Nullable Object> T read(String what, Session.Work<T> work) throws IOException {
        return run(what, () -> engine.read(work));
    }

    /**
     * Runs work in a transaction. When it is rolled back because of concurrent transactions, it is
     * tried again until the timeout.
     */
    <T extends @Nullable Object> T write(String what, Session.Work<T> work) throws IOException {
        long end = System.nanoTime() + engine.timeout().toNanos();
        while (true) {
            try {
                return run(what, () -> engine.write(work));
            } catch (IOException e) {
                boolean again =
                        e.getCause() instanceof SQLException cause && Failures.isPassing(cause);
                if (!again || System.nanoTime() - end > 0) {
                    throw e;
                }
            }
        }
    }

    /** An action with the engine. */
    @FunctionalInterface
    interface Step<T extends @Nullable Object> {
        T run() throws SQLException, IOException;
    }

    /** Runs an action, whose failure is explained. */
    <T extends @Nullable Object> T run(String what, Step<T> step) throws IOException {
        try {
            return step.run();
        } catch (SQLException e) {
            throw new IOException(what + ": " + engine.explain(e), e);
        } catch (IOException e) {
            throw new IOException(what + ": " + e.getMessage(), e);
        }
    }

    /**
     * Keeps no connection to a file open from now on, beyond its use. So after each change the file
     * alone is the whole database, without a log beside it.
     */
    public void keepNoneOpen() {
        engine.keepNoneOpen();
    }

    @Override
    public void close() {
        engine.close();
    }
}
