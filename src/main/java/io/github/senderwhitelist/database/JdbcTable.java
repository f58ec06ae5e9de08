package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;
import io.github.senderwhitelist.living.PastChange;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/** The entries of one list. */
final class JdbcTable implements EntryTable {
    private static final String ENTRY =
            " where list = ? and sender = ? and recipient = ? and origin = ?";
    private static final String FIND =
            "select origin, lines from whitelist_entry where list = ? and sender = ?"
                    + " and recipient = ?";

    /** Asks for the lines for all recipients, and for each kind of others that there are. */
    private static final String FIND_WITH_KINDS = FIND + kindQuestions();

    private final Database database;
    private final String list;
    private final ChangeLog changes;
    private final EntryPages pages;
    private final Sweep sweep;
    private final @Nullable Inbox inbox;

    JdbcTable(Database database, Engine engine, String list) {
        this.database = database;
        this.list = list;
        changes = new ChangeLog(engine, list);
        pages = new EntryPages(list);
        sweep = new Sweep(engine, changes, list);
        inbox = engine.hasInbox() ? new Inbox(list, this) : null;
    }

    private static String kindQuestions() {
        StringBuilder questions = new StringBuilder();
        for (RecipientKind kind : RecipientKind.values()) {
            questions
                    .append(" union all select cast(-")
                    .append(kind.code())
                    .append(
                            " as smallint), cast(null as varchar) where exists (select 1 from"
                                    + " whitelist_entry where list = ? and sender = ? and"
                                    + " recipient >= ? and recipient < ?)");
        }
        return questions.toString();
    }

    @Override
    public Effect put(Entry entry, String who) throws IOException {
        EntryRow row = EntryRow.of(entry);
        String what = what("put " + row.key());
        // Most entries that are learned are known. To find that out, no one needs to wait.
        List<String> before = database.call(what, connection -> linesOf(connection, row));
        return !before.isEmpty() && row.saysSameAs(before.getFirst())
                ? Effect.NONE
                : database.write(what, connection -> putRow(connection, row, who));
    }

    /** Returns the lines that the origin has for the key now, or none. */
    List<String> linesOf(Connection connection, EntryRow row) throws SQLException, IOException {
        return Sql.query(
                connection,
                "select lines from whitelist_entry" + ENTRY,
                found -> found.getString(1),
                list,
                row.key().sender(),
                row.key().recipient(),
                row.origin());
    }

    private Effect putRow(Connection connection, EntryRow row, String who)
            throws SQLException, IOException {
        List<String> before = linesOf(connection, row);
        return replace(connection, before, row, who);
    }

    /**
     * Puts a row in place of another.
     *
     * @param before the lines that the origin had for the key when they were read, or none
     * @throws SQLException if it has others meanwhile, or the database fails
     */
    Effect replace(Connection connection, List<String> before, EntryRow row, String who)
            throws SQLException, IOException {
        PairKey key = row.key();
        if (before.isEmpty()) {
            Sql.update(
                    connection,
                    "insert into whitelist_entry(list, sender, recipient, origin, lines,"
                            + " until_moment) values (?, ?, ?, ?, ?, ?)",
                    list,
                    key.sender(),
                    key.recipient(),
                    row.origin(),
                    row.lines(),
                    row.until());
        } else if (row.saysSameAs(before.getFirst())) {
            return Effect.NONE;
        } else if (Sql.update(
                        connection,
                        "update whitelist_entry set lines = ?, until_moment = ?"
                                + ENTRY
                                + " and lines = ?",
                        row.lines(),
                        row.until(),
                        list,
                        key.sender(),
                        key.recipient(),
                        row.origin(),
                        before.getFirst())
                == 0) {
            throw Failures.changedMeanwhile();
        }
        changes.add(connection, key, row.origin(), who, row.lines());
        return before.isEmpty() ? Effect.CREATED : Effect.REPLACED;
    }

    @Override
    public Effect remove(Origin origin, Key sender, @Nullable Key to, String who)
            throws IOException {
        PairKey key = PairKey.of(sender, to);
        return database.write(
                what("remove " + key),
                connection -> {
                    int removed =
                            Sql.update(
                                    connection,
                                    "delete from whitelist_entry" + ENTRY,
                                    list,
                                    key.sender(),
                                    key.recipient(),
                                    origin.code());
                    if (removed == 0) {
                        return Effect.NONE;
                    }
                    changes.add(connection, key, origin.code(), who, null);
                    return Effect.REMOVED;
                });
    }

