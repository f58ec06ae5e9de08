package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.EntryTable;
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
import java.util.function.LongPredicate;
import java.util.function.UnaryOperator;

/** The table of the entries of one list, over JDBC. */
final class JdbcTable implements EntryTable {
    /** More characters than the pages of a change of one entry have. */
    private static final int ROOM = 1 << 16;

    private static final String ENTRY =
            " where list = " + Schema.LIST + " and sender = ? and recipient = ? and origin = ?";
    private static final String OF_RECIPIENT =
            " from whitelist_entry where list = "
                    + Schema.LIST
                    + " and recipient = ? and length(recipient) > 0";

    private final Database database;
    private final Engine engine;
    private final String list;
    private final FeedLog feed;
    private final History history;
    private final EntryPages pages;
    private final BulkPut bulk;
    private final Finder finder;
    private final Sweep sweep;

    JdbcTable(Database database, Engine engine, String list) {
        this.database = database;
        this.engine = engine;
        this.list = list;
        feed = new FeedLog(engine, list);
        history = new History(list);
        pages = new EntryPages(engine, feed, list);
        bulk = new BulkPut(feed);
        finder = new Finder(engine, list);
        sweep = new Sweep(this, feed, history, list);
    }

    @Override
    public Done put(Entry entry, String who) throws IOException {
        EntryRow row = EntryRow.of(entry);
        String what = what("put " + row.key());
        return database.writeUnlessKnown(
                        what,
                        // Most entries that are learned are known. To find that out, no one needs
                        // to wait.
                        connection -> {
                            String rules = before(connection, row).rules;
                            return rules != null && row.saysSameAs(rules)
                                    ? List.of(Done.none(row.rules()))
                                    : null;
                        },
                        connection -> putAll(connection, List.of(row), who, false))
                .getFirst();
    }

    @Override
    public List<Done> putAll(List<Entry> entries, String who) throws IOException {
        List<EntryRow> rows = entries.stream().map(EntryRow::of).toList();
        return database.write(
                what("put " + rows.size() + " entries"),
                connection -> putAll(connection, rows, who, false));
    }

    /** Puts entries, but keeps what is there if it has a denial and the new entry has none. */
    List<Done> putAllButKeepDenials(List<Entry> entries, String who) throws IOException {
        List<EntryRow> rows = entries.stream().map(EntryRow::of).toList();
        return database.write(
                what("import " + rows.size() + " entries"),
                connection -> putAll(connection, rows, who, true));
    }

    private List<Done> putAll(
            Connection connection, List<EntryRow> rows, String who, boolean keepDenials)
            throws SQLException, IOException {
        if (engine.putsInBulk()) {
            return bulk.put(connection, rows, who, keepDenials);
        }
        List<Done> done = new ArrayList<>();
        for (EntryRow row : rows) {
            Before before = before(connection, row);
            boolean keep = keepDenials && !row.denies() && EntryRow.denies(before.rules);
            done.add(keep ? Done.none(row.rules()) : replace(connection, before, row, who));
        }
        return done;
    }

    /**
     * The state of an entry when a change began.
     *
     * @param list the number of the list; 0 if there is none yet
     * @param rules the rules of the origin for the key, or null
     */
    record Before(int list, @Nullable String rules) {}

    private Before before(Connection connection, EntryRow row) throws SQLException, IOException {
        return before(connection, row.key(), row.origin());
    }

    /** Returns the present state of the origin's entry for the key. */
    Before before(Connection connection, PairKey key, int origin) throws SQLException, IOException {
        List<Before> before =
                Sql.query(
                        connection,
                        "select l.id, e.rules from whitelist_list l left join whitelist_entry e on"
                                + " e.list = l.id and e.sender = ? and e.recipient = ?"
                                + " and e.origin = ? where l.name = ?",
                        found -> new Before(found.getInt(1), found.getString(2)),
                        key.sender(),
                        key.recipient(),
                        origin,
                        list);
        return before.isEmpty() ? new Before(0, null) : before.getFirst();
    }

    @Override
    public List<Done> update(List<Target> targets, UnaryOperator<List<Rule>> change, String who)
            throws IOException {
        if (targets.isEmpty()) {
            return List.of();
        }
        return database.write(
                what("change " + some(targets)),
                connection -> {
                    List<Done> done = new ArrayList<>();
                    for (Target target : targets) {
                        done.add(update(connection, target, change, who));
                    }
                    return done;
                });
    }

