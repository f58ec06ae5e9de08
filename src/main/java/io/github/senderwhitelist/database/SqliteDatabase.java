package io.github.senderwhitelist.database;

import io.github.senderwhitelist.disk.Disk;

import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteConfig.SynchronousMode;
import org.sqlite.SQLiteDataSource;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteOpenMode;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

import javax.sql.DataSource;

/**
 * A SQLite database in a file, which several processes on one machine may share. One connection
 * writes, others read, each from one moment. If another file is at the path, all are opened again.
 *
 * <p>While the file is open in this process, nothing here opens it or the files beside it in
 * another way: closing any descriptor of them would drop SQLite's locks.
 */
class SqliteDatabase extends Database {
    /** File systems over a network, on which the processes of several machines share no memory. */
    private static final String REMOTE =
            "nfs4?|cifs|smb[23]?|smbfs|afs|ceph|9p|(fuse\\.)?glusterfs|fuse\\.sshfs|lustre|ncpfs"
                    + "|webdav";

    /** What a failure of the disk leaves. */
    private static final String KEPT = "; the changes acknowledged before are kept";

    /** The most connections that read at the same time. */
    private static final int READERS = 8;

    /** The bytes to which the write-ahead log is cut once it is in the file. */
    private static final int LOG_BYTES = 8 << 20;

    /**
     * What the connection that writes has beside others: memory for pages, in KiB, as SQLite takes
     * it; on macOS, a disk that writes before it says so; and how long SQLite itself has it wait,
     * in milliseconds, before it is asked again.
     */
    private static final String[] OF_WRITER = {
        "pragma cache_size = -65536", "pragma fullfsync = on", "pragma busy_timeout = 10"
    };

    /** The most entries whose index is worth to be made anew. */
    private static final int FEW = 1_000_000;

    /** How one begins who reads, and sees the moment at which that reads first. */
    private static final String READ = "begin";

    /**
     * How one begins who writes: later, one could not wait for others, but would see what is old.
     */
    private static final String WRITE = "begin immediate";

    private final Path path;

    /** Held by who uses the connection that writes, in the order in which they came. */
    private final ReentrantLock writing = new ReentrantLock(true);

    /** What is open, or null. */
    private @Nullable Open open;

    /** Whether what was opened is closed as soon as nobody uses it. */
    private volatile boolean keepsNone;

    /** Whether there are more than few entries, once that was found out. */
    private volatile boolean hasMany;

    private boolean closed;

    /** Makes the file, for its owner alone, if it is missing; fails if nothing is safe there. */
    SqliteDatabase(Path file, Duration timeout) throws IOException {
        super(timeout);
        this.path = file.toAbsolutePath().normalize();
        if (path.toString().indexOf('?') >= 0) {
            throw new IOException(path + ": a path with a question mark, which SQLite cannot open");
        }
        Path folder = Objects.requireNonNull(path.getParent());
        Disk.createFolders(Disk.LOCAL, folder);
        requireLocal(path, Files.getFileStore(Files.exists(path) ? path : folder).type());
        SqliteDriver.load(folder);
        boolean posix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?> owners =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
        try {
            Files.createFile(
                    path, posix ? new FileAttribute<?>[] {owners} : new FileAttribute<?>[0]);
        } catch (FileAlreadyExistsException e) {
            // It is checked before it is opened.
        }
        explained(path.toString(), this::open);
    }

    /** Rejects the name of a file system that is over a network. */
    static void requireLocal(Path path, String type) throws IOException {
        if (type.toLowerCase(Locale.ROOT).matches(REMOTE)) {
            throw new IOException(
                    path
                            + ": on a network file system ("
                            + type
                            + "), where SQLite can lose changes; needed: a local disk, or"
                            + " PostgreSQL");
        }
    }

    /** What is open of one file. */
    private record Open(Object identity, DataSource readers, Session writer) {}

