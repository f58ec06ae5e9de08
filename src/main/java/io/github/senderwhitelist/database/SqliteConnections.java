package io.github.senderwhitelist.database;

import io.github.senderwhitelist.database.SqliteFile.Identity;

import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteOpenMode;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The connections to a SQLite database. When another file has come into the place of the one that
 * is open, or its log was deleted, all are closed, and new ones opened.
 */
final class SqliteConnections {
    /** How many that nobody uses are kept open. */
    private static final int IDLE = 8;

    private final SqliteFile file;
    private final Duration timeout;
    private final Deque<Connection> idle = new ArrayDeque<>();
    private Object incarnation = new Object();
    private @Nullable Identity known;
    private boolean alone;
    private boolean closed;

    SqliteConnections(SqliteFile file, Duration timeout) {
        this.file = file;
        this.timeout = timeout;
    }

    /**
     * A connection, and the incarnation of the file that it is open on.
     *
     * @param incarnation as {@link #incarnation} returned then
     */
    record Open(Connection connection, Object incarnation) {}

    /** Returns another object once another file may be in the place. */
    synchronized Object incarnation() throws IOException {
        notice();
        return incarnation;
    }

    /** Forgets the file that was open if it is not there any more. */
    private void notice() throws IOException {
        if (alone) {
            return;
        }
        Identity now = file.identity();
        Identity before = known;
        if (before != null && !before.isStill(now)) {
            incarnation = new Object();
            closeIdle();
            known = null;
        } else if (before != null && before.log() == null) {
            known = now;
        }
    }

    /**
     * Requires that a file is still the one that was written.
     *
     * @throws SQLException if it is another one: what was committed may be lost
     */
    synchronized void requireSame(Object written) throws SQLException, IOException {
        notice();
        if (!isSame(incarnation, written)) {
            throw new SQLNonTransientConnectionException(
                    "another file came into the place of "
                            + file.path()
                            + " or of its -wal while it was written; the change is not in it");
        }
    }

    @SuppressWarnings("ReferenceEquality")
    private static boolean isSame(Object some, Object other) {
        return some == other;
    }

    /** Some work with a connection. */
    @FunctionalInterface
    interface Work<T extends @Nullable Object> {
        T on(Open open) throws SQLException, IOException;
    }

    /** Runs work with a connection, which is closed if it fails. */
    <T extends @Nullable Object> T use(Work<T> work) throws SQLException, IOException {
        Open open = take();
        boolean good = false;
        try {
            T result = work.on(open);
            giveBack(open);
            good = true;
            return result;
        } finally {
            if (!good) {
                close(open.connection);
            }
        }
    }

    private synchronized Open take() throws SQLException, IOException {
        if (closed) {
            throw new SQLNonTransientConnectionException("the database was closed");
        }
        notice();
        Connection connection = idle.poll();
        return new Open(connection == null ? open(false) : connection, incarnation);
    }

    private synchronized void giveBack(Open open) throws SQLException {
        if (closed || !isSame(open.incarnation, incarnation) || idle.size() >= IDLE) {
            open.connection.close();
        } else {
            idle.push(open.connection);
        }
    }

    /**
     * Opens the file for this process alone.
     *
     * @return the connection, or null if another process has it open
     */
    synchronized @Nullable Connection openAlone() throws SQLException, IOException {
        closeIdle();
        try {
            Connection connection = open(true);
            alone = true;
            return connection;
        } catch (SQLException e) {
            if (SqliteEngine.isBusy(e)) {
                return null;
            }
            throw e;
        }
    }

    /** Closes the connection that was open for this process alone. */
    synchronized void closeAlone(Connection connection) {
        close(connection);
        alone = false;
        known = null;
    }

    private Connection open(boolean alone) throws SQLException, IOException {
        if (known == null) {
            file.requireUsable();
        }
        SQLiteConfig config = new SQLiteConfig();
        config.resetOpenMode(SQLiteOpenMode.CREATE);
        config.setBusyTimeout(alone ? 0 : Math.toIntExact(timeout.toMillis()));
        Connection connection = config.createConnection("jdbc:sqlite:" + file.path());
        boolean opened = false;
        try {
            if (alone) {
                Sql.run(connection, "pragma locking_mode = exclusive");
                Sql.run(connection, "pragma cache_size = -262144");
            }
            Sql.run(connection, "pragma mmap_size = 0");
            Sql.run(connection, "pragma journal_mode = wal");
            Sql.run(connection, "pragma synchronous = full");
            Sql.run(connection, "pragma fullfsync = on");
            Sql.run(connection, "pragma journal_size_limit = 16777216");
            if (!alone) {
                PatientHandler.set(connection, timeout);
            }
            if (alone) {
                // Only now is it known that no other process has it open.
                Sql.run(connection, "begin immediate");
                Sql.run(connection, "commit");
            }
            if (known == null) {
                known = file.identity();
            }
            opened = true;
            return connection;
        } finally {
            if (!opened) {
                connection.close();
            }
        }
    }

    private void closeIdle() {
        for (Connection connection : idle) {
            close(connection);
        }
        idle.clear();
    }

    /** Closes a connection. Whether that works makes no difference to what was committed. */
    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // It is of no more use anyway.
        }
    }

    synchronized void close() {
        closed = true;
        closeIdle();
    }
}
