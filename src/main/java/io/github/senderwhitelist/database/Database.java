package io.github.senderwhitelist.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.living.ListRecord;

import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;

import javax.sql.DataSource;

/**
 * A database with the records of any number of lists. Safe for use by any number of threads. Where
 * the pool is missing, as on the command line, each call makes a connection.
 */
public abstract class Database implements Closeable {
    /** The system property with the folder that SQLite's library is unpacked into, if it is set. */
    public static final String LIBRARY_FOLDER = SqliteDriver.FOLDER;

    /** How long a call waits for one answer. */
    final Duration timeout;

    Database(Duration timeout) {
        this.timeout = timeout;
    }

    /**
     * Opens a SQLite database in a file, which is made if it is missing. Other processes may have
     * it open, too.
     *
     * @param timeout how long a call waits for others
     * @throws IOException if the file cannot be used
     */
    public static Database sqlite(Path file, Duration timeout) throws IOException {
        return new SqliteDatabase(file, timeout);
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
        DataSource source = new PostgresDatabase.Source(url, user, password, timeout);
        return new PostgresDatabase(timeout, pooled(source, timeout, poolSize));
    }

    /**
     * Rejects a URL with which {@link #postgres} could not make a database.
     *
     * @throws IllegalArgumentException if the URL cannot be used; the message does not contain it
     */
    public static void requireUsable(String url) {
        String lower = url.toLowerCase(Locale.ROOT);
        if (url.indexOf('@') >= 0 || lower.contains("password=") || lower.contains("user=")) {
            throw new IllegalArgumentException(
                    "the URL of the database must have no user and no password in it; they have"
                            + " settings of their own");
        }
        if (Driver.parseURL(url, null) == null) {
            throw new IllegalArgumentException(
                    "the URL of the database cannot be understood; an example:"
                            + " jdbc:postgresql://host:5432/name");
        }
    }

    /** Returns a pool of connections, or the source itself where none is kept, or no pool there. */
    static DataSource pooled(DataSource source, Duration timeout, int size) {
        if (size == 0) {
            return source;
        }
        try {
            HikariConfig config = new HikariConfig();
            long minWait = 250; // milliseconds, the least that the pool takes
            config.setPoolName("sender-whitelist");
            config.setDataSource(source);
            config.setMaximumPoolSize(size);
            config.setMinimumIdle(1);
            config.setConnectionTimeout(Math.max(minWait, timeout.toMillis()));
            config.setValidationTimeout(Math.max(minWait, timeout.toMillis() / 2));
            // Opens even while the database is gone.
            config.setInitializationFailTimeout(-1);
            return new HikariDataSource(config);
        } catch (NoClassDefFoundError e) {
            return source;
        }
    }

    /**
     * Closes a connection, or a source if that is a pool; not by its class, which the command line
     * cannot load. Whether it works makes no difference to what is committed.
     */
    static void closeQuietly(Object open) {
        if (open instanceof AutoCloseable used) {
            try {
                used.close();
            } catch (Exception e) {
                // It is of no more use anyway.
                return;
            }
        }
    }

    /** Returns the record of a list, which need not be there yet. */
    public ListRecord record(String list) {
        return new JdbcRecord(this, list);
    }

    /** Returns the usage of a list, which must be there when it is read or written. */
    public UsageTable usage(String list) {
        return new UsageTable(new JdbcRecord(this, list));
    }

    /**
     * Returns the names of the lists. Makes no tables on a server.
     *
     * @throws IOException if the database fails
     */
    public SortedSet<String> lists() throws IOException {
        String what = "read the names of lists";
        SortedSet<String> names = new TreeSet<>();
        if (explained(what, this::hasTables)) {
            String sql = "select name from whitelist_list";
            names.addAll(read(what, session -> session.query(sql, row -> row.getString(1))));
        }
        return names;
    }

    /** Runs work that only reads, all of it from one moment; a failure says what was done. */
    final <T extends @Nullable Object> T read(String what, Session.Work<T> work)
            throws IOException {
        return explained(what, () -> transaction(false, work));
    }

