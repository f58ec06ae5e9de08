package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A writer to SQLite with group commit: one transaction at a time, shared by all threads that want
 * to write meanwhile, and so one wait for the disk. Each has a part of its own, which is rolled
 * back alone if it fails. Each returns after the whole is committed.
 */
final class SqliteWriter {
    /** The most parts that share a transaction. */
    private static final int TOGETHER = 256;

    private final SqliteConnections connections;
    private final SqliteLog log;
    private final Duration timeout;
    private final ReentrantLock writing = new ReentrantLock(true);
    private final Deque<Part<?>> waiting = new ArrayDeque<>();
    private @Nullable Connection alone;

    SqliteWriter(SqliteConnections connections, SqliteLog log, Duration timeout) {
        this.connections = connections;
        this.log = log;
        this.timeout = timeout;
    }

    /** The work of one caller. */
    private static final class Part<T extends @Nullable Object> {
        private final Sql.Work<T> work;
        private @Nullable Throwable failure;
        private @Nullable T result;
        private boolean ended;

        Part(Sql.Work<T> work) {
            this.work = work;
        }

        /** Runs the work, which is undone alone if it fails, unless it is all that is written. */
        void run(Connection connection, boolean isAll) {
            try {
                result = isAll ? work.on(connection) : Transactions.attempt(connection, work);
            } catch (Throwable e) {
                failure = e;
            }
        }

        boolean hasFailed() {
            return failure != null;
        }

        void fail(Throwable e) {
            if (failure == null) {
                failure = e;
            }
        }

        @SuppressWarnings("NullAway") // A part that has not failed has a result of its type.
        T result() throws SQLException, IOException {
            if (failure instanceof SQLException e) {
                throw e;
            }
            if (failure instanceof IOException e) {
                throw e;
            }
            if (failure instanceof RuntimeException e) {
                throw e;
            }
            if (failure instanceof Error e) {
                throw e;
            }
            if (failure != null) {
                throw new IllegalStateException(failure);
            }
            return result;
        }
    }

    /** Runs work in a transaction, perhaps together with that of others. */
    <T extends @Nullable Object> T write(Sql.Work<T> work) throws SQLException, IOException {
        Part<T> part = new Part<>(work);
        synchronized (waiting) {
            waiting.add(part);
        }
        boolean mine = false;
        InterruptedException interrupted = null;
        try {
            mine = writing.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            interrupted = e;
        }
        if (!mine && withdraw(part)) {
            throw interrupted != null
                    ? Failures.interrupted(interrupted)
                    : new SQLTimeoutException(
                            "other changes took longer than " + Failures.seconds(timeout));
        }
        if (!mine) {
            // Another thread is writing it, and will end.
            writing.lock();
        }
        // An interrupt of this thread is not for the parts of others.
        boolean wasInterrupted = Thread.interrupted() || interrupted != null;
        try {
            while (!part.ended) {
                writeTogether(next());
            }
        } finally {
            writing.unlock();
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return part.result();
    }

    private boolean withdraw(Part<?> part) {
        synchronized (waiting) {
            return waiting.remove(part);
        }
    }

    private List<Part<?>> next() {
        synchronized (waiting) {
            List<Part<?>> next = new ArrayList<>();
            while (!waiting.isEmpty() && next.size() < TOGETHER) {
                next.add(waiting.remove());
            }
            return next;
        }
    }

    private void writeTogether(List<Part<?>> parts) {
        try {
            Connection own = alone;
            if (own != null) {
                write(own, parts);
                return;
            }
            connections.use(
                    open -> {
                        write(open.connection(), parts);
                        connections.requireSame(open.incarnation());
                        keepLogShort(open.connection());
                        return true;
                    });
        } catch (SQLException | IOException | RuntimeException e) {
            parts.forEach(part -> part.fail(e));
        } finally {
            parts.forEach(part -> part.ended = true);
        }
    }

    private void keepLogShort(Connection connection) {
        try {
            log.keepShort(connection);
        } catch (SQLException | IOException e) {
            // What was written is committed. The next change tries again.
        }
    }

    private static void write(Connection connection, List<Part<?>> parts) throws SQLException {
        Sql.update(connection, "begin immediate");
        boolean committed = false;
        try {
            parts.forEach(part -> part.run(connection, parts.size() == 1));
            if (parts.stream().allMatch(Part::hasFailed)) {
                return;
            }
            Sql.update(connection, "commit");
            committed = true;
        } finally {
            if (!committed) {
                undo(connection);
            }
        }
    }

    private static void undo(Connection connection) {
        try {
            Sql.run(connection, "rollback");
        } catch (SQLException e) {
            // SQLite has undone it already, such as when the disk was full.
        }
    }

    /**
     * Begins to use the file alone, until {@link #endAlone}. Nothing must be read meanwhile.
     *
     * @return whether that works; not if another process has the file open
     */
    boolean beginAlone() throws SQLException, IOException {
        writing.lock();
        try {
            alone = connections.openAlone();
            return alone != null;
        } finally {
            writing.unlock();
        }
    }

    /** Ends the use of the file alone. */
    void endAlone() {
        writing.lock();
        try {
            if (alone != null) {
                connections.closeAlone(alone);
                alone = null;
            }
        } finally {
            writing.unlock();
        }
    }
}
