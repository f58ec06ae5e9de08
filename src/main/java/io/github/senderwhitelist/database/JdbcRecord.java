package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.PastChange;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The record of one list over JDBC.
 *
 * <p>Writers of a list queue at its row, which each of them updates first. The database releases
 * that lock when the transaction is visible, so whoever draws a later number comes after it, and
 * the numbers of the log are in commit order without gaps.
 */
final class JdbcRecord implements ListRecord {
    /** So long that no clock which was wrong for some days removes what still holds. */
    private static final Duration KEPT = Duration.ofDays(90);

    /** How many rows are removed in one transaction at most. */
    private static final int PART = 500;

    /** More characters than the pages of a change of one entry have. */
    private static final int ROOM = 1 << 16;

    private static final byte[] NO_KEY = {};
    private static final SecureRandom TOKENS = new SecureRandom();

    private static final String PAIR = " where list = ? and sender = ? and recipient = ?";
    private static final String OF_RECIPIENT =
            " from whitelist_entry where list = ? and recipient = ? and length(recipient) > 0";

    /** Where the recipients of each kind begin and end. */
    private static final String KINDS =
            "select "
                    + String.join(
                            ", ",
                            Collections.nCopies(
                                    RecipientKind.values().length,
                                    "exists (select 1 from whitelist_entry where list = ?"
                                            + " and sender = ? and recipient >= ?"
                                            + " and recipient < ?)"));

    private final Database database;
    private final Engine engine;
    private final String list;

    JdbcRecord(Database database, Engine engine, String list) {
        this.database = database;
        this.engine = engine;
        this.list = list;
    }

    /** The row of the list. */
    private record Row(int id, String epoch, long seq, long keptFrom) {
        static Row read(ResultSet row) throws SQLException {
            return new Row(row.getInt(1), row.getString(2), row.getLong(3), row.getLong(4));
        }
    }

    /** Work on the list. */
    @FunctionalInterface
    private interface Work<T extends @Nullable Object> {
        T on(Connection connection, Row row) throws SQLException, IOException;
    }

    private <T extends @Nullable Object> T read(String doing, Work<T> work) throws IOException {
        String sql = "select id, epoch, seq, kept_from from whitelist_list where name = ?";
        return database.read(what(doing), connection -> work.on(connection, row(connection, sql)));
    }

    /** Locks the list, and runs work in the same transaction. */
    private <T extends @Nullable Object> T locked(String doing, Work<T> work) throws IOException {
        String sql =
                "update whitelist_list set seq = seq where name = ?"
                        + " returning id, epoch, seq, kept_from";
        return database.write(what(doing), connection -> work.on(connection, row(connection, sql)));
    }

    private Row row(Connection connection, String sql) throws SQLException, IOException {
        Row row = Sql.first(connection, sql, Row::read, list);
        if (row == null) {
            throw new IOException("the database has no such list");
        }
        return row;
    }

    private String what(String doing) {
        return "list '" + list + "': " + doing;
    }

    @Override
    public void create() throws IOException {
        database.write(
                what("make the list"),
                connection ->
                        Sql.first(
                                                connection,
                                                "select 1 from whitelist_list where name = ?",
                                                row -> true,
                                                list)
                                        == null
                                && Sql.update(
                                                connection,
                                                "insert into whitelist_list(name, epoch, seq,"
                                                        + " kept_from) values (?, ?, 0, 0)",
                                                list,
                                                UUID.randomUUID().toString())
                                        > 0);
    }

    @Override
    public Written write(List<Edit> edits, String who, boolean always) throws IOException {
        return locked(
                "change " + some(edits),
                (connection, row) -> {
                    long seq = row.seq;
                    List<Effect> effects = new ArrayList<>();
                    for (Edit edit : edits) {
                        Effect effect = make(connection, row.id, edit, who);
                        effects.add(effect);
                        if (effect != Effect.NONE || always) {
                            Target target = edit.target();
                            PairKey key = PairKey.of(target.sender(), target.to());
                            log(
                                    connection,
                                    row.id,
                                    ++seq,
                                    Schema.CHANGE,
                                    key,
                                    target.origin().code());
                        }
                    }
                    end(connection, row, seq);
                    return new Written(effects, row.seq + 1, seq);
                });
    }

