package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.DomainSearch;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Session.Update;
import io.github.senderwhitelist.living.ListRecord;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The record of one list over JDBC.
 *
 * <p>Writers of a list queue at its row, which each of them updates first. The database releases
 * that lock when the transaction is visible, so whoever draws a later number comes after it, and
 * the numbers of the log are in commit order without gaps.
 */
record JdbcRecord(Database database, String list) implements ListRecord {
    /** So long that a clock which was wrong for some days removes nothing that holds. */
    private static final Duration KEPT = Duration.ofDays(90);

    /** How many rows are removed in one transaction at most. */
    private static final int PART = 500;

    /** More bytes than the pages of a change of one entry have. */
    private static final int ROOM = 1 << 16;

    /** How many entries are searched at once, in some tenths of a second. */
    private static final int SEARCHED = 1_000_000;

    /** More bytes than an entry takes in the database, mostly. */
    private static final int ENTRY_BYTES = 256;

    /** The columns of the key in rows of the log that name none. */
    private static final byte[] NO_KEY = {};

    private static final SecureRandom TOKENS = new SecureRandom();

    /** The entries of a list. What else is asked for follows. */
    static final String ENTRIES =
            "select sender, recipient, rules from whitelist_entry where list = ? ";

    /** Puts an entry in the place of what is there. */
    private static final String PUT =
            "insert into whitelist_entry(list, sender, recipient, rules, ends)"
                    + " values (?, ?, ?, ?, ?) on conflict (list, sender, recipient)"
                    + " do update set rules = excluded.rules, ends = excluded.ends";

    private static final String REMOVE =
            "delete from whitelist_entry where list = ? and sender = ? and recipient = ?";

    private static final String HISTORY =
            "insert into whitelist_history(list, sender, recipient, origin, at, who, rules)"
                    + " values (?, ?, ?, ?, ?, ?, ?)";

    /** With both ends, an engine takes the rows to be few before it knows the numbers. */
    private static final String LOG =
            """
            select seq, kind, token, sender, recipient,
              (select rules from whitelist_entry e where e.list = l.list
              and e.sender = l.sender and e.recipient = l.recipient) as rules
            from whitelist_log l where list = ? and seq between ? and ? order by seq
            """;

    /** The row of the list. */
    record Row(int id, String epoch, long seq, long keptFrom) {}

    /** Work on the list, in a transaction. */
    @FunctionalInterface
    interface Work<T extends @Nullable Object> {
        T on(Session session, Row row) throws SQLException, IOException;
    }

    /** Runs work that only reads, which waits for nobody who writes. */
    <T extends @Nullable Object> T read(String doing, Work<T> work) throws IOException {
        String sql = "select id, epoch, seq, kept_from from whitelist_list where name = ?";
        return database.read(what(doing), session -> work.on(session, row(session, sql)));
    }

    /**
     * Locks the list, and runs work in the same transaction. The update changes nothing, but it
     * waits for whoever has updated the row before, until that is committed and visible.
     */
    <T extends @Nullable Object> T locked(String doing, Work<T> work) throws IOException {
        String sql =
                "update whitelist_list set seq = seq where name = ?"
                        + " returning id, epoch, seq, kept_from";
        return database.write(what(doing), session -> work.on(session, row(session, sql)));
    }

    private Row row(Session session, String sql) throws SQLException, IOException {
        Row row =
                session.first(
                        sql,
                        of -> new Row(of.getInt(1), of.getString(2), of.getLong(3), of.getLong(4)),
                        list);
        if (row == null) {
            throw new IOException("the database has no such list");
        }
        return row;
    }

    /** Says what was being done, for the message when it fails. */
    private String what(String doing) {
        return "list '" + list + "': " + doing;
    }

    @Override
    public void create() throws IOException {
        String sql =
                "insert into whitelist_list(name, epoch, seq, kept_from) values (?, ?, 0, 0)"
                        + " on conflict do nothing";
        String epoch = UUID.randomUUID().toString();
        database.write(what("make the list"), session -> session.update(sql, list, epoch));
    }

    @Override
    public Written write(List<Edit> edits, String who, boolean always, @Nullable Position after)
            throws IOException {
        String more = edits.size() == 1 ? "" : " and " + (edits.size() - 1) + " more";
        return locked(
                "change " + edits.getFirst().target().pair() + more,
                (session, row) -> write(session, row, edits, who, always, after));
    }

