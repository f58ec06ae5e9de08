package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.EntryTable;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** A database with the entries of any number of lists. Safe for use by any number of threads. */
public final class Database implements Closeable {
    /**
     * The system property with the folder into which SQLite's library is unpacked, if it is set.
     */
    public static final String LIBRARY_FOLDER = SqliteDriver.FOLDER;

    /** The most entries that are put with a change each, when their number is known before. */
    private static final long MOST_CHANGES = 200_000;

    private final Engine engine;
    private final ReentrantLock preparing = new ReentrantLock();

    /** The incarnation of the engine whose tables are there, or null. */
    private volatile @Nullable Object prepared;

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
        Database database = new Database(new SqliteEngine(file, timeout));
        boolean opened = false;
        try {
            database.read(file.toString(), connection -> true);
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
        return new Database(
                new PostgresEngine(timeout, new PostgresPool(source, timeout, poolSize)));
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
        return new Database(new PostgresEngine(timeout, source::getConnection));
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
        return run(
                "read the names of lists",
                () -> {
                    engine.incarnation();
                    return engine.read(
                            connection ->
                                    Schema.exists(connection, engine)
                                            ? new TreeSet<>(
                                                    Sql.query(
                                                            connection,
                                                            "select name from whitelist_list",
                                                            row -> row.getString(1)))
                                            : new TreeSet<>());
                });
    }

    /**
     * Puts entries into a list in one transaction, as {@link EntryTable#putAll} does, but keeps
     * what is there if it has a denial and the new entry has none.
     *
     * @return how many are new or have changed
     */
    public long putAllButKeepDenials(String list, List<Entry> entries, String who)
            throws IOException {
        return new JdbcTable(this, engine, list)
                .putAllButKeepDenials(entries, who).stream()
                        .filter(done -> done.effect() != EntryTable.Effect.NONE)
                        .count();
    }

    /** Returns whether so many entries, about, are put by {@link #importing}. */
    public static boolean isVeryMany(long entries) {
        return entries > MOST_CHANGES;
    }

    /**
     * Begins to import very many entries into a list.
     *
     * @param entries the approximate number of entries
     * @return null if {@link EntryTable#putAll} is the way to put them
     */
    public @Nullable Import importing(String list, long entries) throws IOException {
        return isVeryMany(entries) ? Import.begin(this, engine, list, entries) : null;
    }

    /** An action with the engine, without a result. */
    @FunctionalInterface
    interface Act {
        void run() throws SQLException, IOException;
    }

    /** An action with the engine. */
    @FunctionalInterface
    interface Step<T extends @Nullable Object> {
        T run() throws SQLException, IOException;
    }

    /**
     * Runs work that reads.
     *
     * @param what the action and its object, for the message when it fails
     */
    <T extends @Nullable Object> T read(String what, Sql.Work<T> work) throws IOException {
        return prepared(what, () -> engine.read(work));
    }

    /** Runs work that reads, all of it from one state. */
    <T extends @Nullable Object> T readOneState(String what, Sql.Work<T> work) throws IOException {
        return prepared(what, () -> engine.readOneState(work));
    }

    /** Runs an action that calls the engine several times. */
    void act(String what, Act act) throws IOException {
        prepared(
                what,
                () -> {
                    act.run();
                    return true;
                });
    }

    /** Runs an action that calls the engine several times, and has a result. */
    <T extends @Nullable Object> T prepared(String what, Step<T> step) throws IOException {
        return run(
                what,
                () -> {
                    prepare();
                    return step.run();
                });
    }

    private <T extends @Nullable Object> T run(String what, Step<T> step) throws IOException {
        try {
            return step.run();
        } catch (SQLException e) {
            if (Failures.isRefusal(e)) {
                // The tables may be gone, such as while a dump is put back.
                prepared = null;
            }
            throw new IOException(what + ": " + engine.explain(e), e);
        } catch (IOException e) {
            throw new IOException(what + ": " + e.getMessage(), e);
        }
    }

    /**
     * Runs work in a transaction. When it is rolled back because of concurrent transactions, it is
     * tried again until the timeout.
     */
    <T extends @Nullable Object> T write(String what, Sql.Work<T> work) throws IOException {
        return again(what, () -> engine.write(work));
    }

    /**
     * Runs work in a transaction as {@link #write} does, unless work that reads returns a result
     * before.
     */
    <T> T writeUnlessKnown(String what, Sql.Work<@Nullable T> known, Sql.Work<T> work)
            throws IOException {
        return again(
                what,
                () -> {
                    T found = engine.read(known);
                    return found == null ? engine.write(work) : found;
                });
    }

    private <T extends @Nullable Object> T again(String what, Step<T> step) throws IOException {
        long end = System.nanoTime() + engine.timeout().toNanos();
        while (true) {
            try {
                return prepared(what, step);
            } catch (IOException e) {
                boolean again =
                        e.getCause() instanceof SQLException cause && Failures.isPassing(cause);
                if (!again || System.nanoTime() > end) {
                    throw e;
                }
            }
        }
    }

    private void prepare() throws IOException, SQLException {
        Object now = engine.incarnation();
        if (isSame(now, prepared)) {
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
            if (!isSame(now, prepared)) {
                Schema.prepare(engine);
                prepared = now;
            }
        } finally {
            preparing.unlock();
        }
    }

    @SuppressWarnings("ReferenceEquality")
    private static boolean isSame(Object some, @Nullable Object other) {
        return some == other;
    }

    /**
     * Keeps no connection to a file open from now on, beyond its use. So after each change the file
     * alone is the whole database, without a log beside it.
     */
    public void keepNoneOpen() {
        engine.keepNoneOpen();
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
