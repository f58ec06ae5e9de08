package io.github.senderwhitelist.database;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Folders;

import org.h2.api.ErrorCode;
import org.h2.engine.SessionLocal;
import org.h2.jdbc.JdbcConnection;
import org.h2.jdbcx.JdbcDataSource;
import org.h2.mvstore.MVStore;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * H2 within this process. Only this process writes, one thread at a time. So changes become visible
 * in the order of their numbers, and the number of the last is the position of the feed.
 *
 * <p>Connections are not pooled. Making one costs little. After a failure, such as a full disk, for
 * which H2 closes the file, the next connection opens it again.
 */
final class H2Engine implements Engine {
    private static final String ENDING = ".mv.db";
    private static final String KEPT = "; the changes acknowledged before are kept";

    /** The files that are open. H2 would let one process open a file twice. */
    private static final Set<Path> OPEN = ConcurrentHashMap.newKeySet();

    /**
     * The number of a change. H2 writes a chunk each time that it needs more numbers, and loses
     * some of those that it has when the process ends without closing the file.
     */
    private static final String NUMBER =
            "seq bigint generated always as identity(cache 10000) primary key";

    /** The number of the last change. For {@code max(seq)}, H2 would read all changes. */
    private static final String LAST =
            "greatest(l.kept_from, coalesce((select m.seq from whitelist_change m where m.list ="
                    + " l.list order by m.list desc, m.seq desc limit 1), 0))";

    /** How many bytes a file has at least that is written anew when it is closed. */
    private static final long LARGE = 4L << 20;

    /** How much of its chunks is in use at most then. */
    private static final long FILLED_PERCENT = 25;

    private static final int WRITES_UNTIL_TIDY = 64;

    /** Chunks are written anew when less of them is in use on average. */
    private static final int TIDY_BELOW_PERCENT = 60;

    /** About how many bytes are written anew at a time. */
    private static final int TIDY_BYTES = 1 << 20;

    /** No changes of the file but those of transactions and {@link #tidy}. */
    private static final String SETTINGS =
            ";WRITE_DELAY=0;AUTO_COMPACT_FILL_RATE=0;MAX_COMPACT_TIME=0;TRACE_LEVEL_FILE=0"
                    + ";DB_CLOSE_ON_EXIT=FALSE;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=";

    private final Path file;

    /** Where the file really is, whatever links lead there. */
    private final Path place;

    private final Duration timeout;
    private final JdbcDataSource source = new JdbcDataSource();

    /** Held by the one who writes. */
    private final ReentrantLock writing = new ReentrantLock(true);

    /** Held shared while a connection is made, so that none opens the file after it was closed. */
    private final ReentrantReadWriteLock open = new ReentrantReadWriteLock();

    /** How often was written. */
    private int writes;

    /** Whether something was written of which it is not known that the disk keeps it. */
    private volatile boolean unkept;

    private boolean closed;
    private volatile boolean loaded;

    /**
     * Opens the file.
     *
     * @param file its path without the ending {@code .mv.db} that H2 adds
     */
    H2Engine(Path file, Duration timeout) throws IOException {
        this.file = file.toAbsolutePath().normalize();
        this.timeout = timeout;
        if (this.file.toString().indexOf(';') >= 0) {
            throw new IOException(this.file + ": H2 takes no path with a semicolon");
        }
        if (File.separatorChar == '/' && this.file.toString().indexOf('\\') >= 0) {
            throw new IOException(this.file + ": H2 takes no path with a backslash");
        }
        Folders.make(Disk.LOCAL, Objects.requireNonNull(this.file.getParent()), true);
        this.place = ChunkFiles.place(Path.of(this.file + ENDING));
        if (!OPEN.add(place)) {
            throw new IOException(this.file + ": this process has the database open already");
        }
        source.setURL("jdbc:h2:" + ChunkFiles.prefix() + this.file + SETTINGS + timeout.toMillis());
        source.setUser("whitelist");
        source.setPassword("");
        boolean opened = false;
        try {
            connect().close();
            opened = true;
        } catch (SQLException e) {
            throw new IOException(this.file + ": " + explain(e), e);
        } finally {
            if (!opened) {
                OPEN.remove(place);
            }
        }
    }

    @Override
    public Connection connect() throws SQLException {
        open.readLock().lock();
        try {
            if (closed) {
                throw new SQLNonTransientConnectionException("the database was closed");
            }
            return source.getConnection();
        } finally {
            open.readLock().unlock();
        }
    }

    @Override
    public Duration timeout() {
        return timeout;
    }

    @Override
    public void prepare(Connection connection) {}