    private Done update(
            Connection connection, Target target, UnaryOperator<List<Rule>> change, String who)
            throws SQLException, IOException {
        PairKey key = PairKey.of(target.sender(), target.to());
        int origin = target.origin().code();
        Before before = before(connection, key, origin);
        List<Rule> after = change.apply(EntryRow.rules(key, origin, before.rules));
        if (!after.isEmpty()) {
            Entry entry = new Entry(target.sender(), target.to(), after);
            return replace(connection, before, EntryRow.of(entry), who);
        }
        if (before.rules == null) {
            return Done.none(List.of());
        }
        Done removed = remove(connection, key, origin, before.rules, who);
        if (removed.effect() == Effect.NONE) {
            throw Failures.changedMeanwhile();
        }
        return removed;
    }

    /**
     * Puts a row in place of another.
     *
     * @param before the entry when it was read
     * @throws SQLException if there is something else meanwhile, or the database fails
     */
    Done replace(Connection connection, Before before, EntryRow row, String who)
            throws SQLException, IOException {
        PairKey key = row.key();
        if (before.rules != null && row.saysSameAs(before.rules)) {
            return Done.none(row.rules());
        }
        int id = before.list != 0 ? before.list : feed.id(connection);
        if (before.rules == null) {
            Sql.update(
                    connection,
                    "insert into whitelist_entry(list, sender, recipient, origin, rules, ends)"
                            + " values (?, ?, ?, ?, ?, ?)",
                    id,
                    key.sender(),
                    key.recipient(),
                    row.origin(),
                    row.text(),
                    row.ends());
        } else {
            int updated =
                    Sql.update(
                            connection,
                            "update whitelist_entry set rules = ?, ends = ?"
                                    + ENTRY
                                    + " and rules = ?",
                            row.text(),
                            row.ends(),
                            list,
                            key.sender(),
                            key.recipient(),
                            row.origin(),
                            before.rules);
            if (updated == 0) {
                throw Failures.changedMeanwhile();
            }
        }
        Effect effect = before.rules == null ? Effect.CREATED : Effect.REPLACED;
        Done done = feed.add(connection, id, key, row.origin(), effect, row.rules());
        history.add(connection, id, key, row.origin(), who, row.text());
        return done;
    }

    @Override
    public Done remove(Origin origin, Key sender, @Nullable Key to, String who) throws IOException {
        return removeAll(List.of(new Target(origin, sender, to)), who).getFirst();
    }

    @Override
    public List<Done> removeAll(List<Target> targets, String who) throws IOException {
        if (targets.isEmpty()) {
            return List.of();
        }
        return database.write(
                what("remove " + some(targets)),
                connection -> {
                    List<Done> done = new ArrayList<>();
                    for (Target target : targets) {
                        PairKey key = PairKey.of(target.sender(), target.to());
                        int origin = target.origin().code();
                        done.add(remove(connection, key, origin, null, who));
                    }
                    return done;
                });
    }

    /** Returns the names of targets, for a message. */
    private static String some(List<Target> targets) {
        PairKey first = PairKey.of(targets.getFirst().sender(), targets.getFirst().to());
        return first + (targets.size() == 1 ? "" : " and " + (targets.size() - 1) + " more");
    }

    /**
     * Removes an origin's entry.
     *
     * @param rules the only rules to remove; null removes whatever there is
     */
    private Done remove(
            Connection connection, PairKey key, int origin, @Nullable String rules, String who)
            throws SQLException, IOException {
        return remove(connection, key, origin, who, " and rules = coalesce(?, rules)", rules);
    }

    /**
     * Removes an origin's entry if a condition holds.
     *
     * @param condition the end of the statement, with one parameter
     */
    Done remove(
            Connection connection,
            PairKey key,
            int origin,
            String who,
            String condition,
            @Nullable Object value)
            throws SQLException, IOException {
        int removed =
                Sql.update(
                        connection,
                        "delete from whitelist_entry" + ENTRY + condition,
                        list,
                        key.sender(),
                        key.recipient(),
                        origin,
                        value);
        if (removed == 0) {
            return Done.none(List.of());
        }
        int id = feed.id(connection);
        Done done = feed.add(connection, id, key, origin, Effect.REMOVED, List.of());
        history.add(connection, id, key, origin, who, null);
        return done;
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
        return database.read(
                what("find " + PairKey.of(first.sender(), first.to()) + others),
                connection -> finder.find(connection, pairs));
    }

