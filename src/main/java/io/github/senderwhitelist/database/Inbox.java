package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.database.JdbcTable.Before;
import io.github.senderwhitelist.list.ListLine;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The table {@code whitelist_line}, from which lines that people have put there by SQL are taken
 * over. A line is added to the administrator's entry and removed in one transaction. So a line is
 * taken over once, whenever a server stops. Servers that do this at the same time skip the lines
 * that others have locked.
 *
 * <p>A bad line stays, with the reason beside it. No line keeps others from being taken over: a
 * line that fails is rolled back alone, and a line whose entry another has locked is left for the
 * next time.
 */
final class Inbox {
    /** The most lines that are taken over in one transaction. */
    static final int PART = 100;

    private static final String NEW = " from whitelist_line where list = ? and error is null";

    /** How long the first line whose entry another has locked is waited for. */
    private static final Duration WAIT = Duration.ofMillis(500);

    /** How long the others are. */
    private static final Duration DO_NOT_WAIT = Duration.ofMillis(1);

    private final Engine engine;
    private final String list;
    private final JdbcTable table;

    Inbox(Engine engine, String list, JdbcTable table) {
        this.engine = engine;
        this.list = list;
        this.table = table;
    }

    /**
     * Returns the statements that make the table.
     *
     * @param number the type of the column that numbers the lines
     * @param who the default of the column that says who has put a line
     * @param now the default of the column that says when
     */
    static List<String> schema(String number, String who, String now) {
        return List.of(
                "create table whitelist_line(id %s, list varchar(255) not null, line varchar not"
                                .formatted(number)
                        + " null, who varchar not null default %s, at %s, error varchar)"
                                .formatted(who, now),
                "create index whitelist_line_new on whitelist_line(list, id) where error is null");
    }

    /**
     * A row of the table.
     *
     * @param line the line, or null if it is too long
     */
    private record Row(long id, @Nullable String line, String who) {}

    /** An entry of one rule, to be added. */
    private record Addition(Row row, Entry entry, PairKey key) {}

    /** Returns whether there are lines to take over. */
    boolean hasLines(Connection connection) throws SQLException, IOException {
        return !Sql.query(connection, "select 1" + NEW + " limit 1", row -> true, list).isEmpty();
    }

    /**
     * Takes over some lines in a transaction.
     *
     * @return whether there may be more to take over at once
     */
    boolean takePart(Connection connection) throws SQLException, IOException {
        List<Row> rows =
                Sql.query(
                        connection,
                        "select id, case when octet_length(line) <= "
                                + ListLine.MAX_BYTES
                                + " then line end, substr(who, 1, 255)"
                                + NEW
                                + " order by id limit "
                                + PART
                                + engine.skipLocked(),
                        row -> new Row(row.getLong(1), row.getString(2), row.getString(3)),
                        list);
        List<Addition> additions = new ArrayList<>();
        for (Row row : rows) {
            try {
                additions.add(addition(row));
            } catch (IOException | RuntimeException e) {
                refuse(connection, row, e);
            }
        }
        // All servers in the same order, so that none waits for one that waits for it.
        additions.sort(Comparator.comparing(Addition::entry, Entry.ORDER));
        int changed = 0;
        int locked = 0;
        engine.waitForLocks(connection, WAIT);
        for (Addition addition : additions) {
            switch (take(connection, addition)) {
                case DONE -> {}
                case CHANGED -> changed++;
                case LOCKED -> {
                    locked++;
                    engine.waitForLocks(connection, DO_NOT_WAIT);
                }
            }
        }
        return changed > 0 || (rows.size() == PART && locked < PART);
    }

    /**
     * Returns the rule that a line adds.
     *
     * @throws IOException if the line is bad
     */
    private static Addition addition(Row row) throws IOException {
        if (row.line == null) {
            throw new IOException("a line of more than " + ListLine.MAX_BYTES + " bytes");
        }
        return switch (ListLine.parse(row.line)) {
            case ListLine.Bad(String reason) -> throw new IOException(reason);
            case ListLine.Blank() -> throw new IOException("a line without an entry");
            case ListLine.Good(Entry entry) -> {
                Origin origin = entry.rules().getFirst().origin();
                if (origin != Origin.ADMIN) {
                    throw new IOException(
                            "origin="
                                    + origin.label()
                                    + "; allowed: no origin=, since lines that are put by SQL are"
                                    + " the administrator's");
                }
                yield new Addition(row, entry, PairKey.of(entry.key(), entry.to()));
            }
        };
    }

    /** The outcomes for a line. */
    private enum Outcome {
        /** It was taken over or refused. */
        DONE,
        /** Its entry was changed by another meanwhile. */
        CHANGED,
        /** Its entry is locked by another. */
        LOCKED
    }

    /** Takes over a line or refuses it, unless another has its entry. */
    private Outcome take(Connection connection, Addition addition) throws SQLException {
        try {
            Transactions.attempt(
                    connection,
                    own -> {
                        add(own, addition);
                        remove(own, addition.row);
                        return true;
                    });
            return Outcome.DONE;
        } catch (SQLException e) {
            if (Failures.isPassing(e)) {
                return Outcome.CHANGED;
            }
            if (Failures.isLocked(e)) {
                return Outcome.LOCKED;
            }
            if (!Failures.isOfValues(e)) {
                throw e;
            }
            refuse(connection, addition.row, e);
        } catch (IOException | RuntimeException e) {
            refuse(connection, addition.row, e);
        }
        return Outcome.DONE;
    }

    /** Adds a rule to the present entry of the administrator. */
    private void add(Connection connection, Addition addition) throws SQLException, IOException {
        Entry entry = addition.entry;
        int origin = Origin.ADMIN.code();
        Before before = table.before(connection, addition.key, origin);
        List<Rule> rules = new ArrayList<>(entry.rules());
        if (before.rules() != null) {
            rules.addAll(new EntryRow(addition.key, origin, before.rules()).rules());
        }
        List<Rule> joined = RulesCodec.joined(rules);
        if (joined == null) {
            throw new IOException(
                    "with the lines that are there, more than an entry can hold; allowed: "
                            + RulesCodec.MAX_BYTES
                            + " bytes of conditions and notes");
        }
        EntryRow after = EntryRow.of(new Entry(entry.key(), entry.to(), joined));
        table.replace(connection, before, after, ("sql " + Text.shown(addition.row.who)).strip());
    }

    private static void remove(Connection connection, Row row) throws SQLException {
        Sql.update(connection, "delete from whitelist_line where id = ?", row.id);
    }

    /** Leaves a line with the reason beside it, which keeps it from being taken over again. */
    private static void refuse(Connection connection, Row row, Exception why) throws SQLException {
        String reason =
                why instanceof SQLException failure
                        ? Failures.reason(failure)
                        : Text.escaped(String.valueOf(why.getMessage()));
        Sql.update(connection, "update whitelist_line set error = ? where id = ?", reason, row.id);
    }
}