    @Override
    public void lockSchema(Connection connection) {}

    @Override
    public String hasSchema() {
        return "select 1 from information_schema.tables where table_schema = 'PUBLIC' and"
                + " table_name = 'WHITELIST_SCHEMA'";
    }

    @Override
    public List<String> schema() {
        return Schema.statements("varbinary(1000)", NUMBER, "seq");
    }

    /** Returns false: only this process has the file open, so no one else can put lines. */
    @Override
    public boolean hasInbox() {
        return false;
    }

    @Override
    public <T> T write(Writing<T> work) throws IOException, SQLException {
        try {
            if (!writing.tryLock(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new SQLTimeoutException(
                        "other changes took longer than " + Failures.seconds(timeout));
            }
        } catch (InterruptedException e) {
            throw Failures.interrupted(e);
        }
        try {
            unkept = true;
            T result = work.run();
            try (Connection connection = connect()) {
                // H2 has written the file by now, but has not told the disk to keep it.
                Sql.run(connection, "checkpoint sync");
                unkept = false;
                if (++writes % WRITES_UNTIL_TIDY == 0) {
                    tidy(connection);
                }
            }
            return result;
        } finally {
            writing.unlock();
        }
    }

    /**
     * Lets H2 write pages anew that are nearly alone in their chunks. By itself it would do so only
     * when it closes the file, and would move chunks then, too. After a kill meanwhile, it may take
     * a copy of an old chunk for the newest one, and lose all changes since.
     */
    private static void tidy(Connection connection) throws SQLException {
        if (connection.unwrap(JdbcConnection.class).getSession() instanceof SessionLocal session) {
            try {
                MVStore store = session.getDatabase().getStore().getMvStore();
                store.compact(TIDY_BELOW_PERCENT, TIDY_BYTES);
            } catch (RuntimeException e) {
                // The change is made. If H2 has closed the file, the next connection opens it.
                if (e.getCause() instanceof InterruptedException) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    @Override
    public boolean keepsAllThatIsSeen() {
        return !unkept;
    }

    @Override
    public boolean isOfOneProcess() {
        return true;
    }

    @Override
    public boolean readsArrays() {
        return false;
    }

    @Override
    public String placeOfChange() {
        return "seq";
    }

    @Override
    public long keptFrom(long removed) {
        return removed;
    }

    @Override
    public String feed() {
        return "select l.epoch, l.kept_from, "
                + LAST
                + ", "
                + LAST
                + ", c.seq, c.sender from whitelist_list l left join whitelist_change c on c.list ="
                + " l.list and c.seq > cast(? as bigint) where l.list = ? order by c.seq limit ?";
    }

    @Override
    public String explain(SQLException e) {
        return switch (e.getErrorCode()) {
            case ErrorCode.DATABASE_ALREADY_OPEN_1 ->
                    "another process has the database open, such as a running James; changes to a"
                            + " running server go through its WebAdmin (commands: --server)";
            case ErrorCode.LOCK_TIMEOUT_1 -> "no answer within " + Failures.seconds(timeout);
            case ErrorCode.FILE_CORRUPTED_1 ->
                    Failures.reason(e)
                            + ": the file is damaged. Put a backup in its place; or move it away,"
                            + " so that a new one is made, and import the list";
            default ->
                    Failures.root(e) instanceof IOException cause
                            ? file + ENDING + ": " + Failures.said(cause) + KEPT
                            : Failures.reason(e);
        };
    }

    @Override
    public void loaded() {
        loaded = true;
    }

    /**
     * Returns whether it is worth while to write the file anew. H2 writes a page for each change in
     * each index, and frees little of them while others in the same chunk are in use.
     */
    private static boolean isMostlyEmpty(Connection connection) throws SQLException {
        try {
            List<Long> figures =
                    Sql.query(
                            connection,
                            "select cast(setting_value as bigint) from information_schema.settings"
                                    + " where setting_name in ('info.FILE_SIZE',"
                                    + " 'info.CHUNKS_FILL_RATE') order by setting_name",
                            row -> row.getLong(1));
            return figures.getLast() > LARGE && figures.getFirst() < FILLED_PERCENT;
        } catch (IOException e) {
            throw new SQLException(e);
        }
    }

    @Override
    public void close() throws SQLException {
        open.writeLock().lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            try (Connection connection = source.getConnection()) {
                // Writing the file anew compresses it, too.
                boolean anew = loaded || isMostlyEmpty(connection);
                Sql.run(connection, anew ? "shutdown compact" : "shutdown");
            } finally {
                OPEN.remove(place);
            }
        } finally {
            open.writeLock().unlock();
        }
    }
}
