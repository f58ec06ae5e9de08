package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Helpers that run statements over JDBC. */
final class Sql {
    /** How many rows are fetched at a time, in a transaction. */
    private static final int FETCH = 5_000;

    private Sql() {}

    /** An action with a connection. */
    @FunctionalInterface
    interface Work<T extends @Nullable Object> {
        T on(Connection connection) throws SQLException, IOException;
    }

    /** Maps the current row of a result to a value. */
    @FunctionalInterface
    interface RowReader<T extends @Nullable Object> {
        T read(ResultSet row) throws SQLException, IOException;
    }

    /** Takes the current row of a result. */
    @FunctionalInterface
    interface RowVisitor {
        void visit(ResultSet row) throws SQLException, IOException;
    }

    /** Runs statements without parameters. */
    static void run(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Runs a statement that changes rows, and returns how many it changed. */
    static int update(Connection connection, String sql, @Nullable Object... values)
            throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, values)) {
            return statement.executeUpdate();
        }
    }

    /** Returns the value that the reader maps the first row to; null if there is none. */
    static <T> @Nullable T first(
            Connection connection, String sql, RowReader<T> reader, @Nullable Object... values)
            throws SQLException, IOException {
        List<T> all = query(connection, sql, reader, values);
        return all.isEmpty() ? null : all.getFirst();
    }

    /** Returns the values that the reader maps the rows to. */
    static <T extends @Nullable Object> List<T> query(
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
        try (PreparedStatement statement = prepare(connection, sql, values)) {
            statement.setFetchSize(FETCH);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    visitor.visit(rows);
                }
            }
        }
    }

    private static PreparedStatement prepare(
            Connection connection, String sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
