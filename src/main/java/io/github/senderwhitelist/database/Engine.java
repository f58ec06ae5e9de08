package io.github.senderwhitelist.database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** What the databases do in different ways. */
interface Engine {
    /** Returns a connection of its own for the caller, in the mode of one commit a statement. */
    Connection connect() throws SQLException;

    /** Returns the longest time that a caller waits for one answer. */
    Duration timeout();

    /** Does what must be done once with the first connection, before the tables are asked for. */
    void prepare(Connection connection) throws SQLException;

    /** Waits until no other server makes the tables. The transaction ends the wait of others. */
    void lockSchema(Connection connection) throws SQLException;

    /** Returns a statement whose answer has a row if the plugin's tables are there. */
    String hasSchema();

    /** Returns the statements that make the tables of version 1. */
    List<String> schema();

    /** Returns whether people may put lines into a table, which the servers take over. */
    boolean hasInbox();

    /**
     * Runs work that writes, alone if the order of changes needs that. Then makes what it wrote
     * last.
     */
    <T> T write(Writing<T> work) throws IOException, SQLException;

    /** Returns whether the database has made last all changes that it shows. */
    default boolean keepsAllThatIsSeen() {
        return true;
    }

    /** Returns whether only this process can have the database open. */
    boolean isOfOneProcess();

    /** Returns whether a statement can read arrays as rows, as {@link BulkPut} needs. */
    boolean readsArrays();

    /** Returns the place of a change in the feed, as text of a statement, of type bigint. */
    String placeOfChange();

    /**
     * Returns from where changes are kept after one at this place, and all before, were removed.
     */
    long keptFrom(long removed);

    /**
     * Returns a statement that asks for the feed of a list. Each row has the epoch, the place from
     * which changes are kept, the place to ask for next, the last place that there can be, and the
     * number and the sender of a change, if there is one. The parameters are a place, as text, the
     * list, and the most rows.
     */
    String feed();

    /** Explains a failure to people, if the engine knows more than the failure's own message. */
    String explain(SQLException e);

    /** Takes note that very many entries were put at once. */
    default void loaded() {}

    /** Closes all connections. */
    void close() throws SQLException;

    /** Some work that writes. */
    @FunctionalInterface
    interface Writing<T> {
        T run() throws IOException, SQLException;
    }
}
