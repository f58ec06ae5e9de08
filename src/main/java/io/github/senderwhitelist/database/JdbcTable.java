package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.EntryTable;
import io.github.senderwhitelist.living.Feed;
import io.github.senderwhitelist.living.FeedPosition;
import io.github.senderwhitelist.living.PastChange;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The entries of one list. */
final class JdbcTable implements EntryTable {
    private static final String ENTRY =
            " where list = ? and sender = ? and recipient = ? and origin = ?";
    private static final String OF_RECIPIENT = " where list = ? and recipient = ? and origin = ?";

    private final Database database;
    private final Engine engine;
    private final String list;
    private final ChangeLog changes;
    private final EntryPages pages;
    private final BulkPut bulk;
    private final Finder finder;
    private final Sweep sweep;
    private final @Nullable Inbox inbox;

    JdbcTable(Database database, Engine engine, String list) {
        this.database = database;
        this.engine = engine;
        this.list = list;
        changes = new ChangeLog(engine, list);
        pages = new EntryPages(list);
        bulk = new BulkPut(list);
        finder = new Finder(engine, list);
        sweep = new Sweep(engine, changes, list);
        inbox = engine.hasInbox() ? new Inbox(list, this) : null;
    }

    @Override
    public Effect put(Entry entry, String who) throws IOException {
        EntryRow row = EntryRow.of(entry);
        String what = what("put " + row.key());
        // Most entries that are learned are known. To find that out, no one needs to wait.
        List<String> before =
                database.call(what, connection -> linesOf(connection, row.key(), row.origin()));
        return !before.isEmpty() && row.saysSameAs(before.getFirst()) && engine.keepsAllThatIsSeen()
                ? Effect.NONE
                : database.write(what, connection -> putRow(connection, row, who));
    }

    @Override
    public List<Effect> putAll(List<Entry> entries, String who) throws IOException {
        List<EntryRow> rows = entries.stream().map(EntryRow::of).toList();
        return database.write(
                what("put " + rows.size() + " entries"),
                connection ->
                        engine.readsArrays()
                                ? bulk.put(connection, rows, who)
                                : putEach(connection, rows, who));
    }

    private List<Effect> putEach(Connection connection, List<EntryRow> rows, String who)
            throws SQLException, IOException {
        List<Effect> effects = new ArrayList<>();
        for (EntryRow row : rows) {
            effects.add(putRow(connection, row, who));
        }
        return effects;
    }

    /** Returns the lines that the origin has for the key now, or none. */
    List<String> linesOf(Connection connection, PairKey key, int origin)
            throws SQLException, IOException {
        return Sql.query(
                connection,
                "select lines from whitelist_entry" + ENTRY,
                found -> found.getString(1),
                list,
                key.sender(),
                key.recipient(),
                origin);
    }

    private Effect putRow(Connection connection, EntryRow row, String who)
            throws SQLException, IOException {
        List<String> before = linesOf(connection, row.key(), row.origin());
        return replace(connection, before, row, who);
    }

    @Override
    public List<Effect> update(List<Target> targets, UnaryOperator<List<Rule>> change, String who)
            throws IOException {
        if (targets.isEmpty()) {
            return List.of();
        }
        return database.write(
                what("change " + some(targets)),
                connection -> {
                    List<Effect> effects = new ArrayList<>();
                    for (Target target : targets) {
                        effects.add(update(connection, target, change, who));
                    }
                    return effects;
                });
    }

    private Effect update(
            Connection connection, Target target, UnaryOperator<List<Rule>> change, String who)
            throws SQLException, IOException {
        PairKey key = PairKey.of(target.sender(), target.to());
        int origin = target.origin().code();
        List<String> before = linesOf(connection, key, origin);
        List<Rule> rules = new ArrayList<>();
        for (String lines : before) {
            rules.addAll(new EntryRow(key, origin, lines).rules());
        }
        List<Rule> after = change.apply(rules);
        if (!after.isEmpty()) {
            Entry entry = new Entry(target.sender(), target.to(), after);
            return replace(connection, before, EntryRow.of(entry), who);
        }
        if (before.isEmpty()) {
            return Effect.NONE;
        }
        if (remove(connection, target, before.getFirst(), who) == Effect.NONE) {
            throw Failures.changedMeanwhile();
        }
        return Effect.REMOVED;
    }

    /**
     * Puts a row in place of another.
     *
     * @param before the lines that the origin had for the key when they were read, or none
     * @throws SQLException if it has others meanwhile, or the database fails
     */
    Effect replace(Connection connection, List<String> before, EntryRow row, String who)
            throws SQLException, IOException {
        Effect effect = set(connection, before, row);
        if (effect != Effect.NONE) {
            changes.add(connection, row.key(), row.origin(), who, row.lines());
        }
        return effect;
    }