    @Override
    public List<Entry> entriesFor(Key to, int most) throws IOException {
        PairKey key = PairKey.of(to, to);
        return database.read(
                what("find what is for " + to),
                connection -> {
                    List<Entry> entries = new ArrayList<>();
                    EntryMerger merger = EntryMerger.strict(entries::add);
                    for (EntryRow row :
                            Sql.query(
                                    connection,
                                    "select sender, recipient, origin, rules"
                                            + OF_RECIPIENT
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
        return database.read(
                what("count what is for " + to),
                connection ->
                        Sql.query(
                                        connection,
                                        "select count(case when origin = ? then 1 end), count(case"
                                                + " when origin <> ? and (rules like ? or rules"
                                                + " like ?) then 1 end)"
                                                + OF_RECIPIENT,
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
        return database.read(
                what("find what ends first for " + to),
                connection -> {
                    List<Key> senders = new ArrayList<>();
                    for (PairKey key :
                            Sql.query(
                                    connection,
                                    "select sender, recipient"
                                            + OF_RECIPIENT
                                            + " and origin = ?"
                                            + " order by ends nulls last, sender limit ?",
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
        return database.read(
                what("find for whom entries are"),
                connection -> {
                    List<PairKey> next =
                            Sql.query(
                                    connection,
                                    "select sender, recipient from whitelist_entry where list = "
                                            + Schema.LIST
                                            + " and recipient > ? and length(recipient) > 0"
                                            + " order by recipient limit 1",
                                    PairKey::read,
                                    list,
                                    last);
                    return next.isEmpty() ? null : next.getFirst().recipientKey();
                });
    }

    @Override
    public FeedPosition forEach(Consumer<Entry> visitor, Unreadable unreadable) throws IOException {
        position(); // Begins the feed, if it must.
        return database.prepared(
                what("read the entries"), () -> pages.forEach(visitor, unreadable));
    }

    @Override
    public Page page(@Nullable Entry after, int most) throws IOException {
        return database.read(
                what("read some entries"), connection -> pages.after(connection, after, most));
    }

    @Override
    public long count() throws IOException {
        return database.read(
                what("count"),
                connection ->
                        Sql.query(
                                        connection,
                                        "select count(*) from whitelist_entry where list = "
                                                + Schema.LIST,
                                        row -> row.getLong(1),
                                        list)
                                .getFirst());
    }

    @Override
    public FeedPosition position() throws IOException {
        String what = what("read the position of changes");
        while (true) {
            FeedPosition position = database.readOneState(what, feed::position);
            if (position != null) {
                return position;
            }
            database.write(what, feed::begin);
        }
    }

    @Override
    public @Nullable FeedPosition changes(FeedPosition after, Consumer<Change> visitor)
            throws IOException {
        return database.readOneState(
                what("read the changes"), connection -> feed.poll(connection, after, visitor));
    }

    @Override
    public LongPredicate seen(FeedPosition position) {
        return feed.seen(position);
    }

    @Override
    public List<PastChange> history(Key sender, int most) throws IOException {
        return database.read(
                what("read the history of " + sender),
                connection -> history.of(connection, sender, most));
    }

    @Override
    public long forgetHistory(Key to) throws IOException {
        String what = what("forget the history of " + to);
        long forgotten = 0;
        int part;
        do {
            part = database.write(what, connection -> history.forget(connection, to));
            forgotten += part;
        } while (part == History.PART);
        return forgotten;
    }

    /** Writes and removes rows of no list, so that the disk needs more room than for a change. */
    @Override
    public void requireWritable() throws IOException {
        byte[] key = {0};
        String room = "x".repeat(ROOM);
        database.write(
                what("try whether it can be changed"),
                connection -> {
                    Sql.update(
                            connection,
                            "insert into whitelist_entry(list, sender, recipient, origin, rules,"
                                    + " ends) values (0, ?, ?, 0, ?, 0)",
                            key,
                            key,
                            room);
                    Sql.update(
                            connection,
                            "insert into whitelist_history(at, list, sender, recipient, origin,"
                                    + " who) values (0, 0, ?, ?, 0, '')",
                            key,
                            key);
                    Sql.update(connection, "delete from whitelist_entry where list = 0");
                    return Sql.update(
                            connection,
                            "delete from whitelist_history where list = 0 and sender = ?",
                            key);
                });
    }

    @Override
    public void sweep() throws IOException {
        String what = what("remove what is past");
        Instant now =
                database.read(
                        what,
                        connection ->
                                Sql.query(
                                                connection,
                                                "select " + engine.clock(),
                                                row -> Instant.ofEpochMilli(row.getLong(1)))
                                        .getFirst());
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
