package io.github.senderwhitelist.database;

import io.github.senderwhitelist.living.EntryTable;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** A database with the entries of any number of lists. Safe for use by any number of threads. */
public final class Database implements Closeable {
    private final Engine engine;
    private final SweepClock clock;
    private final ReentrantLock preparing = new ReentrantLock();
    private volatile boolean prepared;

    private Database(Engine engine, LongSupplier nanos) {
        this.engine = engine;
        this.clock = new SweepClock(nanos);
    }

    /**
     * Opens a database in a file, which no other process may have open.
     *
     * @param file the path of the file without its ending {@code .mv.db}; it is made if it is
     *     missing
     * @param timeout how long a call waits for others
     * @throws IOException if the file cannot be opened, or another process has it open
     */
    public static Database h2(Path file, Duration timeout) throws IOException {
        return h2(file, timeout, System::nanoTime);
    }

    /** Takes what measures the time that passes in a test. */
    static Database h2(Path file, Duration timeout, LongSupplier nanos) throws IOException {
        Engine engine = new H2Engine(file, timeout);
        Database database = new Database(engine, nanos);
        try {
            database.call(file.toString(), connection -> true);
            return database;
        } catch (IOException e) {
            database.close();
            throw e;
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
        return new Database(
                new PostgresEngine(timeout, new PostgresPool(source, timeout, poolSize)),
                System::nanoTime);
    }

    /**
     * Makes a database as {@link #postgres} does, with a new connection for each call. For the
     * command line, which lacks what the pool logs with.
     *
     * @throws IllegalArgumentException if the URL cannot be used; the message does not contain it
     */
    public static Database postgresWithoutPool(
            String url, String user, String password, Duration timeout) {
        PostgresSource source = new PostgresSource(url, user, password, timeout);
        return new Database(new PostgresEngine(timeout, source::getConnection), System::nanoTime);
    }

    /**
     * Rejects a URL with which {@link #postgres} could not make a database.
     *
     * @throws IllegalArgumentException if the URL cannot be used; the message does not contain it
     */
    public static void requireUsable(String url) {
        PostgresSource.requireUsable(url);
    }

    /** Returns the table of a list. It need not be closed, and closing it does nothing. */
    public EntryTable table(String list) {
        return new JdbcTable(this, engine, list);
    }

    /**
     * Returns the names of the lists whose feed has begun. Makes no tables.
     *
     * @throws IOException if the database fails
     */
    public SortedSet<String> lists() throws IOException {
        try (Connection connection = engine.connect()) {
            return Schema.exists(connection, engine)
                    ? new TreeSet<>(
                            Sql.query(
                                    connection,
                                    "select list from whitelist_list",
                                    row -> row.getString(1)))
                    : new TreeSet<>();
        } catch (SQLException e) {
            throw new IOException("read the names of lists: " + engine.explain(e), e);
        }
    }

    /**
     * Begins to load very many entries into a list, if this process has the database to itself.
     * Nothing else must be asked of the database until the loading is closed.
     *
     * @param entries about how many entries
     * @return null if {@link EntryTable#putAll} is the way to put them
     */
    public @Nullable Loading load(String list, long entries) throws IOException {
        return engine.isOfOneProcess() && entries > ChangeLog.MOST
                ? Loading.begin(this, engine, list, entries)
                : null;
    }

    /** Returns the clock by which it is decided what is past. */
    SweepClock clock() {
        return clock;
    }

    /**
     * Runs work with a connection.
     *
     * @param what what is done to what, for the message when it fails
     */
    <T extends @Nullable Object> T call(String what, Sql.Work<T> work) throws IOException {
        try (Connection connection = engine.connect()) {
            prepare(connection);
            return work.on(connection);
        } catch (SQLException e) {
            throw new IOException(what + ": " + engine.explain(e), e);
        } catch (IOException e) {
            throw new IOException(what + ": " + e.getMessage(), e);
        }
    }

    /**
     * Runs work in a transaction. When it is undone because of what others do at the same time, it
     * is tried again while there is time.
     */
    <T> T write(String what, Sql.Work<T> work) throws IOException {
        try {
            return engine.write(() -> tryUntilTimeout(what, work));
        } catch (SQLException e) {
            throw new IOException(what + ": " + engine.explain(e), e);
        }
    }

    private <T> T tryUntilTimeout(String what, Sql.Work<T> work) throws IOException {
        long end = System.nanoTime() + engine.timeout().toNanos();
        while (true) {
            try {
                return call(what, connection -> Transactions.write(connection, work));
            } catch (IOException e) {
                boolean again =
                        e.getCause() instanceof SQLException cause && Failures.isPassing(cause);
                if (!again || System.nanoTime() > end) {
                    throw e;
                }
            }
        }
    }

    private void prepare(Connection connection) throws IOException, SQLException {
        if (prepared) {
            return;
        }
        try {
            if (!preparing.tryLock(engine.timeout().toMillis(), TimeUnit.MILLISECONDS)) {
                throw new SQLTimeoutException("the tables were not there in time");
            }
        } catch (InterruptedException e) {
            throw Failures.interrupted(e);
        }
        try {
            if (!prepared) {
                Schema.prepare(connection, engine);
                clock.begin(connection);
                prepared = true;
            }
        } finally {
            preparing.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        try {
            engine.close();
        } catch (SQLException e) {
            throw new IOException("close the database: " + engine.explain(e), e);
        }
    }
}