    /** Puts a row in place of another, as {@link #replace} does, but does not tell the feed. */
    Effect set(Connection connection, List<String> before, EntryRow row)
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
            return Effect.CREATED;
        }
        if (row.saysSameAs(before.getFirst())) {
            return Effect.NONE;
        }
        int updated =
                Sql.update(
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
                        before.getFirst());
        if (updated == 0) {
            throw Failures.changedMeanwhile();
        }
        return Effect.REPLACED;
    }

    @Override
    public Effect remove(Origin origin, Key sender, @Nullable Key to, String who)
            throws IOException {
        return removeAll(List.of(new Target(origin, sender, to)), who).getFirst();
    }

    @Override
    public List<Effect> removeAll(List<Target> targets, String who) throws IOException {
        if (targets.isEmpty()) {
            return List.of();
        }
        return database.write(
                what("remove " + some(targets)),
                connection -> {
                    List<Effect> effects = new ArrayList<>();
                    for (Target target : targets) {
                        effects.add(remove(connection, target, null, who));
                    }
                    return effects;
                });
    }

    /** Names what is changed, in a message. */
    private static String some(List<Target> targets) {
        PairKey first = PairKey.of(targets.getFirst().sender(), targets.getFirst().to());
        return first + (targets.size() == 1 ? "" : " and " + (targets.size() - 1) + " more");
    }

    /**
     * Removes what an origin has.
     *
     * @param lines the only lines to remove; null removes whatever there is
     */
    private Effect remove(Connection connection, Target target, @Nullable String lines, String who)
            throws SQLException {
        PairKey key = PairKey.of(target.sender(), target.to());
        int removed =
                Sql.update(
                        connection,
                        "delete from whitelist_entry" + ENTRY + " and lines = coalesce(?, lines)",
                        list,
                        key.sender(),
                        key.recipient(),
                        target.origin().code(),
                        lines);
        if (removed == 0) {
            return Effect.NONE;
        }
        changes.add(connection, key, target.origin().code(), who, null);
        return Effect.REMOVED;
    }

    @Override
    public @Nullable Entry find(Key sender, @Nullable Key to) throws IOException {
        Found found = findAll(List.of(new Pair(sender, to))).getFirst();
        if (found.failure() != null) {
            throw found.failure();
        }
        return found.entry();
    }

    @Override
    public List<Found> findAll(List<Pair> pairs) throws IOException {
        if (pairs.isEmpty()) {
            return List.of();
        }
        Pair first = pairs.getFirst();
        String others = pairs.size() == 1 ? "" : " and " + (pairs.size() - 1) + " more";
        return database.call(
                what("find " + PairKey.of(first.sender(), first.to()) + others),
                connection -> finder.find(connection, pairs));
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
    public Share share(Key to, Origin origin, Instant day) throws IOException {
        String date = LocalDate.ofInstant(day, ZoneOffset.UTC).toString();
        return database.call(
                what("count what is for " + to),
                connection ->
                        Sql.query(
                                        connection,
                                        "select count(case when origin = ? then 1 end), count(case"
                                                + " when origin <> ? and (lines like ? or lines"
                                                + " like ?) then 1 end) from whitelist_entry"
                                                + " where list = ? and recipient = ?",
                                        row -> new Share(row.getLong(1), row.getLong(2)),
                                        origin.code(),
                                        Origin.ADMIN.code(),
                                        "% from=" + date + "%",
                                        "% note=" + ADDED + date + "%",
                                        list,
                                        PairKey.of(to, to).recipient())
                                .getFirst());
    }

    @Override
    public List<Key> firstToEnd(Key to, Origin origin, int most) throws IOException {
        return database.call(
                what("find what ends first for " + to),
                connection -> {
                    List<Key> senders = new ArrayList<>();
                    for (PairKey key :
                            Sql.query(
                                    connection,
                                    "select sender, recipient from whitelist_entry"
                                            + OF_RECIPIENT
                                            + " order by until_moment nulls last, sender limit ?",
                                    PairKey::read,
                                    list,
                                    PairKey.of(to, to).recipient(),
                                    origin.code(),
                                    most)) {
                        senders.add(key.senderKey());
                    }
                    return senders;
                });
    }

    @Override
    public @Nullable Key nextRecipient(@Nullable Key after) throws IOException {
        byte[] last = after == null ? new byte[0] : PairKey.of(after, after).recipient();
        return database.call(
                what("find for whom entries are"),
                connection -> {
                    // In the order of the index. Else H2 would sort all that is left.
                    List<PairKey> next =
                            Sql.query(
                                    connection,
                                    "select sender, recipient from whitelist_entry where list = ?"
                                            + " and recipient > ?"
                                            + " order by list, recipient limit 1",
                                    PairKey::read,
                                    list,
                                    last);
                    return next.isEmpty() ? null : next.getFirst().recipientKey();
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
    public Page page(@Nullable Entry after, int most) throws IOException {
        return database.call(
                what("read some entries"), connection -> pages.after(connection, after, most));
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
        Instant past =
                database.call(what, connection -> database.clock().earliest(connection, now));
        while (database.write(what, connection -> sweep.entries(connection, past))
                || database.write(what, connection -> sweep.changes(connection, past))) {
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
