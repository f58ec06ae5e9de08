package io.github.senderwhitelist.database;

import io.github.senderwhitelist.database.FeedPlace.Witness;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * The feed in SQLite, where one transaction writes at a time. So changes become visible in the
 * order of their numbers, and a place is the number of the last.
 */
final class SqliteFeed implements FeedReader {
    private static final String OF_LIST = " where f.list = " + Schema.LIST;

    /** The number of a change stands for its transaction, too. */
    private static final String TRANSACTION = "seq";

    private static final String COLUMNS = "select " + TRANSACTION + ", " + Row.COLUMNS;

    /** The number of the last change, also of one that was removed. */
    private static final String LAST =
            "select coalesce((select seq from sqlite_sequence where name = 'whitelist_feed'), 0)";

    @Override
    public String incarnation() {
        return "''";
    }

    @Override
    public String greatest() {
        return "(" + LAST + ")";
    }

    @Override
    public String transaction() {
        return TRANSACTION;
    }

    @Override
    public String here(Connection connection) throws SQLException, IOException {
        return Long.toString(last(connection));
    }

    private static long last(Connection connection) throws SQLException, IOException {
        return Sql.query(connection, LAST, row -> row.getLong(1)).getFirst();
    }

    @Override
    public boolean isKept(Connection connection, String place, long keptFrom)
            throws SQLException, IOException {
        long number = number(place);
        return number >= keptFrom && number <= last(connection);
    }

    /** Returns the number that a place is, or -1 if it is none. */
    private static long number(String place) {
        try {
            return Long.parseLong(place);
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    @Override
    public LongPredicate seen(String place) {
        long last = number(place);
        return transaction -> transaction <= last;
    }

    /** All changes are in one group, since the last one stands for those before it. */
    @Override
    public Witness witness(Row row) {
        return new Witness(0, row.number(), row.token());
    }

    @Override
    public void changes(Connection connection, String list, String place, Sql.RowVisitor visitor)
            throws SQLException, IOException {
        Sql.forEach(
                connection,
                COLUMNS + OF_LIST + " and f.seq > ? order by f.seq",
                visitor,
                list,
                Long.parseLong(place));
    }

    /** Returns the last change of any list: the numbers of all lists are from one sequence. */
    @Override
    public List<Witness> newest(Connection connection, String list, String place, int most)
            throws SQLException, IOException {
        return Sql.query(
                connection,
                COLUMNS + " where f.seq <= ? order by f.seq desc limit 1",
                row -> witness(Row.read(row)),
                Long.parseLong(place));
    }

    @Override
    public boolean mayBeSwept(Witness witness, long keptFrom) {
        return witness.number() <= keptFrom;
    }

    @Override
    public long count(Connection connection, String list, List<Witness> witnesses)
            throws SQLException, IOException {
        long count = 0;
        for (Witness witness : witnesses) {
            count +=
                    Sql.query(
                                    connection,
                                    "select count(*) from whitelist_feed where seq = ?"
                                            + " and token = ?",
                                    row -> row.getLong(1),
                                    witness.number(),
                                    witness.token())
                            .getFirst();
        }
        return count;
    }

    @Override
    public long sweep(Connection connection, String list, long before, int most)
            throws SQLException, IOException {
        List<Long> old =
                Sql.query(
                        connection,
                        "select f.seq from whitelist_feed f"
                                + OF_LIST
                                + " and f.at < ? and f.seq < (select max(seq) from whitelist_feed"
                                + " where list = f.list) order by f.seq limit ?",
                        row -> row.getLong(1),
                        list,
                        before,
                        most);
        for (long number : old) {
            Sql.update(connection, "delete from whitelist_feed where seq = ?", number);
        }
        return old.isEmpty() ? 0 : old.getLast();
    }
}
