package io.github.senderwhitelist.database;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * The way in which an {@link Engine} puts very many entries into a list, without feed and history.
 */
interface BulkLoad {
    /** Returns the best number of rows for one transaction. */
    int part();

    /**
     * Begins.
     *
     * @param entries the approximate number of entries
     */
    void begin(long entries) throws SQLException, IOException;

    /**
     * Puts rows in a transaction, each in place of what its origin had for the same key. Rules with
     * a denial stay if the row has none. There may be several for a key, of which the last one
     * stays.
     *
     * @param id the number of the list
     * @return how many are new or have changed
     */
    int put(Connection connection, int id, List<EntryRow> rows) throws SQLException, IOException;

    /** Ends the load, whether all rows were put or not. */
    void end() throws SQLException, IOException;
}