    private static String some(List<Edit> edits) {
        Target first = edits.getFirst().target();
        String key = PairKey.of(first.sender(), first.to()).toString();
        return edits.size() == 1 ? key : key + " and " + (edits.size() - 1) + " more";
    }

    private Effect make(Connection connection, int id, Edit edit, String who)
            throws SQLException, IOException {
        Target target = edit.target();
        PairKey key = PairKey.of(target.sender(), target.to());
        int origin = target.origin().code();
        EntryRow there = null;
        List<Rule> others = new ArrayList<>();
        for (EntryRow each : rowsOf(connection, id, key)) {
            if (each.origin() == origin) {
                there = each;
            } else {
                others.addAll(each.readable());
            }
        }
        List<Rule> rules = edit.change().apply(there == null ? List.of() : there.readable());
        if (rules.isEmpty()) {
            if (there == null) {
                return Effect.NONE;
            }
            Sql.update(
                    connection,
                    "delete from whitelist_entry" + PAIR + " and origin = ?",
                    id,
                    key.sender(),
                    key.recipient(),
                    origin);
            note(connection, id, key, origin, who, null);
            return Effect.REMOVED;
        }
        EntryRow row = EntryRow.of(target, rules);
        if (there != null && there.text().equals(row.text())) {
            return Effect.NONE;
        }
        others.addAll(rules);
        requireRoom(key, others);
        Sql.update(
                connection,
                "insert into whitelist_entry(list, sender, recipient, origin, rules, ends) values"
                        + " (?, ?, ?, ?, ?, ?) on conflict (list, sender, recipient, origin)"
                        + " do update set rules = excluded.rules, ends = excluded.ends",
                id,
                key.sender(),
                key.recipient(),
                origin,
                row.text(),
                row.ends());
        note(connection, id, key, origin, who, row.text());
        return there == null ? Effect.CREATED : Effect.REPLACED;
    }

    private static void requireRoom(PairKey key, List<Rule> rules) {
        if (!RulesCodec.fit(rules)) {
            throw new IllegalArgumentException(
                    "too many lines with conditions for this sender and these recipients, "
                            + key
                            + ": together they take more than "
                            + RulesCodec.MAX_BYTES
                            + " bytes");
        }
    }

    private static List<EntryRow> rowsOf(Connection connection, int id, PairKey key)
            throws SQLException, IOException {
        return Sql.query(
                connection,
                "select origin, rules from whitelist_entry" + PAIR + " order by origin",
                row -> new EntryRow(key, row.getInt(1), row.getString(2)),
                id,
                key.sender(),
                key.recipient());
    }

    private void log(
            Connection connection, int id, long seq, int kind, @Nullable PairKey key, int origin)
            throws SQLException {
        Sql.update(
                connection,
                "insert into whitelist_log(list, seq, token, kind, sender, recipient, origin, at)"
                        + " values (?, ?, ?, ?, ?, ?, ?, "
                        + engine.clock()
                        + ")",
                id,
                seq,
                TOKENS.nextLong(),
                kind,
                key == null ? NO_KEY : key.sender(),
                key == null ? NO_KEY : key.recipient(),
                origin);
    }

    private void note(
            Connection connection,
            int id,
            PairKey key,
            int origin,
            String who,
            @Nullable String rules)
            throws SQLException {
        Sql.update(
                connection,
                "insert into whitelist_history(list, sender, recipient, origin, at, who, rules)"
                        + " values (?, ?, ?, ?, ?, ?, ?)",
                id,
                key.sender(),
                key.recipient(),
                origin,
                System.currentTimeMillis(),
                who,
                rules);
    }

