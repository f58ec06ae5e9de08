package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The part of the database access that differs between SQLite and PostgreSQL. */
interface Engine {
    /** Runs work that only reads, all of it from one moment of the database. */
    <T extends @Nullable Object> T read(Session.Work<T> work) throws SQLException, IOException;

    /**
     * Runs work in a transaction. When this returns, the disk keeps what was written.
     *
     * @throws SQLException if the work fails, and is rolled back; or if it is not known whether the
     *     disk keeps it
     */
    <T extends @Nullable Object> T write(Session.Work<T> work) throws SQLException, IOException;

    /** Returns whether the tables are there, and makes none. */
    boolean hasTables() throws SQLException, IOException;

    /** Returns the longest time that a caller waits for one answer. */
    Duration timeout();

    /** Returns an expression for the time by the clock of the database, in milliseconds. */
    String clock();

    /** Prepares a transaction to read a whole list in its order. */
    default void readInOrder(Session session) throws SQLException {}

    /** Ends what the reading of a whole list has left. */
    default void endReading() {}

    /**
     * Stores rows in place of those with their keys.
     *
     * @param condition on which a row that is there is replaced, in SQL
     * @param others takes the rules of those that are there with other rules
     * @return how many rows are new or have changed
     */
    int load(Session session, int list, List<EntryRow> rows, String condition, Others others)
            throws SQLException, IOException;

    /** Takes the rules that are there in place of those of a row. */
    @FunctionalInterface
    interface Others {
        void take(int row, String rules) throws IOException;
    }

    /** Explains a failure to people, if the engine knows more than the failure's own message. */
    String explain(SQLException e);

    /** Keeps no connection to a file open from now on. Does nothing where there is no file. */
    default void keepNoneOpen() {}

    /** Closes all connections. */
    void close();
}
