package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.JournalMode;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteConnection;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteOpenMode;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The engine for SQLite in a file, which several processes on one machine may share. One connection
 * writes, others read, each from one moment. If another file is at the path, all are opened again.
 */
final class SqliteEngine implements Engine {
    private static final String KEPT = "; the changes acknowledged before are kept";

    private static final String EXISTS =
            "select 1 from sqlite_schema where type = 'table' and name = 'whitelist_schema'";

    /** The most connections that read at the same time. */
    private static final int READERS = 8;

    /** The bytes to which the write-ahead log is cut once it is in the file. */
    private static final int LOG_BYTES = 8 << 20;

    /** The memory for pages of the connection that writes, in KiB, as SQLite takes it. */
    private static final int CACHE = -65_536;

    /** How long SQLite itself waits for another process that writes, in milliseconds. */
    private static final int SHORT_WAIT = 10;

    private static final String LOAD =
            "insert into whitelist_entry(list, sender, recipient, origin, rules, ends)"
                    + " values (?, ?, ?, ?, ?, ?) on conflict do update set rules = excluded.rules,"
                    + " ends = excluded.ends where";

    private final SqliteFile file;
    private final Duration timeout;
    private final boolean isPooled;
    private final ReentrantLock writing = new ReentrantLock(true);

    /** What is open, or null. */
    private @Nullable Open open;

    private volatile boolean keepsNone;
    private boolean closed;

    /**
     * Makes the file if it is missing.
     *
     * @param isPooled whether connections that read are kept for the next reading
     * @throws IOException if SQLite cannot be loaded, or the file not be made
     */
    SqliteEngine(Path path, Duration timeout, boolean isPooled) throws IOException {
        this.file = new SqliteFile(path);
        this.timeout = timeout;
        this.isPooled = isPooled;
        file.makeFolder();
        SqliteDriver.load(file.folder());
        file.make();
    }

    /** The connections to one file. */
    private record Open(Object identity, Connections readers, Connection writer) {
        /** Closes what nobody uses. Whether that works makes no difference to what is committed. */
        void close() {
            readers.close();
            try {
                writer.close();
            } catch (SQLException e) {
                // It is of no more use anyway.
            }
        }
    }

    /** Returns the connections to the file that is at the path now. */
    private synchronized Open open() throws SQLException, IOException {
        Object identity = file.identity();
        Open before = open;
        if (before != null && before.identity.equals(identity)) {
            return before;
        }
        if (closed) {
            throw new SQLException("the database was closed");
        }
        closeOpen();
        boolean isNew = isNew();
        SQLiteDataSource source = source();
        Connection writer = source.getConnection();
        boolean good = false;
        try {
            Sql.run(writer, "pragma cache_size = " + CACHE, "pragma busy_timeout = " + SHORT_WAIT);
            transaction(
                    writer,
                    // Who only reads waits for nobody.
                    isNew ? this::beginToWrite : own -> Sql.run(own, "begin"),
                    own -> {
                        Schema.make(own, EXISTS, Schema.ofSqlite());
                        return true;
                    });
            Connections readers =
                    isPooled && !keepsNone
                            ? Connections.pooled(source, timeout, READERS)
                            : source::getConnection;
            Open now = new Open(identity, readers, writer);
            open = now;
            good = true;
            return now;
        } finally {
            if (!good) {
                writer.close();
            }
        }
    }

    private synchronized void closeOpen() {
        Open before = open;
        open = null;
        if (before != null) {
            before.close();
        }
    }

    /** Returns the source of connections, none of which acknowledges what the disk lacks. */
    private SQLiteDataSource source() {
        SQLiteConfig config = config();
        config.setJournalMode(JournalMode.WAL);
        config.setSynchronous(SynchronousMode.FULL);
        config.setJournalSizeLimit(LOG_BYTES);
        config.setPragma(SQLiteConfig.Pragma.MMAP_SIZE, "0");
        SQLiteDataSource source =
                new SQLiteDataSource(config) {
                    @Override
                    public SQLiteConnection getConnection(
                            @Nullable String user, @Nullable String password) throws SQLException {
                        SQLiteConnection connection = super.getConnection(user, password);
                        // Only macOS knows the difference, and this driver has no setting for it.
                        Sql.run(connection, "pragma fullfsync = on");
                        return connection;
                    }
                };
        source.setUrl("jdbc:sqlite:" + file.path());
        return source;
    }

    private SQLiteConfig config() {
        SQLiteConfig config = new SQLiteConfig();
        config.resetOpenMode(SQLiteOpenMode.CREATE);
        config.setBusyTimeout(Math.toIntExact(timeout.toMillis()));
        config.setGetGeneratedKeys(false);
        return config;
    }

    /**
     * Returns whether the tables are missing. Rejects a database in which there is something else.
     */
    private boolean isNew() throws SQLException, IOException {
        try (Connection connection = config().createConnection("jdbc:sqlite:" + file.path())) {
            boolean isNew = Sql.first(connection, EXISTS, row -> true) == null;
            if (isNew
                    && Sql.first(connection, "select 1 from sqlite_schema", row -> true) != null) {
                throw new IOException(
                        file.path()
                                + ": a database of another program; nothing was changed in it."
                                + " Needed: a file for this plugin alone");
            }
            return isNew;
        }
    }

    @Override
    public <T extends @Nullable Object> T read(Sql.Work<T> work) throws SQLException, IOException {
        try (Connection connection = open().readers.connect()) {
            return transaction(connection, own -> Sql.run(own, "begin"), work);
        } finally {
            if (keepsNone) {
                closeUnused();
            }
        }
    }

