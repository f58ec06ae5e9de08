package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.living.ListRecord;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

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

    private static final String ENTRIES =
            "select sender, recipient, rules from whitelist_entry where list = ? ";

    private static final String PUT =
            """
            insert into whitelist_entry(list, sender, recipient, rules, ends)
            values (?, ?, ?, ?, ?) on conflict (list, sender, recipient)
            do update set rules = excluded.rules, ends = excluded.ends
            """;

    private final Database database;
    private final String list;

    JdbcRecord(Database database, String list) {
        this.database = database;
        this.list = list;
    }

    /** The row of the list. */
    private record Row(int id, String epoch, long seq, long keptFrom) {}

    /** Work on the list. */
    @FunctionalInterface
    private interface Work<T extends @Nullable Object> {
        T on(Session session, Row row) throws SQLException, IOException;
    }

    private <T extends @Nullable Object> T read(String doing, Work<T> work) throws IOException {
        String sql = "select id, epoch, seq, kept_from from whitelist_list where name = ?";
        return database.read(what(doing), session -> work.on(session, row(session, sql)));
    }

    /** Locks the list, and runs work in the same transaction. */
    private <T extends @Nullable Object> T locked(String doing, Work<T> work) throws IOException {
        String sql =
                "update whitelist_list set seq = seq where name = ?"
                        + " returning id, epoch, seq, kept_from";
        return database.write(what(doing), session -> work.on(session, row(session, sql)));
    }

    private Row row(Session session, String sql) throws SQLException, IOException {
        Row row =
                session.first(
                        sql,
                        found ->
                                new Row(
                                        found.getInt(1),
                                        found.getString(2),
                                        found.getLong(3),
                                        found.getLong(4)),
                        list);
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
                session ->
                        session.update(
                                """
                                insert into whitelist_list(name, epoch, seq, kept_from)
                                values (?, ?, 0, 0) on conflict do nothing
                                """,
                                list,
                                UUID.randomUUID().toString()));
    }

    @Override
    public Written write(List<Edit> edits, String who, boolean always, @Nullable Position after)
            throws IOException {
        return locked(
                "change " + some(edits),
                (session, row) -> {
                    long seq = row.seq;
                    List<Effect> effects = new ArrayList<>();
                    for (Edit edit : edits) {
                        Target target = edit.target();
                        PairKey key = PairKey.of(target.sender(), target.to());
                        Effect effect = make(session, row.id, key, edit, who);
                        effects.add(effect);
                        if (effect != Effect.NONE || always) {
                            log(session, row.id, ++seq, Schema.CHANGE, key);
                        }
                    }
                    Row now = end(session, row, seq);
                    return new Written(effects, after == null ? null : log(session, now, after));
                });
    }

    private static String some(List<Edit> edits) {
        Target first = edits.getFirst().target();
        String key = PairKey.of(first.sender(), first.to()).toString();
        return edits.size() == 1 ? key : key + " and " + (edits.size() - 1) + " more";
    }

    private static Effect make(Session session, int id, PairKey key, Edit edit, String who)
            throws SQLException, IOException {
        Target target = edit.target();
        EntryRow there = row(session, id, key);
        Entry all = whole(target, there);
        List<Rule> before = all.rulesOf(target.origin());
        List<Rule> rules = edit.change().apply(before);
        if (rules.stream().anyMatch(rule -> rule.origin() != target.origin())) {
            throw new IllegalArgumentException("rules of another origin: " + rules);
        }
        EntryRow own = rules.isEmpty() ? null : EntryRow.of(target.sender(), target.to(), rules);
        EntryRow now = all.rules().size() == before.size() ? own : replaced(all, target, rules);
        String text = now == null ? null : now.text();
        if (Objects.equals(text, there == null ? null : there.text())) {
            return Effect.NONE;
        }
        byte[] sender = key.sender();
        byte[] recipient = key.recipient();
        if (now == null) {
            session.update(
                    "delete from whitelist_entry where list = ? and sender = ? and recipient = ?",
                    id,
                    sender,
                    recipient);
        } else {
            requireRoom(key, now.readable());
            session.update(PUT, id, sender, recipient, text, now.ends());
        }
        session.update(
                """
                insert into whitelist_history(list, sender, recipient, origin, at, who, rules)
                values (?, ?, ?, ?, ?, ?, ?)
                """,
                id,
                sender,
                recipient,
                target.origin().code(),
                System.currentTimeMillis(),
                who,
                own == null ? null : own.text());
        return own == null ? Effect.REMOVED : before.isEmpty() ? Effect.CREATED : Effect.REPLACED;
    }

    /** Returns the entry that a row has, with the rules of all origins; none if it has none. */
    private static Entry whole(Target target, @Nullable EntryRow there) {
        List<Rule> rules = there == null ? List.of() : there.readable();
        return new Entry(target.sender(), target.to(), rules);
    }

    /** Returns the row in which an origin's rules replace those there; null if none are left. */
    private static @Nullable EntryRow replaced(Entry all, Target target, List<Rule> rules) {
        List<Rule> now =
                Stream.concat(
                                all.rules().stream()
                                        .filter(rule -> rule.origin() != target.origin()),
                                rules.stream())
                        .toList();
        return now.isEmpty() ? null : EntryRow.of(target.sender(), target.to(), now);
    }

    private static @Nullable EntryRow row(Session session, int id, PairKey key)
            throws SQLException, IOException {
        return session.first(
                ENTRIES + "and sender = ? and recipient = ?",
                row -> new EntryRow(key, row.getString("rules"), null),
                id,
                key.sender(),
                key.recipient());
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

    private void log(Session session, int id, long seq, int kind, PairKey key) throws SQLException {
        session.update(
                """
                insert into whitelist_log(list, seq, token, kind, sender, recipient, at)
                values (?, ?, ?, ?, ?, ?, {clock})
                """
                        .replace("{clock}", database.clock()),
                id,
                seq,
                TOKENS.nextLong(),
                kind,
                key.sender(),
                key.recipient());
    }

    /** Remembers the number of the last row. */
    private static Row end(Session session, Row row, long seq) throws SQLException {
        if (seq != row.seq) {
            session.update("update whitelist_list set seq = ? where id = ?", seq, row.id);
        }
        return new Row(row.id, row.epoch, seq, row.keptFrom);
    }

    @Override
    public Loaded load(List<Entry> entries, boolean replaceDenials) throws IOException {
        List<EntryRow> rows = new ArrayList<>();
        for (Entry entry : entries) {
            EntryRow row = EntryRow.of(entry.key(), entry.to(), entry.rules());
            requireRoom(row.key(), entry.rules());
            rows.add(row);
        }
        return locked(
                "import " + rows.size() + " entries",
                (session, row) -> {
                    SortedMap<Integer, String> there = new TreeMap<>();
                    long added = database.load(session, row.id, rows, there);
                    Map<String, EntryRow> replaced = new LinkedHashMap<>();
                    List<Other> others = new ArrayList<>();
                    for (Map.Entry<Integer, String> each : there.entrySet()) {
                        Entry entry = entries.get(each.getKey());
                        PairKey key = rows.get(each.getKey()).key();
                        EntryRow before =
                                replaced.getOrDefault(
                                        key.toString(), new EntryRow(key, each.getValue(), null));
                        EntryRow now = loaded(before, entry, replaceDenials, others);
                        if (!now.text().equals(before.text())) {
                            replaced.put(key.toString(), now);
                            added++;
                        }
                    }
                    List<@Nullable Object[]> values = new ArrayList<>();
                    for (EntryRow each : replaced.values()) {
                        PairKey key = each.key();
                        values.add(
                                new @Nullable Object[] {
                                    row.id, key.sender(), key.recipient(), each.text(), each.ends()
                                });
                    }
                    session.updateAll(PUT, values);
                    logBulk(session, row, Schema.BULK);
                    return new Loaded(added, others);
                });
    }

    /** Returns the row in place of one that is there. */
    private static EntryRow loaded(
            EntryRow there, Entry entry, boolean replaceDenials, List<Other> others) {
        Target target = Target.of(entry);
        Entry all = whole(target, there);
        Entry before = new Entry(entry.key(), entry.to(), all.rulesOf(target.origin()));
        EntryRow now = Objects.requireNonNull(replaced(all, target, entry.rules()));
        if (!before.rules().isEmpty() && !now.text().equals(there.text())) {
            others.add(new Other(before, entry));
        }
        return before.denied() && !entry.denied() && !replaceDenials ? there : now;
    }

    @Override
    public void endLoad() throws IOException {
        locked("end the import", (session, row) -> logBulk(session, row, Schema.END));
    }

    private Row logBulk(Session session, Row row, int kind) throws SQLException {
        log(session, row.id, row.seq + 1, kind, PairKey.NONE);
        return end(session, row, row.seq + 1);
    }

    @Override
    public LogRows log(Position after) throws IOException {
        return read("read the log", (session, row) -> log(session, row, after));
    }

    private static LogRows log(Session session, Row row, Position after)
            throws SQLException, IOException {
        boolean continues =
                after.epoch().equals(row.epoch)
                        && after.seq() >= row.keptFrom
                        && after.seq() <= row.seq
                        && row.seq - after.seq() <= MAX_ROWS
                        && token(session, row, after.seq()) == after.token();
        if (!continues || after.seq() == row.seq) {
            Position to = continues ? after : position(session, row);
            return new LogRows(continues, to, List.of(), false, false);
        }
        Map<String, EntryRow> changes = new HashMap<>();
        int[] lastBulk = {Schema.BLANK};
        long[] token = {0};
        session.forEach(
                """
                select l.kind, l.token, l.sender, l.recipient, e.rules
                from whitelist_log l left join whitelist_entry e on e.list = l.list
                and e.sender = l.sender and e.recipient = l.recipient
                where l.list = ? and l.seq > ? order by l.seq
                """,
                found -> {
                    int kind = found.getInt("kind");
                    token[0] = found.getLong("token");
                    if (kind == Schema.CHANGE) {
                        EntryRow entry = EntryRow.read(found);
                        changes.put(entry.key().toString(), entry);
                    } else if (kind != Schema.BLANK) {
                        lastBulk[0] = kind;
                    }
                },
                row.id,
                after.seq());
        return new LogRows(
                true,
                new Position(row.epoch, row.seq, token[0]),
                changes.values().stream().map(JdbcRecord::change).filter(Objects::nonNull).toList(),
                lastBulk[0] != Schema.BLANK,
                lastBulk[0] == Schema.END);
    }

    /** Returns null if the key is none, so that nobody can ask for it. */
    private static @Nullable Change change(EntryRow row) {
        Entry none;
        try {
            none = new Entry(row.key().senderKey(), row.key().recipientKey(), List.of());
        } catch (IOException e) {
            return null;
        }
        try {
            return new Change(row.text() == null ? none : row.entry(), null);
        } catch (IOException e) {
            return new Change(none, String.valueOf(e.getMessage()));
        }
    }

    /** Returns the token of a row, and 0 if there is none. */
    private static long token(Session session, Row row, long seq) throws SQLException, IOException {
        Long token =
                session.first(
                        "select token from whitelist_log where list = ? and seq = ?",
                        found -> found.getLong(1),
                        row.id,
                        seq);
        return token == null ? 0 : token;
    }

    private static Position position(Session session, Row row) throws SQLException, IOException {
        return new Position(row.epoch, row.seq, token(session, row, row.seq));
    }

    @Override
    public Position forEach(Visitor<Entry> visitor, Visitor<String> unreadable) throws IOException {
        Position position =
                read(
                        "read the entries",
                        (session, row) -> {
                            Position now = position(session, row);
                            database.readInOrder(session);
                            session.forEach(
                                    ENTRIES + "order by list, sender, recipient",
                                    found -> visit(EntryRow.read(found), visitor, unreadable),
                                    row.id);
                            return now;
                        });
        database.endReading();
        return position;
    }

    private static void visit(EntryRow row, Visitor<Entry> visitor, Visitor<String> unreadable)
            throws IOException {
        Entry entry;
        try {
            entry = row.entry();
        } catch (IOException e) {
            unreadable.visit(String.valueOf(e.getMessage()));
            return;
        }
        visitor.visit(entry);
    }

    /** Returns the entries that a condition selects. */
    private List<Entry> entries(String doing, String condition, Object... values)
            throws IOException {
        return read(
                doing,
                (session, row) ->
                        session.query(
                                ENTRIES + condition,
                                found -> EntryRow.read(found).entry(),
                                Stream.concat(Stream.of(row.id), Stream.of(values)).toArray()));
    }

    @Override
    public List<Entry> findAll(List<Pair> pairs) throws IOException {
        return pairs.isEmpty()
                ? List.of()
                : read(
                        "find " + pairs.getFirst().sender(),
                        (session, row) -> {
                            List<Entry> found = new ArrayList<>();
                            for (Pair pair : pairs) {
                                found.add(find(session, row.id, pair));
                            }
                            return found;
                        });
    }

    private static Entry find(Session session, int id, Pair pair) throws SQLException, IOException {
        PairKey key = PairKey.of(pair.sender(), pair.to());
        EntryRow there = row(session, id, key);
        List<Rule> rules = there == null ? List.of() : there.entry().rules();
        Set<RecipientKind> kinds = EnumSet.noneOf(RecipientKind.class);
        for (RecipientKind kind : RecipientKind.values()) {
            byte[] from = {kind.code()};
            byte[] to = {(byte) (kind.code() + 1)};
            String sql =
                    """
                    select 1 from whitelist_entry
                    where list = ? and sender = ? and recipient >= ? and recipient < ? limit 1
                    """;
            if (pair.to() == null
                    && session.first(sql, row -> true, id, key.sender(), from, to) != null) {
                kinds.add(kind);
            }
        }
        return new Entry(pair.sender(), pair.to(), rules, kinds);
    }

    @Override
    public List<Entry> entriesFor(Key to, int max) throws IOException {
        return entries(
                "find what is for " + to,
                "and recipient = ? and length(recipient) > 0 order by sender limit ?",
                PairKey.recipient(to),
                max);
    }

    @Override
    public @Nullable Key nextRecipient(@Nullable Key after) throws IOException {
        byte[] last = after == null ? NO_KEY : PairKey.recipient(after);
        return read(
                "find for whom entries are",
                (session, row) -> {
                    PairKey next =
                            session.first(
                                    """
                                    select sender, recipient from whitelist_entry
                                    where list = ? and recipient > ? and length(recipient) > 0
                                    order by recipient limit 1
                                    """,
                                    PairKey::read,
                                    row.id,
                                    last);
                    return next == null ? null : next.recipientKey();
                });
    }

    @Override
    public List<Entry> page(@Nullable Entry after, int max) throws IOException {
        PairKey last = after == null ? PairKey.NONE : PairKey.of(after.key(), after.to());
        // Not with the list in the comparison: SQLite would begin at its first entry.
        return entries(
                "read some entries",
                "and (sender, recipient) > (?, ?) order by list, sender, recipient limit ?",
                last.sender(),
                last.recipient(),
                max);
    }

    @Override
    public long count() throws IOException {
        String sql = "select count(*) from whitelist_entry where list = ?";
        return read("count", (session, row) -> number(session, sql, row.id));
    }

    private static long number(Session session, String sql, Object... values)
            throws SQLException, IOException {
        return session.query(sql, row -> row.getLong(1), values).getFirst();
    }

    @Override
    public List<PastChange> history(@Nullable Key sender, int max) throws IOException {
        String sql =
                """
                select sender, recipient, origin, rules, at, who
                from whitelist_history where list = ? {sender}
                order by number desc limit ?
                """;
        if (sender == null) {
            String all = sql.replace("{sender}", "");
            return read(
                    "read the history",
                    (session, row) -> session.query(all, JdbcRecord::pastChange, row.id, max));
        }
        String one = sql.replace("{sender}", "and sender = ?");
        byte[] key = PairKey.of(sender, null).sender();
        return read(
                "read the history of " + sender,
                (session, row) -> session.query(one, JdbcRecord::pastChange, row.id, key, max));
    }

    private static PastChange pastChange(ResultSet row) throws SQLException, IOException {
        EntryRow entry = EntryRow.read(row);
        Origin origin = Origin.ofCode(row.getByte("origin"));
        return new PastChange(
                Instant.ofEpochMilli(row.getLong("at")),
                row.getString("who"),
                origin == null ? Origin.ADMIN : origin,
                entry.key().toString(),
                entry.text() == null ? List.of() : entry.entry().lines());
    }

    @Override
    public long forgetHistory(Key to) throws IOException {
        return removeHistory(
                "forget the history of " + to,
                "recipient = ? and length(recipient) > 0",
                PairKey.recipient(to));
    }

    private long removeHistory(String doing, String condition, Object value) throws IOException {
        String sql =
                """
                delete from whitelist_history where number in
                (select number from whitelist_history where list = ? and {condition} limit ?)
                """
                        .replace("{condition}", condition);
        long removed = 0;
        int part = PART;
        while (part == PART) {
            part = locked(doing, (session, row) -> session.update(sql, row.id, value, PART));
            removed += part;
        }
        return removed;
    }

    /** Writes and removes a long entry of no list: the disk needs more room than for a change. */
    @Override
    public void requireWritable() throws IOException {
        locked(
                "try whether it can be changed",
                (session, row) -> {
                    session.update(
                            """
                            insert into whitelist_entry(list, sender, recipient, rules)
                            values (0, ?, ?, ?)
                            """,
                            NO_KEY,
                            NO_KEY,
                            "x".repeat(ROOM));
                    return session.update("delete from whitelist_entry where list = 0");
                });
    }

    @Override
    public void sweep() throws IOException {
        String doing = "remove what is past";
        String clock = "select " + database.clock();
        long before = read(doing, (session, row) -> number(session, clock)) - KEPT.toMillis();
        int swept = PART;
        while (swept == PART) {
            swept = sweepEntries(doing, Instant.ofEpochMilli(before));
        }
        swept = PART;
        while (swept == PART) {
            swept = locked(doing, (session, row) -> sweepLog(session, row, before));
        }
        removeHistory(doing, "at < ?", before);
    }

    private int sweepEntries(String doing, Instant before) throws IOException {
        String sql = ENTRIES + "and ends is not null and ends < ? order by ends limit ?";
        List<EntryRow> ended =
                read(
                        doing,
                        (session, row) ->
                                session.query(
                                        sql, EntryRow::read, row.id, before.toEpochMilli(), PART));
        List<Edit> edits = new ArrayList<>();
        for (EntryRow each : ended) {
            Entry entry;
            try {
                entry = each.entry();
            } catch (IOException e) {
                continue; // It is reported by whoever reads the list.
            }
            for (Origin origin : Origin.values()) {
                if (ListRecord.end(entry.rulesOf(origin)).isBefore(before)) {
                    edits.add(removal(entry, origin, before));
                }
            }
        }
        // If none is, their ends in the table are not those of their rules: not again.
        boolean isAnyRemoved = !edits.isEmpty() && write(edits, "sweep").contains(Effect.REMOVED);
        return isAnyRemoved ? ended.size() : 0;
    }

    /** Returns the edit that removes what has ended, unless somebody renews it meanwhile. */
    private static Edit removal(Entry entry, Origin origin, Instant before) {
        return new Edit(
                new Target(origin, entry.key(), entry.to()),
                rules -> ListRecord.end(rules).isBefore(before) ? List.of() : rules);
    }

    /**
     * Removes the first rows of the log: those beyond the last ones, and those that are old. The
     * very last row stays, without its key once it is old. Positions before a row that is gone, or
     * has no key, do not continue.
     */
    private static int sweepLog(Session session, Row row, long before)
            throws SQLException, IOException {
        Long young =
                session.first(
                        "select seq from whitelist_log where list = ? and at >= ? order by seq"
                                + " limit 1",
                        found -> found.getLong(1),
                        row.id,
                        before);
        long first = Math.max(young == null ? row.seq : young, row.seq - MAX_ROWS);
        long keptFrom = young == null ? row.seq : first - 1;
        if (young == null) {
            session.update(
                    """
                    update whitelist_log set kind = ?, sender = ?, recipient = ?
                    where list = ? and seq = ? and kind = ?
                    """,
                    Schema.BLANK,
                    NO_KEY,
                    NO_KEY,
                    row.id,
                    row.seq,
                    Schema.CHANGE);
        }
        session.update(
                "update whitelist_list set kept_from = ? where id = ? and kept_from < ?",
                keptFrom,
                row.id,
                keptFrom);
        return session.update(
                """
                delete from whitelist_log where list = ? and seq in
                (select seq from whitelist_log where list = ? and seq < ? order by seq limit ?)
                """,
                row.id,
                row.id,
                first,
                PART);
    }
}
