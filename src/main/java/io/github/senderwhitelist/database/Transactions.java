package io.github.senderwhitelist.database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;

/** Runs work in transactions. */
final class Transactions {
    private Transactions() {}

    /** Commits the work if it ends, and undoes it if it fails. */
    static <T> T write(Connection connection, Sql.Work<T> work) throws SQLException, IOException {
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

    /** Runs work that reads the same state in all its statements. */
    static void read(Connection connection, Sql.Work<?> work) throws SQLException, IOException {
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        try {
            work.on(connection);
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