    @Override
    public <T extends @Nullable Object> T write(Sql.Work<T> work) throws SQLException, IOException {
        acquire();
        try {
            Open now = open();
            T result = transaction(now.writer, this::beginToWrite, work);
            if (!file.identity().equals(now.identity)) {
                throw new SQLException(
                        file.path() + ": another file came into its place; the change may be lost");
            }
            return result;
        } finally {
            writing.unlock();
            if (keepsNone) {
                closeUnused();
            }
        }
    }

    private void acquire() throws SQLException {
        try {
            if (!writing.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new SQLTimeoutException(
                        "other changes took longer than " + Failures.seconds(timeout));
            }
        } catch (InterruptedException e) {
            throw Failures.interrupted(e);
        }
    }

    /** Closes all, unless a change is being made. */
    private void closeUnused() {
        if (writing.tryLock()) {
            try {
                closeOpen();
            } finally {
                writing.unlock();
            }
        }
    }

    /** Begins a transaction. */
    @FunctionalInterface
    private interface Beginning {
        void of(Connection connection) throws SQLException;
    }

    /** Waits for processes that write. SQLite's own wait would be too long to get its turn. */
    private void beginToWrite(Connection connection) throws SQLException {
        long end = System.nanoTime() + timeout.toNanos();
        while (true) {
            try {
                Sql.run(connection, "begin immediate");
                return;
            } catch (SQLException e) {
                if (!isBusy(e) || System.nanoTime() - end > 0) {
                    throw e;
                }
            }
        }
    }

    private static boolean isBusy(SQLException e) {
        return (e.getErrorCode() & 0xff) == SQLiteErrorCode.SQLITE_BUSY.code;
    }

    private static <T extends @Nullable Object> T transaction(
            Connection connection, Beginning beginning, Sql.Work<T> work)
            throws SQLException, IOException {
        beginning.of(connection);
        boolean done = false;
        try {
            T result = work.on(connection);
            Sql.run(connection, "commit");
            done = true;
            return result;
        } finally {
            if (!done) {
                undo(connection);
            }
        }
    }

    /** Undoes a transaction, unless SQLite has. Why it is needed says more than why it fails. */
    private static void undo(Connection connection) {
        try {
            Sql.run(connection, "rollback");
        } catch (SQLException e) {
            // There is none any more.
        }
    }

    /** They are made when the file is opened. */
    @Override
    public boolean hasTables() {
        return true;
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public String clock() {
        return "cast(unixepoch('subsec') * 1000 as int)";
    }

    /** Cuts the write-ahead log, which grows as long as an old moment is read. */
    @Override
    public void endReading() throws SQLException, IOException {
        acquire();
        try {
            Sql.run(open().writer, "pragma wal_checkpoint(truncate)");
        } finally {
            writing.unlock();
        }
    }

    @Override
    public int load(
            Connection connection, int list, List<EntryRow> rows, String condition, Others others)
            throws SQLException, IOException {
        try (PreparedStatement there =
                        connection.prepareStatement(
                                "select rules from whitelist_entry where list = ? and sender = ?"
                                        + " and recipient = ? and origin = ? and rules <> ?");
                PreparedStatement statement = connection.prepareStatement(LOAD + condition)) {
            int changed = 0;
            for (int i = 0; i < rows.size(); i++) {
                EntryRow row = rows.get(i);
                Long ends = row.ends();
                there.setInt(1, list);
                there.setBytes(2, row.key().sender());
                there.setBytes(3, row.key().recipient());
                there.setInt(4, row.origin());
                there.setString(5, row.text());
                try (ResultSet found = there.executeQuery()) {
                    if (found.next()) {
                        others.take(i, found.getString(1));
                    }
                }
                statement.setInt(1, list);
                statement.setBytes(2, row.key().sender());
                statement.setBytes(3, row.key().recipient());
                statement.setInt(4, row.origin());
                statement.setString(5, row.text());
                statement.setObject(6, ends, Types.BIGINT);
                changed += statement.executeUpdate();
            }
            return changed;
        }
    }

    @Override
    public String explain(SQLException e) {
        int code = e.getErrorCode() & 0xff;
        if (isBusy(e)) {
            return file.path()
                    + ": another process has been writing for more than "
                    + Failures.seconds(timeout)
                    + "; nothing was changed";
        }
        if (code == SQLiteErrorCode.SQLITE_CORRUPT.code
                || code == SQLiteErrorCode.SQLITE_NOTADB.code) {
            return file.path()
                    + ": damaged, or no database of SQLite. Restore a backup without the files"
                    + " -wal and -shm beside it; or move all three away, so that a new one is made,"
                    + " and import the list";
        }
        if (code == SQLiteErrorCode.SQLITE_FULL.code) {
            return file.path() + ": the disk is full. Make room; then all goes on" + KEPT;
        }
        if (code == SQLiteErrorCode.SQLITE_READONLY.code
                || code == SQLiteErrorCode.SQLITE_CANTOPEN.code
                || code == SQLiteErrorCode.SQLITE_PERM.code) {
            return file.path()
                    + ": this process may not write the file, or make files beside it"
                    + KEPT;
        }
        return code == SQLiteErrorCode.SQLITE_IOERR.code
                ? file.path() + ": " + Failures.reason(e) + KEPT
                : Failures.reason(e);
    }

    @Override
    public void keepNoneOpen() {
        keepsNone = true;
        closeUnused();
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        closeOpen();
    }

    /** Returns the path of the file, for messages. */
    @Override
    public String toString() {
        return file.path().toString();
    }
}
