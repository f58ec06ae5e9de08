package io.github.senderwhitelist.database;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * The reader of the feed of an {@link Engine}. A place in the feed is a text that only its reader
 * understands. Calls that belong together are made in one transaction that reads one state.
 */
interface FeedReader {
    /** Returns an expression for the name of this database, beside the epoch of a list. */
    String incarnation();

    /**
     * Returns an expression for the greatest number that {@link #sweep} can have returned here. A
     * greater one was returned by another database, of which this one has a dump.
     */
    String greatest();

    /**
     * Returns an expression for the number by which {@link #seen} knows the transaction of a
     * change, made of the columns of the feed.
     */
    String transaction();

    /** Returns the place after all changes that are visible. */
    String here(Connection connection) throws SQLException, IOException;

    /**
     * Returns whether all changes after a place can be read: it is not ahead of the feed, and
     * nothing after it was removed.
     *
     * @param place any text
     * @param keptFrom what {@link #sweep} returned last for the list, or 0
     */
    boolean isKept(Connection connection, String place, long keptFrom)
            throws SQLException, IOException;

    /**
     * A change.
     *
     * @param transaction its transaction, as {@link FeedReader#transaction} says
     * @param number its number, which no other has
     * @param token its random token. If the database is put back, another change may have the same
     *     number, but has another token
     * @param rules what the entry says now, or null if there is none
     */
    record Row(
            long transaction,
            long number,
            long token,
            PairKey key,
            int origin,
            @Nullable String rules) {
        /** The columns of a change and of its entry, as {@link #read} expects them. */
        static final String COLUMNS =
                "f.seq, f.token, f.sender, f.recipient, f.origin, e.rules from whitelist_feed f"
                        + " left join whitelist_entry e on e.list = f.list and e.sender = f.sender"
                        + " and e.recipient = f.recipient and e.origin = f.origin";

        static Row read(ResultSet row) throws SQLException {
            return new Row(
                    row.getLong(1),
                    row.getLong(2),
                    row.getLong(3),
                    PairKey.read(row),
                    row.getInt("origin"),
                    row.getString("rules"));
        }
    }

    /**
     * Returns a test whether the changes of a transaction are among those up to a place.
     *
     * @param place any text; if it is no place, no transaction passes
     */
    LongPredicate seen(String place);

    /** Returns the witness of a change that was seen. */
    FeedPlace.Witness witness(Row row);

    /** Visits the changes after a place, which {@link #isKept}. */
    void changes(Connection connection, String list, String place, Sql.RowVisitor visitor)
            throws SQLException, IOException;

    /**
     * Returns the newest changes that are not after a place, the newest first. If the database was
     * put back and has got on beyond the place, they are not those that were there when the place
     * was read.
     *
     * @param most how many at most; fewer, if these say what was there
     */
    List<FeedPlace.Witness> newest(Connection connection, String list, String place, int most)
            throws SQLException, IOException;

    /**
     * Returns whether a change may have been removed because it was old.
     *
     * @param keptFrom what {@link #sweep} returned last for the list, or 0
     */
    boolean mayBeSwept(FeedPlace.Witness witness, long keptFrom);

    /** Returns how many of these changes are in the feed of a list. */
    long count(Connection connection, String list, List<FeedPlace.Witness> witnesses)
            throws SQLException, IOException;

    /**
     * Removes some of the changes made before a time, but not the newest of the list, which {@link
     * #mayBeSwept} must be able to distinguish from those that were removed.
     *
     * @param before the time in milliseconds
     * @return the least place from which on all changes are there, or 0 if nothing was removed
     */
    long sweep(Connection connection, String list, long before, int most)
            throws SQLException, IOException;
}
