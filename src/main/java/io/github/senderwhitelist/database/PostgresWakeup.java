package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The notification by which a server that has changed a list in PostgreSQL wakes the others, at
 * most ten times a second. It is sent in a transaction of its own, since those that notify are
 * committed one after the other. It is never needed: a server that is not woken, such as behind
 * PgBouncer, reads the feed some time later.
 */
final class PostgresWakeup {
    private static final int STEP_MILLIS = 100;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final String CHANNEL = "whitelist_feed";

    private final PostgresEngine.Connections connections;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition woken = lock.newCondition();
    private final Thread thread;
    private boolean started;
    private long wakes;
    private volatile boolean changed;
    private volatile boolean closed;

    /** Makes it. The connection is taken when it is needed first. */
    PostgresWakeup(PostgresEngine.Connections connections) {
        this.connections = connections;
        this.thread = new Thread(this::run, "whitelist notifications");
        this.thread.setDaemon(true);
    }

    /** Notifies the other servers of a commit. */
    void changed() {
        changed = true;
        start();
    }

    /** Waits until another server has changed something, or some time has passed. */
    void await(Duration most) throws InterruptedException {
        start();
        lock.lock();
        try {
            long before = wakes;
            long left = most.toNanos();
            while (wakes == before && left > 0) {
                left = woken.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private void start() {
        lock.lock();
        try {
            if (!started && !closed) {
                started = true;
                thread.start();
            }
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        while (!closed) {
            try (Connection connection = connections.connect()) {
                Sql.run(connection, "listen " + CHANNEL);
                // What was committed while nobody listened.
                wake();
                while (!closed) {
                    pass(connection.unwrap(PGConnection.class), connection);
                }
            } catch (SQLException e) {
                // The feed is read all the same, and says what is wrong.
                pause();
            }
        }
    }

    private void pass(PGConnection notified, Connection connection) throws SQLException {
        @Nullable PGNotification[] some = notified.getNotifications(STEP_MILLIS);
        boolean ofOthers = false;
        for (int i = 0; some != null && i < some.length; i++) {
            PGNotification one = some[i];
            ofOthers |= one != null && one.getPID() != notified.getBackendPID();
        }
        if (ofOthers) {
            wake();
        }
        if (changed) {
            changed = false;
            Sql.run(connection, "notify " + CHANNEL);
        }
    }

    private void wake() {
        lock.lock();
        try {
            wakes++;
            woken.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void pause() {
        if (!closed) {
            try {
                Thread.sleep(PAUSE);
            } catch (InterruptedException e) {
                // It was closed.
                return;
            }
        }
    }

    /** Ends it, once the others know what was committed before. */
    void close() {
        boolean last = changed;
        closed = true;
        thread.interrupt();
        if (last) {
            try (Connection connection = connections.connect()) {
                Sql.run(connection, "notify " + CHANNEL);
            } catch (SQLException e) {
                // They read it some time later.
            }
        }
    }
}
