package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** The part of the database access that differs between SQLite and PostgreSQL. */
interface Engine {
    /** Runs work that only reads, with a connection in the mode of one commit a statement. */
    <T extends @Nullable Object> T read(Sql.Work<T> work) throws SQLException, IOException;

    /** Runs work that only reads, all of it from the same state. */
    <T extends @Nullable Object> T readOneState(Sql.Work<T> work) throws SQLException, IOException;

    /**
     * Runs work in a transaction. When this returns, the disk keeps what was written.
     *
     * @throws SQLException if the work fails, and is rolled back; or if it is not known whether the
     *     disk keeps it
     */
    <T extends @Nullable Object> T write(Sql.Work<T> work) throws SQLException, IOException;

    /** Returns the longest time that a caller waits for one answer. */
    Duration timeout();

    /**
     * Returns another object once another database may be in the place of the one so far. Call it
     * before each read and write, which go to the database that was there then.
     */
    Object incarnation() throws IOException;

    /** Prepares the database with the first connection, before the tables are looked up. */
    void prepare(Connection connection) throws SQLException, IOException;

    /** Waits until no other server makes the tables. Others wait until the transaction ends. */
    void lockSchema(Connection connection) throws SQLException;

    /** Returns a statement whose result has a row if the plugin's tables are there. */
    String hasSchema();

    /** Returns the statements that make the tables. */
    List<String> schema();

    /** Returns an expression for the time by the clock of the database, in milliseconds. */
    String clock();

    /** Returns the reader of the feed. */
    FeedReader feed();

    /** Returns whether many entries are put by {@link BulkPut}, not one by one. */
    boolean putsInBulk();

    /** Returns whether a statement can read arrays as rows, as {@link Finder} may. */
    default boolean readsArrays() {
        return putsInBulk();
    }

    /** Returns whether a list is streamed as of one moment; else in short reads. */
    boolean streamsOneMoment();

    /** Returns the way in which very many entries are put. */
    BulkLoad bulkLoad();

    /** Explains a failure to people, if the engine knows more than the failure's own message. */
    String explain(SQLException e);

    /** Keeps no connection to a file open from now on. Does nothing where there is no file. */
    default void keepNoneOpen() {}

    /** Closes all connections. */
    void close() throws SQLException;
}