    /** Remembers the number of the last row. */
    private static void end(Connection connection, Row row, long seq) throws SQLException {
        if (seq != row.seq) {
            Sql.update(connection, "update whitelist_list set seq = ? where id = ?", seq, row.id);
        }
    }

    @Override
    public Loaded load(List<Entry> entries, boolean replaceDenials) throws IOException {
        List<EntryRow> rows = new ArrayList<>();
        for (Entry entry : entries) {
            EntryRow row = EntryRow.of(Target.of(entry), entry.rules());
            requireRoom(row.key(), entry.rules());
            rows.add(row);
        }
        return locked(
                "import " + rows.size() + " entries",
                (connection, row) -> {
                    List<Other> others = new ArrayList<>();
                    int changed =
                            engine.load(
                                    connection,
                                    row.id,
                                    rows,
                                    replaceDenials
                                            ? EntryRow.DIFFERS
                                            : EntryRow.DIFFERS_AND_KEEPS_DENIALS,
                                    (at, rules) ->
                                            others.add(
                                                    other(entries.get(at), rows.get(at), rules)));
                    logBulk(connection, row, Schema.BULK);
                    return new Loaded(changed, others);
                });
    }

    private static Other other(Entry now, EntryRow row, String rules) {
        List<Rule> before = new EntryRow(row.key(), row.origin(), rules).readable();
        return new Other(new Entry(now.key(), now.to(), before), now);
    }

    @Override
    public void endLoad() throws IOException {
        locked(
                "end the import",
                (connection, row) -> {
                    logBulk(connection, row, Schema.END);
                    return true;
                });
    }

    private void logBulk(Connection connection, Row row, int kind) throws SQLException {
        log(connection, row.id, row.seq + 1, kind, null, 0);
        end(connection, row, row.seq + 1);
    }

    @Override
    public @Nullable LogRows log(Position after) throws IOException {
        return read(
                "read the log",
                (connection, row) ->
                        continues(connection, row, after) ? rows(connection, row, after) : null);
    }

    private static boolean continues(Connection connection, Row row, Position after)
            throws SQLException, IOException {
        return after.epoch().equals(row.epoch)
                && after.seq() >= row.keptFrom
                && after.seq() <= row.seq
                && row.seq - after.seq() <= MAX_ROWS
                && token(connection, row, after.seq()) == after.token();
    }

    /** Returns the token of a row, and 0 if there is none. */
    private static long token(Connection connection, Row row, long seq)
            throws SQLException, IOException {
        Long token =
                Sql.first(
                        connection,
                        "select token from whitelist_log where list = ? and seq = ?",
                        found -> found.getLong(1),
                        row.id,
                        seq);
        return token == null ? 0 : token;
    }

    private static LogRows rows(Connection connection, Row row, Position after)
            throws SQLException, IOException {
        if (row.seq == after.seq()) {
            return new LogRows(after, List.of(), false, false);
        }
        Map<String, Change> changes = new HashMap<>();
        int[] lastBulk = {Schema.BLANK};
        long[] token = {0};
        Sql.forEach(
                connection,
                "select l.kind, l.token, l.sender, l.recipient, l.origin, e.rules from"
                        + " whitelist_log l left join whitelist_entry e on e.list = l.list and"
                        + " e.sender = l.sender and e.recipient = l.recipient and e.origin ="
                        + " l.origin where l.list = ? and l.seq > ? order by l.seq",
                found -> {
                    token[0] = found.getLong(2);
                    if (found.getInt(1) == Schema.CHANGE) {
                        PairKey key = PairKey.read(found);
                        int origin = found.getInt(5);
                        Change change = change(key, origin, found.getString(6));
                        if (change != null) {
                            changes.put(origin + " " + key, change);
                        }
                    } else if (found.getInt(1) != Schema.BLANK) {
                        lastBulk[0] = found.getInt(1);
                    }
                },
                row.id,
                after.seq());
        return new LogRows(
                new Position(row.epoch, row.seq, token[0]),
                List.copyOf(changes.values()),
                lastBulk[0] != Schema.BLANK,
                lastBulk[0] == Schema.END);
    }

