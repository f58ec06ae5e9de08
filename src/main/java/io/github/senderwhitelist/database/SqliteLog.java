package io.github.senderwhitelist.database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The log of a SQLite database, kept short. SQLite writes it from its beginning again only when
 * nobody reads what is in it. Where many threads read all the time, it must wait for that moment.
 */
final class SqliteLog {
    /** The length that is kept, and from which on it waits. */
    static final long KEPT = 8 << 20;

    /** How long writing stops at most. Readers of this process take milliseconds. */
    private static final Duration MOST = Duration.ofMillis(500);

    private static final long FIRST_STEP = KEPT / 2;

    /** The size of a page, in bytes. SQLite's default; another one makes the log longer. */
    private static final long PAGE = 4096;

    private final Duration timeout;
    private long most = KEPT;

    /** How much later it tries again. Another process may read for minutes, as for a backup. */
    private long step = FIRST_STEP;

    /**
     * Makes the log of a file.
     *
     * @param timeout how long connections otherwise wait for others
     */
    SqliteLog(Duration timeout) {
        this.timeout = timeout;
    }

    /** Begins the log again if it is long. Called after each commit, by one thread at a time. */
    void keepShort(Connection connection) throws SQLException, IOException {
        // The length of its file is not asked for; see SqliteFile.identity.
        long length =
                PAGE
                        * Sql.query(
                                        connection,
                                        "pragma wal_checkpoint(noop)",
                                        row -> row.getLong("log"))
                                .getFirst();
        if (length > most) {
            PatientHandler.set(connection, MOST);
            boolean busy =
                    Sql.query(
                                    connection,
                                    "pragma wal_checkpoint(restart)",
                                    row -> row.getBoolean("busy"))
                            .getFirst();
            PatientHandler.set(connection, timeout);
            most = busy ? length + step : KEPT;
            step = busy ? 2 * step : FIRST_STEP;
        }
    }
}
