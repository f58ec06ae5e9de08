package io.github.senderwhitelist.database;

import io.github.senderwhitelist.database.SqliteFile.Identity;

import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;
import org.sqlite.SQLiteOpenMode;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * The opener of connections to the file of a SQLite database. It refuses files of other programs,
 * and files whose log was replaced or deleted while a process has them open: SQLite would damage
 * them.
 */
final class SqliteOpener {
    /** Other processes may open and close the file meanwhile, which makes and removes a log. */
    private static final int ATTEMPTS = 10;

    /** Milliseconds between them. */
    private static final long PAUSE = 20;

    private final SqliteFile file;
    private final Duration timeout;

    SqliteOpener(SqliteFile file, Duration timeout) {
        this.file = file;
        this.timeout = timeout;
    }

    /** A connection, and the file that it is open on. */
    record First(Connection connection, Identity identity) {}

    /**
     * Opens the first connection to a file.
     *
     * @param formerLog the log of the file that was in its place before, or null
     */
    First first(@Nullable Object formerLog) throws SQLException, IOException {
        for (int i = 0; i < ATTEMPTS; i++) {
            First first = attempt(formerLog);
            if (first != null) {
                return first;
            }
            Failures.pause(PAUSE);
        }
        throw replaced();
    }

    /** Returns null if something was replaced meanwhile, as when another process closes it. */
    private @Nullable First attempt(@Nullable Object formerLog) throws SQLException, IOException {
        file.requireUsable();
        Identity before = file.identityAtOpening();
        if (before.log() != null && file.logLength() > 0) {
            if (before.log().equals(formerLog)) {
                throw new IOException(
                        file.path()
                                + ": another file came into its place, and the -wal beside it"
                                + " belongs to the former one. Remove the -wal and the -shm");
            }
            if (before.index() == null) {
                if (!recoverAlone()) {
                    return null;
                }
                before = file.identityAtOpening();
            }
        }
        Connection connection = next();
        boolean good = false;
        try {
            Identity now = file.identityAtOpening();
            good = before.isStill(now) && hasWholeLog(connection);
            return good ? new First(connection, now) : null;
        } finally {
            if (!good) {
                connection.close();
            }
        }
    }

    /**
     * Has SQLite take over a log without an index. No process may have the file open, which would
     * see other changes, by the index that was deleted. One that closes the file last removes the
     * index first, and then the log.
     *
     * @return false if a process has it open
     */
    private boolean recoverAlone() throws SQLException, IOException {
        Connection alone = alone();
        if (alone == null) {
            return false;
        }
        alone.close();
        return true;
    }

    /** Returns whether the log has all that its index names, which another process may have. */
    private boolean hasWholeLog(Connection connection) throws SQLException, IOException {
        if (!file.isWritable()) {
            return true;
        }
        long pages = number(connection, "pragma wal_checkpoint(noop)", "log");
        return file.logLength() >= pages * number(connection, "pragma page_size", "page_size");
    }

    private static long number(Connection connection, String pragma, String column)
            throws SQLException, IOException {
        return Sql.query(connection, pragma, row -> row.getLong(column)).getFirst();
    }

    /** Returns the failure that SQLite has when it misses a part of the log. */
    private static SQLException replaced() {
        return new SQLiteException("replaced or deleted", SQLiteErrorCode.SQLITE_IOERR_SHORT_READ);
    }

    /** Opens another connection to the file. */
    Connection next() throws SQLException, IOException {
        return connect(
                timeout,
                connection -> {
                    configure(connection);
                    PatientHandler.set(connection, timeout);
                });
    }

    /**
     * Opens the file for this process alone.
     *
     * @return the connection, or null if another process has it open
     */
    @Nullable Connection alone() throws SQLException, IOException {
        file.requireUsable();
        try {
            return connect(
                    Duration.ZERO,
                    connection -> {
                        Sql.run(connection, "pragma locking_mode = exclusive");
                        Sql.run(connection, "pragma cache_size = -262144");
                        configure(connection);
                        // Only now is it known that no other process has it open.
                        Sql.run(connection, "begin immediate");
                        Sql.run(connection, "commit");
                    });
        } catch (SQLException e) {
            if (SqliteEngine.isBusy(e)) {
                return null;
            }
            throw e;
        }
    }

    /** Prepares a connection. */
    @FunctionalInterface
    private interface Preparation {
        void of(Connection connection) throws SQLException, IOException;
    }

    private Connection connect(Duration wait, Preparation preparation)
            throws SQLException, IOException {
        SQLiteConfig config = new SQLiteConfig();
        config.resetOpenMode(SQLiteOpenMode.CREATE);
        config.setBusyTimeout(Math.toIntExact(wait.toMillis()));
        config.setGetGeneratedKeys(false);
        Connection connection = config.createConnection("jdbc:sqlite:" + file.path());
        boolean good = false;
        try {
            preparation.of(connection);
            good = true;
            return KeptStatements.on(connection);
        } finally {
            if (!good) {
                connection.close();
            }
        }
    }

    private void configure(Connection connection) throws SQLException, IOException {
        Sql.run(connection, "pragma mmap_size = 0");
        requireOurs(connection);
        Sql.run(connection, "pragma journal_mode = wal");
        Sql.run(connection, "pragma synchronous = full");
        Sql.run(connection, "pragma fullfsync = on");
        Sql.run(connection, "pragma journal_size_limit = " + SqliteLog.KEPT);
    }

    /** Rejects a database in which there is something, and nothing of this plugin. */
    private void requireOurs(Connection connection) throws SQLException, IOException {
        boolean foreign =
                Sql.query(
                                connection,
                                "select coalesce(max(name = 'whitelist_schema'), true)"
                                        + " from sqlite_schema where name not like 'sqlite#_%'"
                                        + " escape '#'",
                                row -> !row.getBoolean(1))
                        .getFirst();
        if (foreign) {
            throw new IOException(
                    file.path()
                            + ": a database of another program; nothing was changed in it. Needed:"
                            + " a file for this plugin alone");
        }
    }
}
