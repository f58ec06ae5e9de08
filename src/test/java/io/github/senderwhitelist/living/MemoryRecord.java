package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.DomainSearch;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.SortKey;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A record in memory, which tests can have fail, and put back to an older state. */
public final class MemoryRecord implements ListRecord {
    /** What the database of a list has. */
    private static final class Tables {
        boolean there;
        String epoch = "";
        long seq;
        long keptFrom;
        NavigableMap<byte[], Entry> entries = new TreeMap<>(Arrays::compareUnsigned);
        NavigableMap<Long, LogRow> log = new TreeMap<>();
        List<Note> history = new ArrayList<>();

        Tables copy() {
            Tables copy = new Tables();
            copy.there = there;
            copy.epoch = epoch;
            copy.seq = seq;
            copy.keptFrom = keptFrom;
            copy.entries.putAll(entries);
            copy.log.putAll(log);
            copy.history.addAll(history);
            return copy;
        }

        Entry entry(Key sender, @Nullable Key to) {
            return entries.getOrDefault(SortKey.of(sender, to), new Entry(sender, to, List.of()));
        }
    }

    private record LogRow(String kind, @Nullable Target target, long token, Instant at) {}

    private record Note(Target target, PastChange change) {}

    /** When {@link #faults} may happen. */
    enum Moment {
        BEFORE_COMMIT,
        AFTER_COMMIT,

        /** An entry is visited. */
        VISIT,

        /** A reading has all it reads, and has not returned it. */
        END_OF_READING
    }

    /** What happens at each moment. */
    interface Faults {
        void at(Moment moment) throws IOException;
    }

    private final Random random;
    private Tables tables = new Tables();
    volatile Faults faults = moment -> {};

    /** Why the database is away; null if it is there. */
    public volatile @Nullable String away;

    volatile Instant now = Instant.now();
    volatile int tableReadings;
    final AtomicInteger sweeps = new AtomicInteger();

    /** Makes a record of no list. */
    public MemoryRecord(Random random) {
        this.random = random;
    }

    /** Returns a copy of all, for {@link #restore}. */
    synchronized Object backup() {
        return tables.copy();
    }

    /** Puts the database back to a former state. */
    synchronized void restore(Object backup) {
        tables = ((Tables) backup).copy();
    }

    /** Puts the entries back to a former state, and nothing else. */
    synchronized void restoreEntries(Object backup) {
        tables.entries = ((Tables) backup).copy().entries;
    }

    /** Has the list's row be gone. */
    synchronized void drop() {
        tables.there = false;
    }

    private Tables there() throws IOException {
        if (away != null) {
            throw new IOException(away);
        }
        if (!tables.there) {
            throw new IOException("the database has no such list");
        }
        return tables;
    }

    /** Has a transaction use a copy of the tables, which replaces them when it commits. */
    private interface Transaction<T> {
        T on(Tables copy) throws IOException;
    }

    private <T> T write(Transaction<T> transaction) throws IOException {
        T result;
        synchronized (this) {
            Tables copy = there().copy();
            result = transaction.on(copy);
            faults.at(Moment.BEFORE_COMMIT);
            tables = copy;
        }
        faults.at(Moment.AFTER_COMMIT);
        return result;
    }

    @Override
    public Written write(List<Edit> edits, String who, boolean always, @Nullable Position after)
            throws IOException {
        return write(
                copy -> {
                    List<Effect> effects = new ArrayList<>();
                    for (Edit edit : edits) {
                        Effect effect = edit(copy, edit, who);
                        effects.add(effect);
                        if (effect != Effect.NONE || always) {
                            log(copy, "change", edit.target());
                        }
                    }
                    return new Written(effects, after == null ? null : rows(copy, after));
                });
    }

    private void log(Tables copy, String kind, @Nullable Target target) {
        copy.log.put(++copy.seq, new LogRow(kind, target, random.nextLong(), now));
    }