    /** Returns which file is at the path now: device and number, where the system has them. */
    private Object identity() throws IOException {
        try {
            Object key = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
            return key == null ? "there" : key;
        } catch (NoSuchFileException e) {
            throw new IOException(
                    path + ": the file is gone. Restore it; only a start makes a new one", e);
        }
    }

    /** Returns what is open of the file that is at the path now. */
    private synchronized Open open() throws SQLException, IOException {
        Object identity = identity();
        if (open != null && open.identity.equals(identity)) {
            return open;
        }
        if (closed) {
            throw new SQLException("the database was closed");
        }
        closeOpen();
        // Who only reads waits for nobody.
        String begin = isNew() ? WRITE : READ;
        DataSource source = source();
        Session writer = new Session(source.getConnection());
        try {
            writer.run(OF_WRITER);
            await(writer, "pragma journal_mode = wal");
            transaction(writer, begin, own -> Schema.make(own, true));
        } catch (SQLException | IOException | RuntimeException e) {
            closeQuietly(writer.connection());
            throw e;
        }
        open = new Open(identity, pooled(source, timeout, keepsNone ? 0 : READERS), writer);
        return open;
    }

    /** Closes what is open; who uses it fails, or has committed. */
    private synchronized void closeOpen() {
        if (open != null) {
            closeQuietly(open.readers);
            closeQuietly(open.writer.connection());
            open = null;
        }
    }

    /** Returns the source of connections, none of which acknowledges what the disk lacks. */
    private DataSource source() {
        SQLiteConfig config = config();
        config.setSynchronous(SynchronousMode.FULL);
        config.setJournalSizeLimit(LOG_BYTES);
        config.setPragma(SQLiteConfig.Pragma.MMAP_SIZE, "0");
        SQLiteDataSource source = new SQLiteDataSource(config);
        source.setUrl("jdbc:sqlite:" + path);
        return source;
    }

    /** Returns the settings with which a file is only looked at, and not made. */
    private SQLiteConfig config() {
        SQLiteConfig config = new SQLiteConfig();
        config.resetOpenMode(SQLiteOpenMode.CREATE);
        config.setBusyTimeout(Math.toIntExact(timeout.toMillis()));
        config.setGetGeneratedKeys(false);
        return config;
    }

    /** Returns whether the tables are missing. Rejects a database that has something else. */
    private boolean isNew() throws SQLException, IOException {
        try (Connection connection = config().createConnection("jdbc:sqlite:" + path)) {
            Session session = new Session(connection);
            // Both questions see one moment, though another process may make the tables now.
            session.run(READ);
            boolean isNew = !Schema.isThere(session, true);
            if (isNew && session.first("select 1 from sqlite_schema", row -> true) != null) {
                throw new IOException(
                        path
                                + ": a database of another program; nothing was changed in it."
                                + " Needed: a file for this plugin alone");
            }
            return isNew;
        }
    }

    @Override
    <T extends @Nullable Object> T transaction(boolean writes, Session.Work<T> work)
            throws SQLException, IOException {
        try {
            if (writes) {
                return write(work);
            }
            try (Connection connection = open().readers.getConnection()) {
                return transaction(new Session(connection), READ, work);
            }
        } finally {
            closeUnused();
        }
    }

    /** Closes all if nothing is to be kept open, unless a change is being made, which will. */
    private void closeUnused() {
        if (keepsNone && writing.tryLock()) {
            try {
                closeOpen();
            } finally {
                writing.unlock();
            }
        }
    }

    /** Runs work that writes. What went to a file that is no longer at the path may be lost. */
    private <T extends @Nullable Object> T write(Session.Work<T> work)
            throws SQLException, IOException {
        acquire();
        try {
            Open now = open();
            T result = transaction(now.writer, WRITE, work);
            if (!identity().equals(now.identity)) {
                throw new SQLException(
                        path + ": another file came into its place; the change may be lost");
            }
            return result;
        } finally {
            writing.unlock();
        }
    }