    private Written write(
            Session session,
            Row row,
            List<Edit> edits,
            String who,
            boolean always,
            @Nullable Position after)
            throws SQLException, IOException {
        List<Pair> pairs = edits.stream().map(edit -> edit.target().pair()).toList();
        Map<Pair, EntryRow> there = there(session, row, pairs);
        List<Effect> effects = new ArrayList<>();
        List<Update> updates = new ArrayList<>();
        long seq = row.seq;
        for (Edit edit : edits) {
            Effect effect = make(row.id, there, edit, who, updates);
            effects.add(effect);
            if (effect != Effect.NONE || always) {
                seq++;
                updates.add(log(row, seq, Schema.CHANGE, edit.target().pair()));
            }
        }
        Row now = update(session, row, updates, seq);
        return new Written(effects, after == null ? null : log(session, now, after));
    }

    /** Returns the rows of some pairs; those that are missing have no rules. */
    private Map<Pair, EntryRow> there(Session session, Row row, List<Pair> pairs)
            throws SQLException, IOException {
        Map<Pair, EntryRow> there = new LinkedHashMap<>();
        pairs.forEach(pair -> there.put(pair, EntryRow.none(pair)));
        database.there(session, row.id, there.keySet()).forEach(it -> there.put(it.pair(), it));
        return there;
    }

    /** Adds what makes one edit, with its row of the history, and without that of the log. */
    private static Effect make(
            int id, Map<Pair, EntryRow> there, Edit edit, String who, List<Update> updates) {
        Target target = edit.target();
        Pair pair = target.pair();
        EntryRow old = Objects.requireNonNull(there.get(pair));
        List<Rule> before = old.rulesOf(target.origin());
        List<Rule> rules = edit.change().apply(before);
        EntryRow now = old.with(target.origin(), rules);
        if (Arrays.equals(now.rules(), old.rules())) {
            return Effect.NONE;
        }
        there.put(pair, now);
        byte[] sender = pair.sender().bytes();
        byte[] recipient = EntryRow.column(pair.to());
        updates.add(
                now.rules() == null
                        ? new Update(REMOVE, id, sender, recipient)
                        : new Update(PUT, now.values(id)));
        if (rules.isEmpty()) {
            updates.add(UsageTable.removal(id, new UsedLine(pair, target.origin())));
        }
        updates.add(
                new Update(
                        HISTORY,
                        id,
                        sender,
                        recipient,
                        target.origin().code(),
                        System.currentTimeMillis(),
                        who,
                        EntryRow.of(pair, rules).rules()));
        return rules.isEmpty()
                ? Effect.REMOVED
                : before.isEmpty() ? Effect.CREATED : Effect.REPLACED;
    }

    /** Returns what writes a row of the log, which names no key if it has no pair. */
    private Update log(Row row, long seq, int kind, @Nullable Pair pair) {
        return new Update(
                "insert into whitelist_log(list, seq, token, kind, sender, recipient, at)"
                        + " values (?, ?, ?, ?, ?, ?, %s)".formatted(database.clock()),
                row.id,
                seq,
                TOKENS.nextLong(),
                kind,
                pair == null ? NO_KEY : pair.sender().bytes(),
                EntryRow.column(pair == null ? null : pair.to()));
    }

    /** Updates rows, and the last number of the log; returns the list's row with that. */
    private Row update(Session session, Row row, List<Update> updates, long seq)
            throws SQLException {
        if (seq != row.seq) {
            updates.add(new Update("update whitelist_list set seq = ? where id = ?", seq, row.id));
        }
        database.update(session, updates);
        return new Row(row.id, row.epoch, seq, row.keptFrom);
    }

    /** Writes a row of a bulk. */
    private Row logBulk(Session session, Row row, int kind) throws SQLException {
        long seq = row.seq + 1;
        return update(session, row, new ArrayList<>(List.of(log(row, seq, kind, null))), seq);
    }

    @Override
    public Loaded load(List<Entry> entries, boolean replaceDenials) throws IOException {
        return locked(
                "import " + entries.size() + " entries",
                (session, row) -> load(session, row, entries, replaceDenials));
    }

    private Loaded load(Session session, Row row, List<Entry> entries, boolean replaceDenials)
            throws SQLException, IOException {
        database.prepareBulk(session);
        List<Pair> pairs = entries.stream().map(Entry::pair).toList();
        Map<Pair, EntryRow> there = there(session, row, pairs);
        Map<Pair, EntryRow> changed = new LinkedHashMap<>();
        List<Other> others = new ArrayList<>();
        int changes = 0;
        for (Entry entry : entries) {
            Pair pair = entry.pair();
            EntryRow old = Objects.requireNonNull(there.get(pair));
            Origin origin = Target.of(entry).origin();
            EntryRow now = old.with(origin, entry.rules());
            if (!Arrays.equals(now.rules(), old.rules())) {
                Entry before = new Entry(entry.key(), entry.to(), old.rulesOf(origin));
                if (!before.rules().isEmpty()) {
                    others.add(new Other(before, entry));
                }
                if (replaceDenials || !before.denied() || entry.denied()) {
                    there.put(pair, now);
                    changed.put(pair, now);
                    changes++;
                }
            }
        }
        session.updateAll(PUT, changed.values().stream().map(e -> e.values(row.id)).toList());
        logBulk(session, row, Schema.BULK);
        return new Loaded(changes, others);
    }

