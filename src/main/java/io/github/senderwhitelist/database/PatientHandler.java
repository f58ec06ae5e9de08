package io.github.senderwhitelist.database;

import org.sqlite.BusyHandler;
import org.sqlite.SQLiteConnection;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The wait for another process that writes. SQLite's own wait checks only ten times a second, and
 * may never come between the transactions of an import.
 */
final class PatientHandler extends BusyHandler {
    private static final long PAUSE = 1;

    private final Duration timeout;
    private long end;

    private PatientHandler(Duration timeout) {
        this.timeout = timeout;
    }

    /** Has a connection wait for at most this long. */
    static void set(Connection connection, Duration timeout) throws SQLException {
        setHandler(connection.unwrap(SQLiteConnection.class), new PatientHandler(timeout));
    }

    @Override
    protected int callback(int before) throws SQLException {
        long now = System.nanoTime();
        if (before == 0) {
            end = now + timeout.toNanos();
        }
        if (now - end > 0) {
            return 0;
        }
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
        return 1;
    }
}