    private Effect edit(Tables copy, Edit edit, String who) {
        Target target = edit.target();
        Entry there = copy.entry(target.sender(), target.to());
        List<Rule> before = there.rulesOf(target.origin());
        List<Rule> after =
                RulesCodec.ordered(edit.change().apply(before).stream().distinct().toList());
        if (after.equals(before)) {
            return Effect.NONE;
        }
        for (Rule rule : after) {
            require(rule.origin() == target.origin());
            require(rule.from() == null || rule.from().toEpochMilli() % 1_000 == 0);
        }
        List<Rule> all = new ArrayList<>(there.rules());
        all.removeAll(before);
        all.addAll(after);
        require(RulesCodec.fit(all));
        byte[] key = SortKey.of(target.sender(), target.to());
        if (all.isEmpty()) {
            copy.entries.remove(key);
        } else {
            copy.entries.put(key, new Entry(target.sender(), target.to(), RulesCodec.ordered(all)));
        }
        Entry entry = new Entry(target.sender(), target.to(), after);
        String pair = target.pair().toString();
        copy.history.add(
                new Note(target, new PastChange(now, who, target.origin(), pair, entry.lines())));
        return before.isEmpty()
                ? Effect.CREATED
                : after.isEmpty() ? Effect.REMOVED : Effect.REPLACED;
    }

    private static void require(boolean good) {
        if (!good) {
            throw new IllegalArgumentException("rules that no snapshot can have");
        }
    }

    @Override
    public synchronized void create() throws IOException {
        if (away != null) {
            throw new IOException(away);
        }
        if (!tables.there) {
            tables = new Tables();
            tables.there = true;
            tables.epoch = Long.toHexString(random.nextLong());
        }
    }

    @Override
    public LogRows log(Position after) throws IOException {
        LogRows rows;
        synchronized (this) {
            rows = rows(there(), after);
        }
        faults.at(Moment.END_OF_READING);
        return rows;
    }

    private static LogRows rows(Tables now, Position after) {
        LogRow last = now.log.get(after.seq());
        long token = last == null ? 0 : last.token;
        if (!after.epoch().equals(now.epoch)
                || after.seq() < now.keptFrom
                || after.seq() > now.seq
                || token != after.token()
                || now.seq - after.seq() > MAX_ROWS) {
            return new LogRows(false, position(now), List.of(), false, false);
        }
        Map<Pair, Entry> changes = new HashMap<>();
        String lastBulk = "";
        for (LogRow row : now.log.tailMap(after.seq(), false).values()) {
            if (row.target != null) {
                Pair pair = new Pair(row.target.sender(), row.target.to());
                changes.put(pair, now.entry(pair.sender(), pair.to()));
            } else if (!row.kind.equals("blank")) {
                lastBulk = row.kind;
            }
        }
        return new LogRows(
                true,
                position(now),
                List.copyOf(changes.values()),
                !lastBulk.isEmpty(),
                lastBulk.equals("end"));
    }

    private static Position position(Tables now) {
        LogRow last = now.log.get(now.seq);
        return new Position(now.epoch, now.seq, last == null ? 0 : last.token);
    }

    @Override
    public Position forEach(Visitor<Entry> visitor, Visitor<String> unreadable) throws IOException {
        Tables copy;
        synchronized (this) {
            copy = there().copy();
            tableReadings++;
        }
        for (Entry each : copy.entries.values()) {
            faults.at(Moment.VISIT);
            visitor.visit(each);
        }
        faults.at(Moment.END_OF_READING);
        return position(copy);
    }

    private synchronized List<Entry> all() throws IOException {
        return List.copyOf(there().entries.values());
    }

    @Override
    public List<Entry> findAll(List<Pair> pairs) throws IOException {
        List<Entry> all = all();
        return pairs.stream().map(pair -> find(all, pair)).toList();
    }

    private static Entry find(List<Entry> all, Pair pair) {
        List<Rule> rules = new ArrayList<>();
        Set<RecipientKind> kinds = EnumSet.noneOf(RecipientKind.class);
        for (Entry each : all) {
            if (each.pair().equals(pair)) {
                rules.addAll(each.rules());
            } else if (pair.to() == null && each.to() != null && each.key().equals(pair.sender())) {
                kinds.add(RecipientKind.of(each.to()));
            }
        }
        return new Entry(pair.sender(), pair.to(), rules, kinds);
    }

    @Override
    public List<Entry> entriesFor(Key to, int max) throws IOException {
        return all().stream().filter(entry -> to.equals(entry.to())).limit(max).toList();
    }