    /** Returns null if the key is none, so that nobody can ask for it. */
    private static @Nullable Change change(PairKey key, int origin, @Nullable String rules) {
        Target target = target(key, origin);
        if (target == null) {
            return null;
        }
        try {
            return new Change(
                    target,
                    rules == null ? List.of() : new EntryRow(key, origin, rules).rules(),
                    null);
        } catch (IOException e) {
            return new Change(target, List.of(), String.valueOf(e.getMessage()));
        }
    }

    private static @Nullable Target target(PairKey key, int origin) {
        try {
            return new Target(EntryRow.originOf(origin), key.senderKey(), key.recipientKey());
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public Position last() throws IOException {
        return read("read the position of the log", JdbcRecord::last);
    }

    private static Position last(Connection connection, Row row) throws SQLException, IOException {
        return new Position(row.epoch, row.seq, token(connection, row, row.seq));
    }

    @Override
    public Position forEach(Consumer<Entry> visitor, Unreadable unreadable) throws IOException {
        Position position =
                read(
                        "read the entries",
                        (connection, row) -> {
                            Position now = last(connection, row);
                            engine.readInOrder(connection);
                            EntryMerger merger = new EntryMerger(visitor, unreadable);
                            Sql.forEach(
                                    connection,
                                    "select sender, recipient, origin, rules from whitelist_entry"
                                            + " where list = ?"
                                            + " order by list, sender, recipient, origin",
                                    found -> merger.add(EntryRow.read(found)),
                                    row.id);
                            merger.end();
                            return now;
                        });
        database.run(
                what("read the entries"),
                () -> {
                    engine.endReading();
                    return true;
                });
        return position;
    }

    /** A merger of consecutive rows of several origins with the same key into one entry. */
    private static final class EntryMerger {
        private final Consumer<Entry> visitor;
        private final Unreadable unreadable;
        private final List<Rule> rules = new ArrayList<>();
        private @Nullable PairKey key;

        EntryMerger(Consumer<Entry> visitor, Unreadable unreadable) {
            this.visitor = visitor;
            this.unreadable = unreadable;
        }

        void add(EntryRow row) throws IOException {
            if (key == null || !key.isSameAs(row.key())) {
                end();
                key = row.key();
            }
            try {
                rules.addAll(row.rules());
            } catch (IOException e) {
                unreadable.take(String.valueOf(e.getMessage()));
            }
        }

        /** Passes the last entry to the visitor. */
        void end() throws IOException {
            Entry entry = null;
            try {
                entry =
                        key == null || rules.isEmpty()
                                ? null
                                : new Entry(key.senderKey(), key.recipientKey(), rules);
            } catch (IOException e) {
                unreadable.take(String.valueOf(e.getMessage()));
            }
            rules.clear();
            if (entry != null) {
                visitor.accept(entry);
            }
        }
    }

    /** Returns entries of rows that are in order. */
    private static List<Entry> entries(List<EntryRow> rows) throws IOException {
        List<Entry> entries = new ArrayList<>();
        EntryMerger merger =
                new EntryMerger(
                        entries::add,
                        why -> {
                            throw new IOException(why);
                        });
        for (EntryRow row : rows) {
            merger.add(row);
        }
        merger.end();
        return entries;
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
        return read(
                "find " + PairKey.of(first.sender(), first.to()) + others,
                (connection, row) -> {
                    List<Found> found = new ArrayList<>();
                    for (Pair pair : pairs) {
                        found.add(find(connection, row.id, pair));
                    }
                    return found;
                });
    }

    private Found find(Connection connection, int id, Pair pair) throws SQLException, IOException {
        PairKey key = PairKey.of(pair.sender(), pair.to());
        List<EntryRow> rows = rowsOf(connection, id, key);
        Set<RecipientKind> kinds = pair.to() == null ? kinds(connection, id, key) : Set.of();
        try {
            List<Rule> rules = new ArrayList<>();
            for (EntryRow row : rows) {
                rules.addAll(row.rules());
            }
            return new Found(
                    rules.isEmpty() && kinds.isEmpty()
                            ? null
                            : new Entry(pair.sender(), pair.to(), rules, kinds),
                    null);
        } catch (IOException e) {
            return new Found(null, new IOException(what(String.valueOf(e.getMessage())), e));
        }
    }

    /** Returns the kinds of recipients that a sender has entries for. */
    private static Set<RecipientKind> kinds(Connection connection, int id, PairKey key)
            throws SQLException, IOException {
        List<Object> values = new ArrayList<>();
        for (RecipientKind kind : RecipientKind.values()) {
            values.addAll(
                    List.of(
                            id,
                            key.sender(),
                            new byte[] {kind.code()},
                            new byte[] {(byte) (kind.code() + 1)}));
        }
        Set<RecipientKind> kinds = EnumSet.noneOf(RecipientKind.class);
        Sql.forEach(
                connection,
                KINDS,
                row -> {
                    int column = 1;
                    for (RecipientKind kind : RecipientKind.values()) {
                        if (row.getBoolean(column++)) {
                            kinds.add(kind);
                        }
                    }
                },
                values.toArray());
        return kinds;
    }

    @Override
    public List<Entry> entriesFor(Key to, int max) throws IOException {
        return read(
                "find what is for " + to,
                (connection, row) -> {
                    List<EntryRow> rows =
                            Sql.query(
                                    connection,
                                    "select sender, recipient, origin, rules"
                                            + OF_RECIPIENT
                                            + " order by sender, origin limit ?",
                                    EntryRow::read,
                                    row.id,
                                    PairKey.of(to, to).recipient(),
                                    (long) max * Origin.values().length);
                    List<Entry> entries = entries(rows);
                    return List.copyOf(entries.subList(0, Math.min(max, entries.size())));
                });
    }

    @Override
    public Share share(Key to, Origin origin, Instant day) throws IOException {
        String date = LocalDate.ofInstant(day, ZoneOffset.UTC).toString();
        return read(
                "count what is for " + to,
                (connection, row) ->
                        Objects.requireNonNull(
                                Sql.first(
                                        connection,
                                        "select count(case when origin = ? then 1 end), count(case"
                                                + " when origin <> ? and (rules like ? or rules"
                                                + " like ?) then 1 end)"
                                                + OF_RECIPIENT,
                                        found -> new Share(found.getLong(1), found.getLong(2)),
                                        origin.code(),
                                        Origin.ADMIN.code(),
                                        "% from=" + date + "%",
                                        "% note=" + ADDED + date + "%",
                                        row.id,
                                        PairKey.of(to, to).recipient())));
    }

    @Override
    public List<Key> firstToEnd(Key to, Origin origin, int max) throws IOException {
        return read(
                "find what ends first for " + to,
                (connection, row) ->
                        Sql.query(
                                connection,
                                "select sender, recipient"
                                        + OF_RECIPIENT
                                        + " and origin = ? order by ends nulls last, sender limit"
                                        + " ?",
                                found -> PairKey.read(found).senderKey(),
                                row.id,
                                PairKey.of(to, to).recipient(),
                                origin.code(),
                                max));
    }

    @Override
    public @Nullable Key nextRecipient(@Nullable Key after) throws IOException {
        byte[] last = after == null ? NO_KEY : PairKey.of(after, after).recipient();
        return read(
                "find for whom entries are",
                (connection, row) -> {
                    PairKey next =
                            Sql.first(
                                    connection,
                                    "select sender, recipient from whitelist_entry where list = ?"
                                            + " and recipient > ? and length(recipient) > 0"
                                            + " order by recipient limit 1",
                                    PairKey::read,
                                    row.id,
                                    last);
                    return next == null ? null : next.recipientKey();
                });
    }

    @Override
    public Page page(@Nullable Entry after, int max) throws IOException {
        // The last entry may be cut off, so one with a row of each origin must fit.
        int limit = max + Origin.values().length - 1;
        PairKey last = after == null ? null : PairKey.of(after.key(), after.to());
        return read(
                "read some entries",
                (connection, row) -> {
                    List<EntryRow> rows =
                            Sql.query(
                                    connection,
                                    "select sender, recipient, origin, rules from whitelist_entry"
                                            + " where list = ?"
                                            // Not with the list among them: SQLite would begin at
                                            // its first entry.
                                            + " and (sender, recipient, origin) > (?, ?, ?)"
                                            + " order by list, sender, recipient, origin limit "
                                            + limit,
                                    EntryRow::read,
                                    row.id,
                                    last == null ? NO_KEY : last.sender(),
                                    last == null ? NO_KEY : last.recipient(),
                                    last == null ? -1 : Byte.MAX_VALUE);
                    List<Entry> entries = entries(rows);
                    boolean cut = rows.size() == limit;
                    int whole = cut && entries.size() > 1 ? entries.size() - 1 : entries.size();
                    int returned = Math.min(max, whole);
                    return new Page(entries.subList(0, returned), cut || returned < whole);
                });
    }

    @Override
    public long count() throws IOException {
        return read(
                "count",
                (connection, row) ->
                        Objects.requireNonNull(
                                Sql.first(
                                        connection,
                                        "select count(*) from whitelist_entry where list = ?",
                                        found -> found.getLong(1),
                                        row.id)));
    }

    @Override
    public List<PastChange> history(Key sender, int max) throws IOException {
        return read(
                "read the history of " + sender,
                (connection, row) ->
                        Sql.query(
                                connection,
                                "select sender, recipient, at, who, origin, rules from"
                                        + " whitelist_history where list = ? and sender = ?"
                                        + " order by number desc limit ?",
                                JdbcRecord::pastChange,
                                row.id,
                                PairKey.of(sender, null).sender(),
                                max));
    }

    private static PastChange pastChange(ResultSet row) throws SQLException, IOException {
        PairKey key = PairKey.read(row);
        int origin = row.getInt("origin");
        String rules = row.getString("rules");
        return new PastChange(
                Instant.ofEpochMilli(row.getLong("at")),
                row.getString("who"),
                EntryRow.originOf(origin),
                key.toString(),
                rules == null ? List.of() : new EntryRow(key, origin, rules).lines());
    }

    @Override
    public long forgetHistory(Key to) throws IOException {
        return removeHistory(
                "forget the history of " + to,
                "recipient = ? and length(recipient) > 0",
                PairKey.of(to, to).recipient());
    }

    private long removeHistory(String doing, String condition, Object value) throws IOException {
        long removed = 0;
        int part;
        do {
            part =
                    locked(
                            doing,
                            (connection, row) ->
                                    Sql.update(
                                            connection,
                                            "delete from whitelist_history where number in (select"
                                                    + " number from whitelist_history where list ="
                                                    + " ? and "
                                                    + condition
                                                    + " limit "
                                                    + PART
                                                    + ")",
                                            row.id,
                                            value));
            removed += part;
        } while (part == PART);
        return removed;
    }

    /** Writes and removes rows of no list, so that the disk needs more room than for a change. */
    @Override
    public void requireWritable() throws IOException {
        byte[] key = {0};
        locked(
                "try whether it can be changed",
                (connection, row) -> {
                    Sql.update(
                            connection,
                            "insert into whitelist_entry(list, sender, recipient, origin, rules)"
                                    + " values (0, ?, ?, 0, ?)",
                            key,
                            key,
                            "x".repeat(ROOM));
                    note(connection, 0, PairKey.NONE, 0, "", null);
                    log(connection, 0, 0, Schema.BLANK, null, 0);
                    Sql.update(connection, "delete from whitelist_log where list = 0");
                    Sql.update(connection, "delete from whitelist_history where list = 0");
                    return Sql.update(connection, "delete from whitelist_entry where list = 0");
                });
    }

    @Override
    public void sweep() throws IOException {
        String doing = "remove what is past";
        long now =
                database.<Long>read(
                        what(doing),
                        connection ->
                                Sql.query(
                                                connection,
                                                "select " + engine.clock(),
                                                row -> row.getLong(1))
                                        .getFirst());
        long before = now - KEPT.toMillis();
        while (sweepEntries(doing, before) == PART) {
            // The next part.
        }
        while (locked(doing, (connection, row) -> sweepLog(connection, row, before)) == PART) {
            // The next part.
        }
        removeHistory(doing, "at < ?", before);
    }

    private int sweepEntries(String doing, long before) throws IOException {
        List<Edit> edits = new ArrayList<>();
        int ended =
                this.<Integer>read(
                        doing,
                        (connection, row) -> {
                            int found = 0;
                            for (EntryRow each : ended(connection, row, before)) {
                                found++;
                                Target target = target(each.key(), each.origin());
                                if (target != null) {
                                    edits.add(removal(target, before));
                                }
                            }
                            return found;
                        });
        if (!edits.isEmpty()) {
            write(edits, "sweep", false);
        }
        return edits.isEmpty() ? 0 : ended;
    }

    private static List<EntryRow> ended(Connection connection, Row row, long before)
            throws SQLException, IOException {
        return Sql.query(
                connection,
                "select sender, recipient, origin, rules from whitelist_entry where list = ? and"
                        + " ends is not null and ends < ? order by ends limit "
                        + PART,
                EntryRow::read,
                row.id,
                before);
    }

    /** Returns the edit that removes an entry, unless somebody renews it meanwhile. */
    private static Edit removal(Target target, long before) {
        return new Edit(target, rules -> hasEnded(rules, before) ? List.of() : rules);
    }

    private static boolean hasEnded(List<Rule> rules, long before) {
        Long ends = EntryRow.ends(rules);
        return ends != null && ends < before;
    }

    /**
     * Removes the first rows of the log: those beyond the last ones, and those that are old. The
     * very last row stays, without its key once it is old. Positions before a row that is gone, or
     * has no key, do not continue.
     */
    private static int sweepLog(Connection connection, Row row, long before)
            throws SQLException, IOException {
        Long young =
                Sql.first(
                        connection,
                        "select seq from whitelist_log where list = ? and at >= ? order by seq"
                                + " limit 1",
                        found -> found.getLong(1),
                        row.id,
                        before);
        long first = Math.max(young == null ? row.seq : young, row.seq - MAX_ROWS);
        long keptFrom = young == null ? row.seq : first - 1;
        if (young == null) {
            Sql.update(
                    connection,
                    "update whitelist_log set kind = ?, sender = ?, recipient = ? where list = ?"
                            + " and seq = ? and kind = ?",
                    Schema.BLANK,
                    NO_KEY,
                    NO_KEY,
                    row.id,
                    row.seq,
                    Schema.CHANGE);
        }
        if (keptFrom > row.keptFrom) {
            Sql.update(
                    connection,
                    "update whitelist_list set kept_from = ? where id = ?",
                    keptFrom,
                    row.id);
        }
        return Sql.update(
                connection,
                "delete from whitelist_log where list = ? and seq in (select seq from whitelist_log"
                        + " where list = ? and seq < ? order by seq limit "
                        + PART
                        + ")",
                row.id,
                row.id,
                first);
    }
}
