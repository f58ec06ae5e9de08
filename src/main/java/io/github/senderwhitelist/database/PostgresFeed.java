package io.github.senderwhitelist.database;

import io.github.senderwhitelist.database.FeedPlace.Witness;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.regex.Pattern;

/**
 * The feed in PostgreSQL, where changes become visible in another order than that of their numbers.
 * A place is a whole snapshot: after it come the transactions that had not ended for it. So nothing
 * is read twice, and a transaction that stays open, anywhere in the cluster, holds nothing up.
 *
 * <p>Transactions that this cluster has not begun yet have changes only if these were restored from
 * another one. They are old.
 */
final class PostgresFeed implements FeedReader {
    /**
     * The name of the database cluster, which numbers the transactions, and of its timeline, which
     * is another one after it was restored, or after a standby took over, which may lack the last
     * changes.
     */
    static final String CLUSTER =
            "(select '/' || system_identifier from pg_control_system()) || '/' ||"
                    + " substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8)";

    /**
     * The name of the file of the entries, which is another one after a dump was put back: its
     * entries have no changes that say so.
     */
    private static final String FILE =
            " || '/' || (select oid from pg_database where datname = current_database()) || '.' ||"
                    + " pg_relation_filenode('whitelist_entry')";

    /** The transaction of a row of the feed, as a number. */
    static final String TRANSACTION = "cast(cast(xid as text) as bigint)";

    private static final Pattern SNAPSHOT = Pattern.compile("\\d{1,18}:\\d{1,18}:[\\d,]*");

    private static final String OF_LIST = " where f.list = " + Schema.LIST;
    private static final String KNOWN = "xid < pg_snapshot_xmax(pg_current_snapshot())";
    private static final String COLUMNS = "select " + TRANSACTION + ", " + Row.COLUMNS + OF_LIST;
    private static final String PLACE = "cast(? as pg_snapshot)";

    private volatile String cluster = "''";

    /** Allows the use of {@link #CLUSTER}. */
    void knowsCluster() {
        cluster = CLUSTER;
    }

    @Override
    public String incarnation() {
        return cluster + FILE;
    }

    @Override
    public String greatest() {
        return "cast(cast(pg_snapshot_xmax(pg_current_snapshot()) as text) as bigint)";
    }

    @Override
    public String transaction() {
        return TRANSACTION;
    }

    @Override
    public String here(Connection connection) throws SQLException, IOException {
        return Sql.query(
                        connection,
                        "select cast(pg_current_snapshot() as text)",
                        row -> row.getString(1))
                .getFirst();
    }

    @Override
    public boolean isKept(Connection connection, String place, long keptFrom)
            throws SQLException, IOException {
        if (!SNAPSHOT.matcher(place).matches()) {
            return false;
        }
        // What was removed of transactions that had not ended then was not read.
        return Sql.query(
                        connection,
                        "select pg_snapshot_xmax(p) <= pg_snapshot_xmax(pg_current_snapshot())"
                                + " and cast(cast(pg_snapshot_xmax(p) as text) as bigint) >= ?"
                                + " and not exists (select 1 from pg_snapshot_xip(p) as x where"
                                + " cast(cast(x as text) as bigint) < ?"
                                + " and pg_visible_in_snapshot(x, pg_current_snapshot()))"
                                + " from (select "
                                + PLACE
                                + " as p) as s",
                        row -> row.getBoolean(1),
                        keptFrom,
                        keptFrom,
                        place)
                .getFirst();
    }

    /** Decides as {@code pg_visible_in_snapshot} does. */
    @Override
    public LongPredicate seen(String place) {
        if (!SNAPSHOT.matcher(place).matches()) {
            return transaction -> false;
        }
        String[] parts = place.split(":", -1);
        long next = Long.parseLong(parts[1]);
        Set<String> open = Set.copyOf(List.of(parts[2].split(",", -1)));
        return transaction -> transaction < next && !open.contains(Long.toString(transaction));
    }

    @Override
    public Witness witness(Row row) {
        return new Witness(row.transaction(), row.number(), row.token());
    }

    @Override
    public void changes(Connection connection, String list, String place, Sql.RowVisitor visitor)
            throws SQLException, IOException {
        if (!place.endsWith(":")) {
            Sql.forEach(
                    connection,
                    COLUMNS + " and f.xid = any(array(select pg_snapshot_xip(" + PLACE + ")))",
                    visitor,
                    list,
                    place);
        }
        Sql.forEach(
                connection,
                COLUMNS + " and f." + KNOWN + " and f.xid >= pg_snapshot_xmax(" + PLACE + ")",
                visitor,
                list,
                place);
    }

    @Override
    public List<Witness> newest(Connection connection, String list, String place, int most)
            throws SQLException, IOException {
        return Sql.query(
                connection,
                COLUMNS
                        + " and f.xid < pg_snapshot_xmax("
                        + PLACE
                        + ") and pg_visible_in_snapshot(f.xid, "
                        + PLACE
                        + ") order by f.xid desc, f.seq desc limit ?",
                row -> witness(Row.read(row)),
                list,
                place,
                place,
                most);
    }

    @Override
    public boolean mayBeSwept(Witness witness, long keptFrom) {
        return witness.group() < keptFrom;
    }

    @Override
    public long count(Connection connection, String list, List<Witness> witnesses)
            throws SQLException, IOException {
        return Sql.query(
                        connection,
                        "select count(*) from unnest(cast(? as bigint[]), cast(? as bigint[]),"
                            + " cast(? as bigint[])) as w(xid, seq, token) join whitelist_feed f on"
                            + " f.xid = cast(cast(w.xid as text) as xid8) and f.seq = w.seq and"
                            + " f.token = w.token"
                                + OF_LIST,
                        row -> row.getLong(1),
                        Sql.array(connection, "int8", witnesses, Witness::group),
                        Sql.array(connection, "int8", witnesses, Witness::number),
                        Sql.array(connection, "int8", witnesses, Witness::token),
                        list)
                .getFirst();
    }

    @Override
    public long sweep(Connection connection, String list, long before, int most)
            throws SQLException, IOException {
        List<Long> removed =
                Sql.query(
                        connection,
                        "delete from whitelist_feed f using (select f.list, f.xid, f.seq from"
                                + " whitelist_feed f"
                                + OF_LIST
                                + " and f.at < ? and f.xid is distinct from (select xid from"
                                + " whitelist_feed where list = f.list and "
                                + KNOWN
                                + " order by xid desc limit 1) limit ?) as"
                                + " o where f.list = o.list and f.xid = o.xid and f.seq = o.seq"
                                + " returning case when f."
                                + KNOWN
                                + " then cast(cast(f.xid as text) as bigint) else 0 end",
                        row -> row.getLong(1),
                        list,
                        before,
                        most);
        return removed.stream().mapToLong(xid -> xid + 1).max().orElse(0);
    }
}