    @Override
    public void endLoad() throws IOException {
        locked(
                "end the import",
                (session, row) -> {
                    database.completeBulk(session);
                    return logBulk(session, row, Schema.END);
                });
    }

    @Override
    public LogRows log(Position after) throws IOException {
        return read("read the log", (session, row) -> log(session, row, after));
    }

    /**
     * Reads the log after a position. An entry that was changed several times is taken once, since
     * all of its rows bring what it says now: the transaction sees one moment, or holds the lock.
     */
    private LogRows log(Session session, Row row, Position after) throws SQLException, IOException {
        if (!after.epoch().equals(row.epoch)
                || after.seq() < row.keptFrom
                || after.seq() > row.seq
                || row.seq - after.seq() > MAX_ROWS) {
            return broken(session, row);
        }
        Map<Pair, Entry> changes = new HashMap<>();
        int[] lastBulk = {Schema.BLANK};
        // Of the position's own row, which comes first if it is there; and of the last row.
        long[] tokens = {0, 0};
        session.forEach(
                database.beforeLog() + LOG,
                found -> {
                    int kind = found.getInt("kind");
                    tokens[1] = found.getLong("token");
                    if (found.getLong("seq") == after.seq()) {
                        tokens[0] = tokens[1];
                    } else if (kind == Schema.CHANGE) {
                        try {
                            EntryRow changed = EntryRow.read(found);
                            changes.put(changed.pair(), changed.readable());
                        } catch (IOException e) {
                            return; // Nobody can ask for what is no key.
                        }
                    } else if (kind != Schema.BLANK) {
                        lastBulk[0] = kind;
                    }
                },
                row.id,
                after.seq(),
                row.seq);
        if (tokens[0] != after.token()) {
            return broken(session, row);
        }
        return new LogRows(
                true,
                new Position(row.epoch, row.seq, tokens[1]),
                List.copyOf(changes.values()),
                lastBulk[0] != Schema.BLANK,
                lastBulk[0] == Schema.END);
    }

    private static LogRows broken(Session session, Row row) throws SQLException, IOException {
        return new LogRows(false, position(session, row), List.of(), false, false);
    }