    @Override
    public @Nullable Entry find(Key sender, @Nullable Key to) throws IOException {
        PairKey key = PairKey.of(sender, to);
        List<Object> values = new ArrayList<>(List.of(list, key.sender(), key.recipient()));
        if (to == null) {
            for (RecipientKind kind : RecipientKind.values()) {
                byte[] from = {kind.code()};
                byte[] end = {(byte) (kind.code() + 1)};
                values.addAll(List.of(list, key.sender(), from, end));
            }
        }
        List<EntryRow> rows = new ArrayList<>();
        Set<RecipientKind> kinds = EnumSet.noneOf(RecipientKind.class);
        return database.call(
                what("find " + key),
                connection -> {
                    Sql.query(
                            connection,
                            (to == null ? FIND_WITH_KINDS : FIND) + " order by 1",
                            found -> {
                                int origin = found.getInt(1);
                                return origin < 0
                                        ? kinds.add(RecipientKind.ofCode((byte) -origin))
                                        : rows.add(new EntryRow(key, origin, found.getString(2)));
                            },
                            values.toArray());
                    return rows.isEmpty() && kinds.isEmpty()
                            ? null
                            : new Entry(sender, to, EntryRow.rules(rows), kinds);
                });
    }

    @Override
    public List<Entry> entriesFor(Key to, int most) throws IOException {
        PairKey key = PairKey.of(to, to);
        return database.call(
                what("find what is for " + to),
                connection -> {
                    List<Entry> entries = new ArrayList<>();
                    EntryMerger merger = new EntryMerger(entries::add);
                    for (EntryRow row :
                            Sql.query(
                                    connection,
                                    "select sender, recipient, origin, lines from whitelist_entry"
                                            + " where list = ? and recipient = ?"
                                            + " order by sender, origin limit ?",
                                    EntryRow::read,
                                    list,
                                    key.recipient(),
                                    (long) most * Origin.values().length)) {
                        merger.add(row);
                    }
                    merger.end();
                    return List.copyOf(entries.subList(0, Math.min(most, entries.size())));
                });
    }

    @Override
    public void forEachSender(Consumer<Key> visitor) throws IOException {
        database.call(
                what("read the senders"),
                connection -> {
                    pages.forEachSender(connection, visitor);
                    return true;
                });
    }

    @Override
    public void forEach(Consumer<Entry> visitor) throws IOException {
        database.call(
                what("read the entries"),
                connection -> {
                    pages.forEach(connection, visitor);
                    return true;
                });
    }

    @Override
    public long count() throws IOException {
        return database.call(
                what("count"),
                connection ->
                        Sql.query(
                                        connection,
                                        "select count(*) from whitelist_entry where list = ?",
                                        row -> row.getLong(1),
                                        list)
                                .getFirst());
    }

    @Override
    public FeedPosition position() throws IOException {
        String what = what("read the position of changes");
        FeedPosition position = database.call(what, changes::position);
        return position != null ? position : database.write(what, changes::begin);
    }

    @Override
    public @Nullable Feed changes(FeedPosition after) throws IOException {
        return database.call(
                what("read the changes"), connection -> changes.after(connection, after));
    }

    @Override
    public List<PastChange> history(Key sender, int most) throws IOException {
        return database.call(
                what("read the history of " + sender),
                connection -> changes.history(connection, sender, most));
    }

    @Override
    public long forgetHistory(Key to) throws IOException {
        String what = what("forget the history of " + to);
        long forgotten = 0;
        int part;
        do {
            part = database.write(what, connection -> changes.forget(connection, to));
            forgotten += part;
        } while (part == ChangeLog.PART);
        return forgotten;
    }

    @Override
    public boolean takeOverLines() throws IOException {
        String what = what("take over lines put by SQL");
        return inbox != null
                && database.call(what, inbox::hasLines)
                && database.write(what, inbox::takePart);
    }

    @Override
    public void sweep(Instant now) throws IOException {
        String what = what("remove what is past");
        while (database.write(what, connection -> sweep.entries(connection, now))
                || database.write(what, connection -> sweep.changes(connection, now))) {
            // The next part.
        }
    }

    private String what(String doing) {
        return "list '" + list + "': " + doing;
    }

    /** Does nothing: the tables of a database share its connections. */
    @Override
    public void close() {}
}
