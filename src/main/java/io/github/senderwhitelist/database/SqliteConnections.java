package io.github.senderwhitelist.database;

import io.github.senderwhitelist.database.SqliteFile.Identity;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * A pool of connections to a SQLite database. When the open file was replaced by another one, or
 * its log was deleted, all are closed, and new ones opened.
 */
final class SqliteConnections {
    private final SqliteFile file;
    private final SqliteOpener opener;
    private final Duration timeout;
    private final Deque<Connection> idle = new ArrayDeque<>();

    /** How many idle connections are kept open at most. */
    private int most = 8;

    private Object incarnation = new Object();
    private @Nullable Identity known;

    /** The log of a file that was replaced, until its successor is open. */
    private @Nullable Object formerLog;

    private int taken;
    private boolean alone;
    private boolean closed;

    SqliteConnections(SqliteFile file, Duration timeout) {
        this.file = file;
        this.opener = new SqliteOpener(file, timeout);
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

    /** Notices whether the file that was open was replaced or deleted. */
    private void notice() throws IOException {
        if (alone) {
            return;
        }
        Identity now = file.identity();
        Identity before = known;
        if (before != null && !before.isStill(now)) {
            incarnation = new Object();
            closeIdle();
            formerLog = before.isFile(now) ? null : before.log();
            known = null;
        } else if (before != null && !before.isWhole()) {
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
                    file.path()
                            + ", its -wal or its -shm was replaced or deleted while it was"
                            + " written; the change may be lost");
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

    /**
     * Runs work with a connection, which is closed if it fails. Ask for the {@link #incarnation}
     * before: by that the connections notice that the file was replaced.
     */
    <T extends @Nullable Object> T use(Work<T> work) throws SQLException, IOException {
        Open open = take();
        boolean good = false;
        try {
            T result = work.on(open);
            good = true;
            return result;
        } finally {
            giveBack(open, good);
        }
    }

    private synchronized Open take() throws SQLException, IOException {
        if (idle.isEmpty()) {
            notice();
        }
        awaitOthers();
        if (closed) {
            throw new SQLNonTransientConnectionException("the database was closed");
        }
        Connection connection = idle.poll();
        Open open = new Open(connection == null ? open() : connection, incarnation);
        taken++;
        return open;
    }

    /**
     * Waits until no connection is open on what was there before. SQLite would give new ones the
     * index of the log from them, which says nothing of a new log.
     */
    private void awaitOthers() throws SQLException {
        long end = System.nanoTime() + timeout.toNanos();
        while (known == null && taken > 0) {
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (left <= 0) {
                throw new SQLTimeoutException(
                        file.path() + ": what was there before it is still being read");
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                throw Failures.interrupted(e);
            }
        }
    }

    private synchronized void giveBack(Open open, boolean good) {
        if (!good || closed || !isSame(open.incarnation, incarnation) || idle.size() >= most) {
            close(open.connection);
        } else {
            idle.push(open.connection);
        }
        taken--;
        forgetIfNoneIsOpen();
        notifyAll();
    }

    /** SQLite removes the log when the last connection is closed. */
    private void forgetIfNoneIsOpen() {
        if (taken == 0 && most == 0) {
            known = null;
        }
    }

    /**
     * Opens the file for this process alone.
     *
     * @return the connection, or null if another process has it open
     */
    synchronized @Nullable Connection openAlone() throws SQLException, IOException {
        closeIdle();
        Connection connection = opener.alone();
        alone = connection != null;
        return connection;
    }

    /** Closes the connection that was open for this process alone. */
    synchronized void closeAlone(Connection connection) {
        close(connection);
        alone = false;
        known = null;
    }

    private Connection open() throws SQLException, IOException {
        file.forgetDescriptors();
        if (known != null) {
            return opener.next();
        }
        SqliteOpener.First first = opener.first(formerLog);
        known = first.identity();
        formerLog = null;
        return first.connection();
    }

    private void closeIdle() {
        for (Connection connection : idle) {
            close(connection);
        }
        idle.clear();
    }

    /** Closes a connection. Whether that works makes no difference to what was committed. */
    private void close(Connection connection) {
        file.forgetDescriptors();
        try {
            connection.close();
        } catch (SQLException e) {
            // It is of no more use anyway.
        }
    }

    /** Closes idle connections, now and from now on. */
    synchronized void keepNone() {
        most = 0;
        closeIdle();
        forgetIfNoneIsOpen();
    }

    synchronized void close() {
        closed = true;
        closeIdle();
    }
}