    /** Returns the position of the last row of the log, if there is one. */
    private static Position position(Session session, Row row) throws SQLException, IOException {
        String sql = "select token from whitelist_log where list = ? and seq = ?";
        return new Position(row.epoch, row.seq, session.number(sql, row.id, row.seq));
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
                                    found -> visit(found, visitor, unreadable),
                                    row.id);
                            return now;
                        });
        database.endReading();
        return position;
    }

    /** Visits an entry; one that cannot be used keeps nobody from the others. */
    private static void visit(ResultSet found, Visitor<Entry> visitor, Visitor<String> unreadable)
            throws SQLException, IOException {
        Entry entry;
        try {
            entry = entry(found);
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
                (session, row) -> {
                    Object[] all = Stream.concat(Stream.of(row.id), Stream.of(values)).toArray();
                    return session.query(ENTRIES + condition, JdbcRecord::entry, all);
                });
    }

    private static Entry entry(ResultSet row) throws SQLException, IOException {
        return EntryRow.read(row).entry();
    }

    @Override
    public List<Entry> findAll(List<Pair> pairs) throws IOException {
        if (pairs.isEmpty()) {
            return List.of();
        }
        return read(
                "find " + pairs.getFirst().sender(),
                (session, row) -> {
                    Map<Pair, EntryRow> there = there(session, row, pairs);
                    List<Entry> found = new ArrayList<>();
                    for (Pair pair : pairs) {
                        Entry entry = Objects.requireNonNull(there.get(pair)).entry();
                        found.add(withKinds(session, row.id, entry));
                    }
                    return found;
                });
    }

    /** Returns an entry; if it is for all, with the kinds for which its sender has others. */
    private static Entry withKinds(Session session, int id, Entry entry)
            throws SQLException, IOException {
        if (entry.to() != null) {
            return entry;
        }
        // Not all at once: a sender may have entries for very many recipients.
        String sql =
                "select 1 from whitelist_entry where list = ? and sender = ?"
                        + " and recipient >= ? and recipient < ? limit 1";
        Set<RecipientKind> kinds = EnumSet.noneOf(RecipientKind.class);
        for (RecipientKind kind : RecipientKind.values()) {
            byte[] from = {kind.code()};
            byte[] to = {(byte) (kind.code() + 1)};
            if (session.first(sql, any -> true, id, entry.key().bytes(), from, to) != null) {
                kinds.add(kind);
            }
        }
        return new Entry(entry.key(), null, entry.rules(), kinds);
    }

    @Override
    public List<Entry> entriesFor(Key to, int max) throws IOException {
        return entries(
                "find what is for " + to,
                "and recipient = ? and length(recipient) > 0 order by sender limit ?",
                EntryRow.column(to),
                max);
    }

    @Override
    public List<Entry> page(@Nullable Entry after, int max) throws IOException {
        // Not with the list in the comparison: SQLite would begin at its first entry.
        return entries(
                "read some entries",
                "and (sender, recipient) > (?, ?) order by list, sender, recipient limit ?",
                after == null ? NO_KEY : after.key().bytes(),
                EntryRow.column(after == null ? null : after.to()),
                max);
    }

    @Override
    public List<Entry> ending(Instant from, Instant to, int max) throws IOException {
        return entries(
                "find what ends soon",
                "and ends >= ? and ends < ? order by ends limit ?",
                from.toEpochMilli(),
                to.toEpochMilli(),
                max);
    }

    @Override
    public Found search(DomainSearch search, @Nullable Entry after, int max) throws IOException {
        return search(search, after, max, SEARCHED);
    }

    /** Searches a part of some entries, or all if they are few. */
    Found search(DomainSearch search, @Nullable Entry after, int max, int part) throws IOException {
        return read(
                "search for a domain",
                (session, row) -> {
                    Pair last = last(session, row, after, part);
                    List<Entry> found = matching(session, row, search, after, last, max);
                    if (found.size() == max) {
                        return new Found(found, found.getLast());
                    }
                    return new Found(
                            found,
                            last == null ? null : new Entry(last.sender(), last.to(), List.of()));
                });
    }

    /** Returns the last entry of a part; null if that is all. */
    private @Nullable Pair last(Session session, Row row, @Nullable Entry after, int part)
            throws SQLException, IOException {
        if (session.number(database.size()) < (long) part * ENTRY_BYTES) {
            database.readAll(session);
            return null;
        }
        // Without the rules the index is enough.
        return session.first(
                "select sender, recipient, null as rules from whitelist_entry where list = ?"
                        + " and (sender, recipient) > (?, ?) order by list, sender, recipient"
                        + " limit 1 offset ?",
                each -> EntryRow.read(each).pair(),
                row.id,
                after == null ? NO_KEY : after.key().bytes(),
                EntryRow.column(after == null ? null : after.to()),
                part - 1);
    }

    /** Searches between two entries. The database compares; to read all takes eight times it. */
    private List<Entry> matching(
            Session session,
            Row row,
            DomainSearch search,
            @Nullable Entry after,
            @Nullable Pair last,
            int max)
            throws SQLException, IOException {
        byte[] begin = search.begin();
        byte[] beyond = Arrays.copyOf(begin, begin.length + 1);
        beyond[begin.length] = (byte) 0xff; // Greater than any byte of UTF-8.
        // SQLite compares in this order, and each comparison takes its time.
        String end = database.endOfSender(search.end().length);
        String sql = ENTRIES + "and (" + end + " = ? or sender >= ? and sender < ?)";
        List<Object> values = new ArrayList<>(List.of(row.id, search.end(), begin, beyond));
        if (after != null) {
            sql += " and (sender, recipient) > (?, ?)";
            values.addAll(List.of(after.key().bytes(), EntryRow.column(after.to())));
        }
        if (last != null) {
            sql += " and (sender, recipient) <= (?, ?)";
            values.addAll(List.of(last.sender().bytes(), EntryRow.column(last.to())));
        }
        values.add(max);
        sql += " order by list, sender, recipient limit ?";
        return session.query(sql, JdbcRecord::entry, values.toArray());
    }

    @Override
    public long count() throws IOException {
        String sql = "select count(*) from whitelist_entry where list = ?";
        return read("count", (session, row) -> session.number(sql, row.id));
    }

    @Override
    public List<PastChange> history(@Nullable Key sender, int max) throws IOException {
        String sql =
                "select sender, recipient, origin, rules, at, who from whitelist_history"
                        + " where list = ? %s order by number desc limit ?"
                                .formatted(sender == null ? "" : "and sender = ?");
        return read(
                "read the history" + (sender == null ? "" : " of " + sender),
                (session, row) ->
                        sender == null
                                ? session.query(sql, JdbcRecord::pastChange, row.id, max)
                                : session.query(
                                        sql, JdbcRecord::pastChange, row.id, sender.bytes(), max));
    }

    /** Reads a row of the history; an origin that a newer version wrote counts as the first. */
    private static PastChange pastChange(ResultSet row) throws SQLException, IOException {
        EntryRow entry = EntryRow.read(row);
        Origin origin = Origin.ofCode(row.getByte("origin"));
        return new PastChange(
                Instant.ofEpochMilli(row.getLong("at")),
                row.getString("who"),
                origin == null ? Origin.ADMIN : origin,
                entry.pair().toString(),
                entry.entry().lines());
    }

    @Override
    public long forgetHistory(Key to) throws IOException {
        return removeHistory(
                "forget the history of " + to,
                "recipient = ? and length(recipient) > 0",
                EntryRow.column(to));
    }

    /** Removes the history that a condition selects, in parts, so that nobody waits for long. */
    private long removeHistory(String doing, String condition, Object value) throws IOException {
        String sql =
                "delete from whitelist_history where number in (select number"
                        + " from whitelist_history where list = ? and %s limit ?)"
                                .formatted(condition);
        return inParts(doing, (session, row) -> session.update(sql, row.id, value, PART));
    }

    /** Repeats what removes a part, each in its own transaction, until nothing is left. */
    private long inParts(String doing, Work<Integer> part) throws IOException {
        long removed = 0;
        int last = PART;
        while (last == PART) {
            last = locked(doing, part);
            removed += last;
        }
        return removed;
    }

    /** Writes and removes a long entry of no list: the disk needs more room than for a change. */
    @Override
    public void requireWritable() throws IOException {
        String sql =
                "insert into whitelist_entry(list, sender, recipient, rules) values (0, ?, ?, ?)";
        locked(
                "try whether it can be changed",
                (session, row) -> {
                    session.update(sql, NO_KEY, NO_KEY, new byte[ROOM]);
                    return session.update("delete from whitelist_entry where list = 0");
                });
    }

    @Override
    public void sweep() throws IOException {
        String doing = "remove what is past";
        String clock = "select " + database.clock();
        long before = read(doing, (session, row) -> session.number(clock)) - KEPT.toMillis();
        inParts(doing, (session, row) -> sweepEntries(session, row, before));
        inParts(doing, (session, row) -> sweepLog(session, row, before));
        removeHistory(doing, "at < ?", before);
        // A bulk that was killed has left that.
        database.write(what(doing), database::completeBulk);
    }

    /**
     * Removes a part of the entries that have ended: of each, the rules of those origins whose last
     * one ended before a moment.
     */
    private int sweepEntries(Session session, Row row, long before)
            throws SQLException, IOException {
        List<Entry> ended = new ArrayList<>();
        session.forEach(
                ENTRIES + "and ends is not null and ends < ? order by ends limit ?",
                // What cannot be used is reported by whoever reads the list.
                found -> visit(found, ended::add, why -> {}),
                row.id,
                before,
                PART);
        List<Edit> edits = new ArrayList<>();
        for (Entry each : ended) {
            for (Origin origin : Origin.values()) {
                Instant end = ListRecord.end(each.rulesOf(origin));
                if (end.isBefore(Instant.ofEpochMilli(before))) {
                    edits.add(Edit.remove(new Target(origin, each.key(), each.to())));
                }
            }
        }
        write(session, row, edits, "sweep", false, null);
        // If there are none, their ends in the table are not those of their rules: not again.
        return edits.isEmpty() ? 0 : ended.size();
    }

    /**
     * Removes the first rows of the log: those beyond the last ones, and those that are old. The
     * very last row stays, without its key once it is old. Positions before a row that is gone, or
     * has no key, do not continue.
     */
    private static int sweepLog(Session session, Row row, long before)
            throws SQLException, IOException {
        long young = // 0 if none is
                session.number(
                        "select seq from whitelist_log where list = ? and at >= ? order by seq"
                                + " limit 1",
                        row.id,
                        before);
        long first = Math.max(young == 0 ? row.seq : young, row.seq - MAX_ROWS);
        long keptFrom = young == 0 ? row.seq : first - 1;
        if (young == 0) {
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
