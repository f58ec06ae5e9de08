package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A transaction on a connection, or one after another, with its statements. Each is prepared once,
 * and closed with the connection. For one thread at a time.
 */
final class Session {
    /** How many rows are fetched at a time, in a transaction. */
    private static final int FETCH = 5_000;

    /** All at once, as PostgreSQL must be told, else one process alone reads for it. */
    private static final int ALL = 0;

    private final Connection connection;
    private final Map<String, PreparedStatement> statements = new HashMap<>();

    Session(Connection connection) {
        this.connection = connection;
    }

    /** Work in a transaction. */
    interface Work<T extends @Nullable Object> {
        T on(Session session) throws SQLException, IOException;
    }

    /** A statement that changes rows, with its values. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Update(String sql, @Nullable Object... values) {}

    /** Reads the current row of a result. */
    interface RowReader<T extends @Nullable Object> {
        T read(ResultSet row) throws SQLException, IOException;
    }

    /** Takes the current row of a result. */
    interface RowVisitor {
        void visit(ResultSet row) throws SQLException, IOException;
    }

    /** Returns the connection. */
    Connection connection() {
        return connection;
    }

    /** Runs statements without parameters. */
    void run(String... sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String each : sql) {
                statement.execute(each);
            }
        }
    }

    /** Runs a statement that changes rows, and returns how many it changed. */
    int update(String sql, @Nullable Object... values) throws SQLException {
        return prepare(sql, values).executeUpdate();
    }

    /** Runs a statement that changes rows once with each of some values. */
    void updateAll(String sql, List<@Nullable Object[]> values) throws SQLException {
        for (@Nullable Object[] each : values) {
            prepare(sql, each).addBatch();
        }
        prepare(sql).executeBatch();
    }

    /** Returns what the reader makes of the first row; null if there is none. */
    <T> @Nullable T first(String sql, RowReader<T> reader, @Nullable Object... values)
            throws SQLException, IOException {
        List<T> all = query(sql, reader, values);
        return all.isEmpty() ? null : all.getFirst();
    }

    /** Returns the number in the first column of the first row; 0 if there is none. */
    long number(String sql, @Nullable Object... values) throws SQLException, IOException {
        Long number = first(sql, row -> row.getLong(1), values);
        return number == null ? 0 : number;
    }

    /** Returns what the reader makes of the rows. */
    <T extends @Nullable Object> List<T> query(
            String sql, RowReader<T> reader, @Nullable Object... values)
            throws SQLException, IOException {
        List<T> all = new ArrayList<>();
        forEach(ALL, sql, row -> all.add(reader.read(row)), values);
        return all;
    }

    /** Reads each row. In a transaction, the rows are not all in memory at once. */
    void forEach(String sql, RowVisitor visitor, @Nullable Object... values)
            throws SQLException, IOException {
        forEach(FETCH, sql, visitor, values);
    }

    private void forEach(int fetch, String sql, RowVisitor visitor, @Nullable Object... values)
            throws SQLException, IOException {
        PreparedStatement statement = prepare(sql, values);
        statement.setFetchSize(fetch);
        statement.execute();
        while (statement.getUpdateCount() >= 0) {
            statement.getMoreResults(); // What was set before the query has none.
        }
        try (ResultSet rows = statement.getResultSet()) {
            while (rows.next()) {
                visitor.visit(rows);
            }
        }
    }

    /** Makes all of a transaction that has begun, or nothing of it. */
    <T extends @Nullable Object> T transaction(Work<T> work) throws SQLException, IOException {
        try {
            T result = work.on(this);
            if (connection.getAutoCommit()) {
                run("commit"); // As it was begun.
            } else {
                connection.commit();
            }
            return result;
        } catch (SQLException | IOException | RuntimeException | Error e) {
            undo();
            throw e;
        }
    }

    /** Why something is undone says more than why that fails: there may be nothing any more. */
    private void undo() {
        try {
            for (PreparedStatement each : statements.values()) {
                each.close();
            }
            statements.clear();
            run("rollback");
        } catch (SQLException e) {
            return;
        }
    }

    /** Returns a statement with these values in its places. */
    private PreparedStatement prepare(String sql, @Nullable Object... values) throws SQLException {
        PreparedStatement statement = statements.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(sql);
            statements.put(sql, statement);
        }
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }
}
