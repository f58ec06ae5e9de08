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
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import javax.sql.DataSource;

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

    private static final String READ = "begin";
    private static final String WRITE = "begin immediate";

    private static final String THERE =
            "select rules from whitelist_entry where list = ? and sender = ? and recipient = ?"
                    + " and origin = ?";

    private static final String ADD =
            "insert into whitelist_entry(list, sender, recipient, origin, rules, ends)"
                    + " values (?, ?, ?, ?, ?, ?) on conflict do ";

    private static final String REPLACE =
            "update set rules = excluded.rules, ends = excluded.ends where";

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

    /** What is open of one file. */
    private record Open(Object identity, DataSource readers, Session writer) {
        /** Closes what nobody uses. Whether that works makes no difference to what is committed. */
        void close() {
            Database.close(readers);
            try {
                writer.connection().close();
            } catch (SQLException e) {
                // It is of no more use anyway.
            }
        }
    }

    /** Returns what is open of the file that is at the path now. */
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
        // Who only reads waits for nobody.
        String begin = isNew() ? WRITE : READ;
        DataSource source = source();
        Session writer = new Session(source.getConnection());
        boolean good = false;
        try {
            writer.run("pragma cache_size = " + CACHE, "pragma busy_timeout = " + SHORT_WAIT);
            transaction(writer, begin, own -> Schema.make(own, EXISTS, Schema.ofSqlite()));
            DataSource readers =
                    isPooled && !keepsNone ? Database.pool(source, timeout, READERS) : source;
            open = new Open(identity, readers, writer);
            good = true;
            return open;
        } finally {
            if (!good) {
                writer.connection().close();
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
    private DataSource source() {
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
                        new Session(connection).run("pragma fullfsync = on");
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
            Session session = new Session(connection);
            boolean isNew = session.first(EXISTS, row -> true) == null;
            if (isNew && session.first("select 1 from sqlite_schema", row -> true) != null) {
                throw new IOException(
                        file.path()
                                + ": a database of another program; nothing was changed in it."
                                + " Needed: a file for this plugin alone");
            }
            return isNew;
        }
    }

    @Override
    public <T extends @Nullable Object> T read(Session.Work<T> work)
            throws SQLException, IOException {
        try (Connection connection = open().readers.getConnection()) {
            return transaction(new Session(connection), READ, work);
        } finally {
            if (keepsNone) {
                closeUnused();
            }
        }
    }

    @Override
    public <T extends @Nullable Object> T write(Session.Work<T> work)
            throws SQLException, IOException {
        acquire();
        try {
            Open now = open();
            T result = transaction(now.writer, WRITE, work);
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

    /**
     * Waits for processes that write. SQLite itself waits up to a tenth of a second between two
     * looks: beside others that write without a pause, one would not get its turn within the
     * timeout.
     */
    private void begin(Session session, String begin) throws SQLException {
        long end = System.nanoTime() + timeout.toNanos();
        while (true) {
            try {
                session.run(begin);
                return;
            } catch (SQLException e) {
                boolean isBusy = (e.getErrorCode() & 0xff) == SQLiteErrorCode.SQLITE_BUSY.code;
                if (!isBusy || System.nanoTime() - end > 0) {
                    throw e;
                }
            }
        }
    }

    private <T extends @Nullable Object> T transaction(
            Session session, String begin, Session.Work<T> work) throws SQLException, IOException {
        begin(session, begin);
        boolean done = false;
        try {
            T result = work.on(session);
            session.run("commit");
            done = true;
            return result;
        } finally {
            if (!done) {
                undo(session);
            }
        }
    }

    /** Undoes a transaction, unless SQLite has. Why it is needed says more than why it fails. */
    private static void undo(Session session) {
        session.forget();
        try {
            session.run("rollback");
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

    /**
     * Cuts the write-ahead log, which grows as long as an old moment is read. Does not wait for
     * others who read one, since all changes would wait, too: the log is cut after them.
     */
    @Override
    public void endReading() {
        try {
            acquire();
            try {
                Session writer = open().writer;
                writer.run("pragma busy_timeout = 0");
                try {
                    writer.run("pragma wal_checkpoint(truncate)");
                } finally {
                    writer.run("pragma busy_timeout = " + SHORT_WAIT);
                }
            } finally {
                writing.unlock();
            }
        } catch (SQLException | IOException e) {
            // All was read. Who reads or writes next says what is wrong.
            return;
        }
    }

    @Override
    public int load(Session session, int list, List<EntryRow> rows, String condition, Others others)
            throws SQLException, IOException {
        String add = ADD + "nothing";
        String replace = ADD + REPLACE + condition;
        int changed = 0;
        for (int i = 0; i < rows.size(); i++) {
            EntryRow row = rows.get(i);
            byte[] sender = row.key().sender();
            byte[] to = row.key().recipient();
            int origin = row.origin();
            String text = row.text();
            int added = session.update(add, list, sender, to, origin, text, row.ends());
            if (added == 0) {
                String there =
                        session.query(THERE, found -> found.getString(1), list, sender, to, origin)
                                .getFirst();
                if (!there.equals(text)) {
                    others.take(i, there);
                    added = session.update(replace, list, sender, to, origin, text, row.ends());
                }
            }
            changed += added;
        }
        return changed;
    }

    @Override
    public String explain(SQLException e) {
        String path = file.path().toString();
        return switch (SQLiteErrorCode.getErrorCode(e.getErrorCode() & 0xff)) {
            case SQLITE_BUSY ->
                    path
                            + ": another process has been writing for more than "
                            + Failures.seconds(timeout)
                            + "; nothing was changed";
            case SQLITE_CORRUPT, SQLITE_NOTADB ->
                    path
                            + ": damaged, or no database of SQLite. Restore a backup without the"
                            + " files -wal and -shm beside it; or move all three away, so that a"
                            + " new one is made, and import the list";
            case SQLITE_FULL -> path + ": the disk is full. Make room; then all goes on" + KEPT;
            case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM ->
                    path + ": this process may not write the file, or make files beside it" + KEPT;
            case SQLITE_IOERR -> path + ": " + Failures.reason(e) + KEPT;
            default -> Failures.reason(e);
        };
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