    @Override
    public List<Entry> page(@Nullable Entry after, int max) throws IOException {
        return all().stream()
                .filter(each -> after == null || Entry.ORDER.compare(each, after) > 0)
                .limit(max)
                .toList();
    }

    @Override
    public List<Entry> ending(Instant from, Instant to, int max) throws IOException {
        return page(null, Integer.MAX_VALUE).stream()
                .filter(each -> !end(each).isBefore(from) && end(each).isBefore(to))
                .sorted(Comparator.comparing(MemoryRecord::end))
                .limit(max)
                .toList();
    }

    private static Instant end(Entry entry) {
        return Stream.of(Origin.values())
                .map(origin -> ListRecord.end(entry.rulesOf(origin)))
                .min(Comparator.naturalOrder())
                .orElseThrow();
    }

    @Override
    public Found search(DomainSearch search, @Nullable Entry after, int max) throws IOException {
        List<Entry> found =
                page(after, Integer.MAX_VALUE).stream()
                        .filter(each -> search.matches(each.key()))
                        .limit(max)
                        .toList();
        return new Found(found, found.size() == max ? found.getLast() : null);
    }

    @Override
    public long count() throws IOException {
        return all().size();
    }

    @Override
    public synchronized List<PastChange> history(@Nullable Key sender, int max) throws IOException {
        return there().history.reversed().stream()
                .filter(note -> sender == null || note.target.sender().equals(sender))
                .map(Note::change)
                .limit(max)
                .toList();
    }

    @Override
    public long forgetHistory(Key to) throws IOException {
        return write(
                copy -> {
                    int before = copy.history.size();
                    copy.history.removeIf(note -> to.equals(note.target.to()));
                    return before - copy.history.size();
                });
    }

    @Override
    public void requireWritable() throws IOException {
        write(copy -> true);
    }

    @Override
    public void sweep() throws IOException {
        sweeps.incrementAndGet();
        Instant before = now.minusSeconds(90L * 24 * 60 * 60);
        List<Edit> ended = new ArrayList<>();
        for (Entry entry : all()) {
            for (Origin origin : Origin.values()) {
                List<Rule> rules = entry.rulesOf(origin);
                if (!rules.isEmpty() && ListRecord.end(rules).isBefore(before)) {
                    ended.add(Edit.remove(new Target(origin, entry.key(), entry.to())));
                }
            }
        }
        write(ended, "sweep");
        write(
                copy -> {
                    while (copy.log.size() > 1
                            && (copy.log.firstEntry().getValue().at.isBefore(before)
                                    || copy.log.size() > MAX_ROWS)) {
                        copy.keptFrom = copy.log.pollFirstEntry().getKey();
                    }
                    copy.log.computeIfPresent(
                            copy.seq,
                            (seq, row) -> {
                                if (!row.at.isBefore(before)) {
                                    return row;
                                }
                                copy.keptFrom = seq;
                                return new LogRow("blank", null, row.token, row.at);
                            });
                    copy.history.removeIf(note -> note.change.at().isBefore(before));
                    return true;
                });
    }

    @Override
    public Loaded load(List<Entry> entries, boolean replaceDenials) throws IOException {
        return write(
                copy -> {
                    long changed = 0;
                    List<Other> others = new ArrayList<>();
                    int before = copy.history.size();
                    for (Entry entry : entries) {
                        Target target = Target.of(entry);
                        List<Rule> rules =
                                copy.entry(entry.key(), entry.to()).rulesOf(target.origin());
                        Entry there = new Entry(entry.key(), entry.to(), rules);
                        if (!rules.isEmpty()
                                && !Set.copyOf(rules).equals(Set.copyOf(entry.rules()))) {
                            others.add(new Other(there, entry));
                        }
                        boolean keeps = !replaceDenials && !entry.denied() && there.denied();
                        changed += keeps || edit(copy, Edit.put(entry), "") == Effect.NONE ? 0 : 1;
                    }
                    copy.history.subList(before, copy.history.size()).clear();
                    log(copy, "bulk", null);
                    return new Loaded(changed, others);
                });
    }

    @Override
    public void endLoad() throws IOException {
        write(
                copy -> {
                    log(copy, "end", null);
                    return true;
                });
    }
}
