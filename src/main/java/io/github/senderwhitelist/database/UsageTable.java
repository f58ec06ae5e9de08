package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.database.Session.Update;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The use of a list's lines, in a database: that of the list, or, for a list in a file, one without
 * its entries. Whoever adds to it locks the list as whoever changes an entry, so that the use of an
 * entry that was removed does not come back. Methods fail as those of the record.
 */
public final class UsageTable {
    /** How many lines are added in one transaction at most. */
    public static final int MAX_PART = 1_000;

    private static final String ADD =
            """
            insert into whitelist_usage as u
            (list, sender, recipient, origin, used, rescued, first_day, last_day)
            %s on conflict (list, sender, recipient, origin)
            do update set used = u.used + excluded.used, rescued = u.rescued + excluded.rescued,
            first_day = case when u.first_day < excluded.first_day
              then u.first_day else excluded.first_day end,
            last_day = case when u.last_day > excluded.last_day
              then u.last_day else excluded.last_day end
            """;

    private static final String ADD_VALUES = ADD.formatted("values (?, ?, ?, ?, ?, ?, ?, ?)");

    /** Adds the use of the lines for one recipient to that of the lines for another. */
    private static final String ADD_ALL_FOR =
            ADD.formatted(
                    """
                    select list, sender, ?, origin, used, rescued, first_day, last_day
                    from whitelist_usage
                    where list = ? and recipient = ? and length(recipient) > 0\
                    """);

    private static final String SELECT =
            "select sender, recipient, null as rules, origin, used, rescued, first_day, last_day"
                    + " from whitelist_usage where list = ? ";

    private static final String REMOVE =
            "delete from whitelist_usage where list = ? and sender = ? and recipient = ?"
                    + " and origin = ?";

    private final JdbcRecord record;

    UsageTable(JdbcRecord record) {
        this.record = record;
    }

    /**
     * Begins to count, now by the database's clock, unless that has begun. If that was later, the
     * clock was wrong then.
     */
    public void begin() throws IOException {
        record.locked(
                "begin to count usage",
                (session, row) ->
                        session.update(
                                "insert into whitelist_counting(list, since) values (?, "
                                        + record.database().clock()
                                        + ") on conflict (list) do update set since ="
                                        + " excluded.since where whitelist_counting.since >"
                                        + " excluded.since",
                                row.id()));
    }

    /** Returns since when usage is counted; null if it never was. */
    public @Nullable Instant since() throws IOException {
        String sql = "select since from whitelist_counting where list = ?";
        Long since =
                record.read(
                        "read since when usage is counted",
                        (session, row) -> session.first(sql, at -> at.getLong(1), row.id()));
        return since == null ? null : Instant.ofEpochMilli(since);
    }

    /**
     * Adds to what is counted, at most {@link #MAX_PART} lines, each once.
     *
     * @param hasEntries whether the list's entries are in this database; then the use of those that
     *     were removed is not added
     */
    public void add(List<LineUse> part, boolean hasEntries) throws IOException {
        record.locked(
                "count usage",
                (session, row) -> {
                    Set<UsedLine> there = hasEntries ? there(session, row.id(), part) : Set.of();
                    List<@Nullable Object[]> added = new ArrayList<>();
                    for (LineUse use : part) {
                        if (!hasEntries || there.contains(use.line())) {
                            added.add(
                                    new @Nullable Object[] {
                                        row.id(),
                                        use.line().pair().sender().bytes(),
                                        EntryRow.column(use.line().pair().to()),
                                        use.line().origin().code(),
                                        use.used(),
                                        use.rescued(),
                                        use.first().toEpochDay(),
                                        use.last().toEpochDay()
                                    });
                        }
                    }
                    if (!added.isEmpty()) {
                        session.updateAll(ADD_VALUES, added);
                    }
                    return added.size();
                });
    }

    private Set<UsedLine> there(Session session, int list, List<LineUse> part)
            throws SQLException, IOException {
        List<Pair> pairs = part.stream().map(each -> each.line().pair()).distinct().toList();
        Set<UsedLine> there = new HashSet<>();
        for (EntryRow row : record.database().there(session, list, pairs)) {
            row.readable()
                    .rules()
                    .forEach(rule -> there.add(new UsedLine(row.pair(), rule.origin())));
        }
        return there;
    }

    /**
     * Returns the lines that were used, those first that were used last.
     *
     * @param skipped how many of the first ones are left out
     * @param onlyRescued whether only those that have rescued are wanted
     */
    public List<LineUse> newest(long skipped, boolean onlyRescued, int max) throws IOException {
        return record.read(
                "read usage",
                (session, row) ->
                        session.query(
                                SELECT
                                        + "and rescued >= ? order by list, last_day desc, sender,"
                                        + " recipient, origin limit ? offset ?",
                                UsageTable::use,
                                row.id(),
                                onlyRescued ? 1L : 0L,
                                max,
                                skipped));
    }

    /** Returns the use of the administrator's lines from one to another in the order of entries. */
    public List<LineUse> between(Pair from, Pair to) throws IOException {
        return record.read(
                "read usage",
                (session, row) ->
                        session.query(
                                SELECT
                                        + "and (sender, recipient) >= (?, ?)"
                                        + " and (sender, recipient) <= (?, ?) and origin = ?",
                                UsageTable::use,
                                row.id(),
                                from.sender().bytes(),
                                EntryRow.column(from.to()),
                                to.sender().bytes(),
                                EntryRow.column(to.to()),
                                Origin.ADMIN.code()));
    }

    private static LineUse use(ResultSet row) throws SQLException, IOException {
        Origin origin = Origin.ofCode(row.getByte("origin"));
        return new LineUse(
                new UsedLine(EntryRow.read(row).pair(), origin == null ? Origin.ADMIN : origin),
                row.getLong("used"),
                row.getLong("rescued"),
                LocalDate.ofEpochDay(row.getLong("first_day")),
                LocalDate.ofEpochDay(row.getLong("last_day")));
    }

    /** Removes the use of some lines. */
    public void remove(List<UsedLine> lines) throws IOException {
        record.locked(
                "forget usage",
                (session, row) -> {
                    record.database()
                            .update(
                                    session,
                                    lines.stream().map(line -> removal(row.id(), line)).toList());
                    return lines.size();
                });
    }

    /** Returns what removes the use of a line. */
    static Update removal(int list, UsedLine line) {
        return new Update(
                REMOVE,
                list,
                line.pair().sender().bytes(),
                EntryRow.column(line.pair().to()),
                line.origin().code());
    }

    /** Removes the use of all lines for one recipient. */
    public void removeAllFor(Key to) throws IOException {
        record.locked(
                "forget the usage of " + to,
                (session, row) -> removeAllFor(session, row.id(), EntryRow.column(to)));
    }

    private static int removeAllFor(Session session, int list, byte[] recipient)
            throws SQLException {
        return session.update(
                "delete from whitelist_usage where list = ? and recipient = ?"
                        + " and length(recipient) > 0",
                list,
                recipient);
    }

    /** Gives the use of all lines for one recipient to those for another. */
    public void rename(Key from, Key to) throws IOException {
        byte[] left = EntryRow.column(from);
        record.locked(
                "give the usage of " + from + " to " + to,
                (session, row) -> {
                    session.update(ADD_ALL_FOR, EntryRow.column(to), row.id(), left);
                    return removeAllFor(session, row.id(), left);
                });
    }
}
