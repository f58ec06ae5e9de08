package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;

/** Helpers that run work in transactions. */
final class Transactions {
    private Transactions() {}

    /** Commits the work if it ends, and rolls it back if it fails. */
    static <T extends @Nullable Object> T write(Connection connection, Sql.Work<T> work)
            throws SQLException, IOException {
        connection.setAutoCommit(false);
        boolean done = false;
        try {
            T result = work.on(connection);
            connection.commit();
            done = true;
            connection.setAutoCommit(true);
            return result;
        } finally {
            if (!done) {
                undo(connection);
            }
        }
    }

    /** Runs a part of a transaction. If it fails, it is rolled back alone. */
    static <T extends @Nullable Object> T attempt(Connection connection, Sql.Work<T> work)
            throws SQLException, IOException {
        Sql.run(connection, "savepoint part");
        boolean done = false;
        try {
            T result = work.on(connection);
            Sql.run(connection, "release savepoint part");
            done = true;
            return result;
        } finally {
            if (!done) {
                undoPart(connection);
            }
        }
    }

    /** Undoes a part. If that fails, the whole transaction is gone, which its commit finds out. */
    private static void undoPart(Connection connection) {
        try {
            Sql.run(connection, "rollback to savepoint part");
            Sql.run(connection, "release savepoint part");
        } catch (SQLException e) {
            // Why it is needed says more than why it fails.
        }
    }

    /** Runs work that reads the same state in all its statements. */
    static <T extends @Nullable Object> T read(Connection connection, Sql.Work<T> work)
            throws SQLException, IOException {
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        try {
            return work.on(connection);
        } finally {
            undo(connection);
        }
    }

    /**
     * Undoes a transaction. If that fails, the connection is gone, and the transaction with it. Why
     * it is needed says more than why it fails.
     */
    private static void undo(Connection connection) {
        try {
            connection.rollback();
            connection.setAutoCommit(true);
        } catch (SQLException e) {
            // The connection is gone.
        }
    }
}
