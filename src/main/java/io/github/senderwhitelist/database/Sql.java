package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Helpers that run statements over JDBC. */
final class Sql {
    private Sql() {}

    /** An action with a connection. */
    @FunctionalInterface
    interface Work<T extends @Nullable Object> {
        T on(Connection connection) throws SQLException, IOException;
    }

    /** Maps the current row of a result to a value. */
    @FunctionalInterface
    interface RowReader<T> {
        T read(ResultSet row) throws SQLException, IOException;
    }

    /** Takes the current row of a result. */
    @FunctionalInterface
    interface RowVisitor {
        void visit(ResultSet row) throws SQLException, IOException;
    }

    /** How many rows are fetched at a time, in a transaction. */
    private static final int FETCH = 5_000;

    /** Runs a statement without parameters. */
    static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Runs a statement that changes rows, and returns how many it changed. */
    static int update(Connection connection, String sql, @Nullable Object... values)
            throws SQLException {
        return with(connection, sql, PreparedStatement::executeUpdate, values);
    }

    /** Returns the values that the reader maps the rows to. */
    static <T> List<T> query(
            Connection connection, String sql, RowReader<T> reader, @Nullable Object... values)
            throws SQLException, IOException {
        List<T> read = new ArrayList<>();
        forEach(connection, sql, row -> read.add(reader.read(row)), values);
        return read;
    }

    /** Visits each row. In a transaction, the rows are not all in memory at once. */
    static void forEach(
            Connection connection, String sql, RowVisitor visitor, @Nullable Object... values)
            throws SQLException, IOException {
        with(
                connection,
                sql,
                statement -> {
                    statement.setFetchSize(FETCH);
                    try (ResultSet rows = statement.executeQuery()) {
                        while (rows.next()) {
                            visitor.visit(rows);
                        }
                    }
                    return 0;
                },
                values);
    }

    /** Runs a statement, and returns a number of its own. */
    @FunctionalInterface
    private interface Running<E extends Exception> {
        int of(PreparedStatement statement) throws SQLException, E;
    }

    private static <E extends Exception> int with(
            Connection connection, String sql, Running<E> running, @Nullable Object... values)
            throws SQLException, E {
        PreparedStatement statement = connection.prepareStatement(sql);
        boolean good = false;
        try {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            int result = running.of(statement);
            good = true;
            return result;
        } finally {
            if (good) {
                KeptStatements.end(connection, sql, statement);
            } else {
                statement.close();
            }
        }
    }

    /**
     * Returns an array of PostgreSQL with the values that a function maps items to.
     *
     * @param type the type of its elements, such as {@code bytea}
     */
    static <T> Array array(
            Connection connection,
            String type,
            List<T> items,
            Function<T, ? extends @Nullable Object> column)
            throws SQLException {
        @Nullable Object[] values =
                type.equals("bytea") ? new byte[items.size()][] : new Object[items.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = column.apply(items.get(i));
        }
        return connection.createArrayOf(type, values);
    }
}