    /** Runs work in a transaction. When this returns, the disk keeps what was written. */
    final <T extends @Nullable Object> T write(String what, Session.Work<T> work)
            throws IOException {
        return explained(what, () -> transaction(true, work));
    }

    /** Something whose failure is explained. */
    interface Step<T extends @Nullable Object> {
        T run() throws SQLException, IOException;
    }

    final <T extends @Nullable Object> T explained(String what, Step<T> step) throws IOException {
        try {
            return step.run();
        } catch (SQLException e) {
            throw failed(what, explain(e), e);
        } catch (IOException e) {
            throw failed(what, String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns a failure to do something, or with a file, which the reason may name, too. */
    private static IOException failed(String what, String why, Exception cause) {
        return new IOException(why.startsWith(what) ? why : what + ": " + why, cause);
    }

    /** Runs work in a transaction that writes, or sees one moment of the database. */
    abstract <T extends @Nullable Object> T transaction(boolean writes, Session.Work<T> work)
            throws SQLException, IOException;

    /** Returns whether the tables are there, and makes none. */
    abstract boolean hasTables() throws SQLException, IOException;

    /** Returns an expression for the time by the clock of the database, in milliseconds. */
    abstract String clock();

    /** Returns an expression for the last bytes of a sender; of one with fewer, for less. */
    abstract String endOfSender(int length);

    /** Returns a query for about the bytes that the entries of all lists take, or more. */
    abstract String size();

    /** Returns what comes before the query that reads the log. */
    String beforeLog() {
        return "";
    }

    /** Prepares a transaction to compare all entries, of which few are wanted. */
    void readAll(Session session) throws SQLException {}

    /** Prepares a transaction to read a whole list in its order. */
    void readInOrder(Session session) throws SQLException {}

    /** Ends what the reading of a whole list has left. */
    void endReading() {}

    /** Prepares a transaction to put a part of a bulk. */
    void prepareBulk(Session session) throws SQLException, IOException {}

    /** Makes what bulks have done without, at the end of one, or after one that has none. */
    boolean completeBulk(Session session) throws SQLException, IOException {
        return true;
    }

    /** Runs statements that change rows, in their order. */
    void update(Session session, List<Session.Update> updates) throws SQLException {
        for (Session.Update each : updates) {
            session.update(each.sql(), each.values());
        }
    }

    /** Returns the rows that are there of some pairs, in any order. */
    List<EntryRow> there(Session session, int list, Collection<Pair> pairs)
            throws SQLException, IOException {
        List<EntryRow> there = new ArrayList<>();
        for (Pair pair : pairs) {
            there.addAll(
                    session.query(
                            JdbcRecord.ENTRIES + "and sender = ? and recipient = ?",
                            EntryRow::read,
                            list,
                            pair.sender().bytes(),
                            EntryRow.column(pair.to())));
        }
        return there;
    }

    /** Explains a failure to people. */
    abstract String explain(SQLException e);

    /** Returns why something failed, in one line, with the root cause where that is no SQL. */
    static String reason(SQLException failure) {
        String why = oneLine(failure.getMessage());
        Throwable root = root(failure);
        return root instanceof SQLException ? why : why + " (" + rootOf(root) + ')';
    }

    /** Returns the class and the message of the root cause of a failure, in one line. */
    static String rootOf(Throwable failure) {
        Throwable root = root(failure);
        return root.getClass().getSimpleName() + ": " + oneLine(root.getMessage());
    }

    private static Throwable root(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause == null ? failure : root(cause);
    }

    /** Returns a text without line breaks, and without what a terminal would obey. */
    private static String oneLine(@Nullable String text) {
        return Text.escaped(String.valueOf(text).strip().replaceAll("\\s+", " "));
    }

    /** Returns the timeout for people. */
    final String seconds() {
        return timeout.toMillis() / 1000.0 + " seconds";
    }

    /**
     * Keeps no connection to a file open from now on, beyond its use. So after each change the file
     * alone is the whole database, without a log beside it.
     */
    public void keepNoneOpen() {}

    /** Closes all connections. Calls fail from then on. */
    @Override
    public abstract void close();
}