    /** Takes the connection that writes, as soon as others of this process have released it. */
    private void acquire() throws SQLException {
        try {
            if (!writing.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new SQLTimeoutException("other changes took longer than " + seconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", e);
        }
    }

    private <T extends @Nullable Object> T transaction(
            Session session, String begin, Session.Work<T> work) throws SQLException, IOException {
        await(session, begin);
        return session.transaction(work);
    }

    /**
     * Runs what has to wait for processes that write. SQLite itself waits up to a tenth of a second
     * between two looks: beside others that write without a pause, one would not get its turn
     * within the timeout. For who changes the mode of a file, it does not wait at all.
     */
    private void await(Session session, String statement) throws SQLException, IOException {
        long end = System.nanoTime() + timeout.toNanos();
        while (true) {
            try {
                session.run(statement);
                return;
            } catch (SQLException e) {
                boolean isBusy = (e.getErrorCode() & 0xff) == SQLiteErrorCode.SQLITE_BUSY.code;
                if (!isBusy || System.nanoTime() - end > 0) {
                    throw e;
                }
            }
        }
    }

    /**
     * Drops the index of the recipients while there are few entries. A bulk comes in the order of
     * the senders and appends to the table, but each row of it would change another page of that
     * index, and the disk would write seventy times what it keeps.
     */
    @Override
    void prepareBulk(Session session) throws SQLException, IOException {
        if (!hasMany && Schema.hasRecipients(session)) {
            String last = "select 1 from whitelist_entry limit 1 offset " + FEW;
            hasMany = session.first(last, row -> true) != null;
            if (!hasMany) {
                session.run("drop index whitelist_entry_recipient");
            }
        }
    }

    @Override
    boolean completeBulk(Session session) throws SQLException, IOException {
        if (!Schema.hasRecipients(session)) {
            session.run(Schema.RECIPIENTS);
        }
        return true;
    }

    @Override
    boolean hasTables() {
        return true; // They are made when the file is opened.
    }

    @Override
    String clock() {
        return "cast(unixepoch('subsec') * 1000 as int)";
    }

    @Override
    String size() {
        return "select page_count * page_size from pragma_page_count, pragma_page_size";
    }

    /** Twice as fast as by its length. */
    @Override
    String endOfSender(int length) {
        return "substr(sender, -" + length + ")";
    }

    /**
     * Cuts the write-ahead log, which grows as long as an old moment is read. Hardly waits for
     * others who read one, since all changes would wait, too: the log is cut after them.
     */
    @Override
    void endReading() {
        try {
            acquire();
            try {
                open().writer.run("pragma wal_checkpoint(truncate)");
            } finally {
                writing.unlock();
                closeUnused();
            }
        } catch (SQLException | IOException e) {
            // All was read. Who reads or writes next says what is wrong.
            return;
        }
    }

    @Override
    String explain(SQLException e) {
        return switch (SQLiteErrorCode.getErrorCode(e.getErrorCode() & 0xff)) {
            case SQLITE_BUSY ->
                    path
                            + ": another process has been writing for more than "
                            + seconds()
                            + "; nothing was changed";
            case SQLITE_CORRUPT, SQLITE_NOTADB ->
                    path
                            + ": damaged, or no database of SQLite. Restore a backup without the"
                            + " files -wal and -shm beside it; or move all three away, so that a"
                            + " new one is made, and import the list";
            case SQLITE_FULL -> path + ": the disk is full. Make room; then all goes on" + KEPT;
            case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_PERM ->
                    path + ": this process may not write the file, or make files beside it" + KEPT;
            case SQLITE_IOERR -> path + ": " + reason(e) + KEPT;
            default -> reason(e);
        };
    }

    @Override
    public void keepNoneOpen() {
        keepsNone = true;
        closeUnused();
    }

    @Override
    public synchronized void close() {
        closed = true;
        closeOpen();
    }
}
