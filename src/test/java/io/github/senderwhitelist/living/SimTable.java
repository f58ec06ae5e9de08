package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A table in memory whose transactions overlap as PostgreSQL's do. A transaction has its number
 * from the beginning, locks each entry that it changes, and is visible when it ends. Where another
 * one would wait for a lock, it fails. Between any two steps, a test lets other things happen.
 */
final class SimTable implements EntryTable {
    /** How long after its last entries an import is taken for dead. */
    static final Duration EXPIRES = Duration.ofSeconds(10);

    /** How long the feed is kept. */
    static final Duration KEPT = Duration.ofSeconds(24);

    /**
     * How long a transaction stays open at most, and how old a backup is that is put back. Changes
     * that are lost by a restore were in the feed until then.
     */
    static final Duration LONGEST = KEPT.dividedBy(2);

    private static final int PAGE = 2;

    private static final Comparator<Target> ORDER =
            Comparator.comparing(SimTable::about, Entry.ORDER).thenComparing(Target::origin);

    /** How a table can be wrong. */
    enum Flaw {
        NONE,
        /** The feed goes on after the last change seen, though earlier ones may become visible. */
        AFTER_THE_LAST,
        /** A place takes transactions that are in progress for seen. */
        SKIPS_OPEN,
        /** A place takes a transaction for seen that has not begun. */
        POSITION_AHEAD,
        /** The feed keeps back changes while a transaction is open. */
        SETTLED_ONLY,
        /** The feed goes on with the oldest transaction in progress, and repeats later ones. */
        REPEATS,
        /** A feed whose changes were not kept goes on all the same. */
        FORGETS,
        /** The changes that a server saw are not compared with those that are there. */
        SAME_NUMBERS,
        /** Changes that were made after a restore, with numbers before a place, are not noticed. */
        NEWER_BELIEVED,
        /** The end of an import is not announced. */
        IMPORT_NEVER_ENDS,
        /** An import that died is waited for without end. */
        DEAD_IMPORT_LIVES,
        /** An import that died is taken for one that has ended and was announced. */
        DEAD_IMPORT_ENDED,
        /** Changes beside an import are not in the feed. */
        IMPORT_HIDES,
        /** The end of the history is the end of the feed. */
        ERASURE_OF_FEED,
        /** The history of a recipient's entries stays. */
        ERASURE_OF_NOTHING,
        /** An entry takes the place of those of other origins. */
        ONE_ORIGIN,
        /** The feed says of an origin's entry what all origins say. */
        MIXED_ORIGINS,
        /** A table that is put back while it is read is read to its end. */
        RESTORED_WHILE_READ
    }

    /** What a table is in. */
    interface World {
        /** Lets other things happen. */
        void meanwhile();

        /** Returns the time of all clocks. */
        long nanos();

        /**
         * Is called when a change has become visible.
         *
         * @param rules what is there now
         * @param inFeed whether the feed has to have it
         */
        void changed(Target about, List<Rule> rules, boolean inFeed);

        /** Is called when the end of an import has become visible. */
        void imported();

        /** Is called when an import goes on in place of another one. */
        void importsInstead();
    }

    /** A change in the feed. The token is another one for every change that ever was. */
    private record Row(long transaction, long number, long token, long at, Target about) {
        static final Comparator<Row> ORDER =
                Comparator.comparingLong(Row::transaction).thenComparingLong(Row::number);
    }

    /** A change that a transaction makes. */
    private record Write(Target about, List<Rule> rules) {}

    /** A change in the history. */
    private record Past(Target about, PastChange change) {}

    /**
     * A place in the feed.
     *
     * @param end the first transaction that had not begun
     * @param open those that were in progress
     * @param witnesses changes that were seen
     * @param importing the import that went on, or 0
     * @param parts how many parts it had put
     */
    private record Place(long end, Set<Long> open, Set<Row> witnesses, long importing, long parts) {
        boolean sees(Row row) {
            return sees(row.transaction);
        }

        boolean sees(long transaction) {
            return transaction < end && !open.contains(transaction);
        }
    }

    /** What is on the disk. */
    static final class State {
        private final TreeMap<Target, List<Rule>> entries = new TreeMap<>(ORDER);
        private final List<Row> feed = new ArrayList<>();
        private final List<Past> history = new ArrayList<>();
        private long epoch;
        private long transactions;
        private long numbers;
        private long keptFrom;
        private long importing;
        private long parts;
        private long importUntil;

        private State copy() {
            State copy = new State();
            copy.entries.putAll(entries);
            copy.feed.addAll(feed);
            copy.history.addAll(history);
            copy.epoch = epoch;
            copy.transactions = transactions;
            copy.numbers = numbers;
            copy.keptFrom = keptFrom;
            copy.importing = importing;
            copy.parts = parts;
            copy.importUntil = importUntil;
            return copy;
        }
    }

    /** What belongs together. It stays open until it is committed or rolled back. */
    final class Transaction {
        private final long number = ++state.transactions;
        private final long began = world.nanos();
        private final boolean inFeed;
        private final List<Write> writes = new ArrayList<>();
        private final List<Row> rows = new ArrayList<>();
        private final List<Past> past = new ArrayList<>();

        private Transaction(boolean inFeed) {
            this.inFeed = inFeed;
            open.put(number, this);
        }

        Done change(Target about, UnaryOperator<List<Rule>> change, String who) throws IOException {
            if (open.values().stream().anyMatch(other -> other.locks(about) && other != this)) {
                throw new IOException("locked");
            }
            List<Rule> before = before(about);
            List<Rule> now = change.apply(before);
            if (now.equals(before)) {
                return Done.none(now);
            }
            writes.add(new Write(about, now));
            if (inFeed) {
                state.numbers++;
            }
            long token = ++unique;
            if (inFeed && !(flaw == Flaw.IMPORT_HIDES && state.importing != 0)) {
                rows.add(new Row(number, state.numbers, token, world.nanos(), about));
            }
            if (inFeed) {
                past.add(new Past(about, past(about, now, who)));
            }
            Effect effect =
                    now.isEmpty()
                            ? Effect.REMOVED
                            : before.isEmpty() ? Effect.CREATED : Effect.REPLACED;
            return new Done(effect, now, state.numbers, number, token);
        }

        private List<Rule> before(Target about) {
            return writes.reversed().stream()
                    .filter(write -> write.about.equals(about))
                    .map(Write::rules)
                    .findFirst()
                    .orElseGet(() -> rules(about));
        }

        private PastChange past(Target about, List<Rule> rules, String who) {
            return new PastChange(
                    Instant.EPOCH.plusNanos(world.nanos()),
                    who,
                    about.origin(),
                    about.sender() + (about.to() == null ? "" : " to=" + about.to()),
                    lines(about, rules));
        }

        private boolean locks(Target about) {
            return writes.stream().anyMatch(write -> write.about.equals(about));
        }

        void commit() throws IOException {
            if (!open.remove(number, this) || world.nanos() - began > LONGEST.toNanos()) {
                throw new IOException("lost by a restart");
            }
            writes.forEach(write -> set(write.about, write.rules));
            state.feed.addAll(rows);
            state.history.addAll(past);
            writes.forEach(write -> world.changed(write.about, write.rules, inFeed));
        }

        void rollBack() {
            open.remove(number, this);
        }
    }

    /** An import of very many entries, which are not in the feed. */
    final class Import {
        private long token = ++unique;
        private long parts;

        void put(List<Entry> entries) throws IOException {
            step();
            Transaction transaction = new Transaction(false);
            try {
                for (Entry entry : entries) {
                    transaction.change(Target.of(entry), before -> entry.rules(), "import");
                    step();
                }
                transaction.commit();
            } finally {
                transaction.rollBack();
            }
            if (state.importing != token || state.parts != parts) {
                if (state.importing != 0) {
                    world.importsInstead();
                }
                token = ++unique;
                parts = 0;
            }
            parts++;
            state.importing = token;
            state.parts = parts;
            state.importUntil = world.nanos() + EXPIRES.toNanos();
            step();
        }

        void end() throws IOException {
            step();
            if (flaw != Flaw.IMPORT_NEVER_ENDS) {
                state.epoch = ++unique;
            }
            if (state.importing == token) {
                state.importing = 0;
            }
            world.imported();
            step();
        }
    }

    private final Flaw flaw;
    private final World world;
    private final TreeMap<Long, Transaction> open = new TreeMap<>();

    /** All places that were given away, by which they are called. */
    private final List<Place> places = new ArrayList<>();

    private State state = new State();

    /** The epoch of the last position that was given away. */
    private String epoch = "";

    /** Counts what is never there again, such as tokens. */
    private long unique;

    /** Whether the table can be reached. */
    boolean down;

    /** Makes an empty table. */
    SimTable(Flaw flaw, World world) {
        this.flaw = flaw;
        this.world = world;
    }

    private void step() throws IOException {
        world.meanwhile();
        if (down) {
            throw new IOException("down");
        }
    }

    private List<Rule> rules(Target about) {
        return state.entries.getOrDefault(about, List.of());
    }

    private void set(Target about, List<Rule> rules) {
        if (flaw == Flaw.ONE_ORIGIN) {
            for (Origin origin : Origin.values()) {
                state.entries.remove(new Target(origin, about.sender(), about.to()));
            }
        }
        if (rules.isEmpty()) {
            state.entries.remove(about);
        } else {
            state.entries.put(about, rules);
        }
    }

    /** Begins to change what others then cannot change. */
    Transaction begin() {
        return new Transaction(true);
    }

    private Done write(Target about, UnaryOperator<List<Rule>> change, String who)
            throws IOException {
        return write(List.of(about), List.of(change), who).getFirst();
    }

    private List<Done> write(
            List<Target> targets, List<UnaryOperator<List<Rule>>> changes, String who)
            throws IOException {
        step();
        List<Done> done = new ArrayList<>();
        Transaction transaction = begin();
        try {
            for (int i = 0; i < targets.size(); i++) {
                done.add(transaction.change(targets.get(i), changes.get(i), who));
                step();
            }
            transaction.commit();
        } finally {
            transaction.rollBack();
        }
        step();
        return done;
    }

    @Override
    public Done put(Entry entry, String who) throws IOException {
        return write(Target.of(entry), before -> entry.rules(), who);
    }

    @Override
    public List<Done> putAll(List<Entry> entries, String who) throws IOException {
        List<UnaryOperator<List<Rule>>> changes = new ArrayList<>();
        entries.forEach(entry -> changes.add(before -> entry.rules()));
        return write(entries.stream().map(Target::of).toList(), changes, who);
    }

    @Override
    public List<Done> update(List<Target> targets, UnaryOperator<List<Rule>> change, String who)
            throws IOException {
        List<UnaryOperator<List<Rule>>> changes = new ArrayList<>();
        targets.forEach(any -> changes.add(change));
        return write(targets, changes, who);
    }

    @Override
    public Done remove(Origin origin, Key sender, @Nullable Key to, String who) throws IOException {
        return write(new Target(origin, sender, to), before -> List.of(), who);
    }

    @Override
    public List<Done> removeAll(List<Target> targets, String who) throws IOException {
        return update(targets, before -> List.of(), who);
    }

    @Override
    public @Nullable Entry find(Key sender, @Nullable Key to) throws IOException {
        step();
        Entry found = found(sender, to);
        step();
        return found;
    }

    private @Nullable Entry found(Key sender, @Nullable Key to) {
        Set<RecipientKind> kinds = EnumSet.noneOf(RecipientKind.class);
        for (Target other : to == null ? state.entries.keySet() : Set.<Target>of()) {
            if (other.to() != null && other.sender().equals(sender)) {
                kinds.add(RecipientKind.of(other.to()));
            }
        }
        List<Rule> rules = rules(sender, to);
        return rules.isEmpty() && kinds.isEmpty() ? null : new Entry(sender, to, rules, kinds);
    }

    /** Returns what all origins say, in their order. */
    private List<Rule> rules(Key sender, @Nullable Key to) {
        List<Rule> rules = new ArrayList<>();
        for (Origin origin : Origin.values()) {
            rules.addAll(rules(new Target(origin, sender, to)));
        }
        return rules;
    }

    /** Returns the first entries that are after one, or of all if it is null. */
    private List<Entry> entries(@Nullable Entry after, Predicate<Target> which, long most) {
        return state.entries.keySet().stream()
                .filter(about -> after == null || Entry.ORDER.compare(about(about), after) > 0)
                .filter(which)
                .map(SimTable::about)
                .distinct()
                .limit(most)
                .map(about -> new Entry(about.key(), about.to(), rules(about.key(), about.to())))
                .toList();
    }

    private static Entry about(Target target) {
        return new Entry(target.sender(), target.to(), List.of());
    }

    @Override
    public List<Entry> entriesFor(Key to, int most) throws IOException {
        step();
        return entries(null, about -> to.equals(about.to()), most);
    }

    @Override
    public Page page(@Nullable Entry after, int most) throws IOException {
        step();
        List<Entry> page = entries(after, any -> true, most + 1L);
        return new Page(page.subList(0, Math.min(most, page.size())), page.size() > most);
    }

    @Override
    public FeedPosition forEach(Consumer<Entry> visitor, Unreadable unreadable) throws IOException {
        Entry last = null;
        FeedPosition position = null;
        List<Entry> page;
        do {
            step();
            if (flaw != Flaw.RESTORED_WHILE_READ && position != null && !goesOn(position)) {
                throw new IOException("put back");
            }
            page = entries(last, any -> true, PAGE);
            position = position(new HashSet<>(state.feed));
            for (Entry entry : page) {
                visitor.accept(entry);
                last = entry;
            }
        } while (!page.isEmpty());
        return position;
    }

    private boolean goesOn(FeedPosition from) {
        Place place = places.get(Integer.parseInt(from.place()));
        return !isAbandoned()
                && from.epoch().equals(Long.toString(state.epoch))
                && (place.importing == 0
                        || (place.importing == state.importing && place.parts <= state.parts))
                && isKept(place)
                && isSeen(place);
    }

    @Override
    public @Nullable Key nextRecipient(@Nullable Key after) throws IOException {
        step();
        Key next = null;
        for (Target about : state.entries.keySet()) {
            Key to = about.to();
            if (to != null
                    && (after == null || to.compareTo(after) > 0)
                    && (next == null || to.compareTo(next) < 0)) {
                next = to;
            }
        }
        return next;
    }

    @Override
    public long count() throws IOException {
        step();
        return state.entries.size();
    }

    @Override
    public FeedPosition position() throws IOException {
        step();
        while (isAbandoned()) {
            if (flaw != Flaw.DEAD_IMPORT_ENDED) {
                state.epoch = ++unique;
            }
            state.importing = 0;
            step();
        }
        FeedPosition position = position(new HashSet<>(state.feed));
        step();
        return position;
    }

    private boolean isAbandoned() {
        return state.importing != 0
                && state.importUntil < world.nanos()
                && flaw != Flaw.DEAD_IMPORT_LIVES;
    }

    private FeedPosition position(Set<Row> seen) {
        Place here = here(seen);
        newest(here).ifPresent(seen::add);
        places.add(here);
        epoch = Long.toString(state.epoch);
        return new FeedPosition(epoch, Integer.toString(places.size() - 1));
    }

    private Place here(Set<Row> seen) {
        long end = state.transactions + 1;
        return switch (flaw) {
            case AFTER_THE_LAST ->
                    new Place(
                            state.feed.stream().mapToLong(Row::transaction).max().orElse(0) + 1,
                            Set.of(),
                            seen,
                            state.importing,
                            state.parts);
            case SKIPS_OPEN -> new Place(end, Set.of(), seen, state.importing, state.parts);
            case POSITION_AHEAD ->
                    new Place(
                            end + 1, Set.copyOf(open.keySet()), seen, state.importing, state.parts);
            case SETTLED_ONLY ->
                    new Place(
                            oldest(open.keySet(), end),
                            Set.of(),
                            seen,
                            state.importing,
                            state.parts);
            default ->
                    new Place(end, Set.copyOf(open.keySet()), seen, state.importing, state.parts);
        };
    }

    private static long oldest(Set<Long> open, long end) {
        return open.stream().mapToLong(Long::longValue).min().orElse(end);
    }

    private Optional<Row> newest(Place place) {
        return state.feed.stream().filter(place::sees).max(Row.ORDER);
    }

    @Override
    public @Nullable FeedPosition changes(FeedPosition after, Consumer<Change> visitor)
            throws IOException {
        step();
        Place place = places.get(Integer.parseInt(after.place()));
        if (!goesOn(after)) {
            return null;
        }
        long oldest = oldest(open.keySet(), state.transactions + 1);
        List<Row> rows =
                state.feed.stream()
                        .filter(
                                switch (flaw) {
                                    case REPEATS ->
                                            row -> row.transaction >= oldest(place.open, place.end);
                                    case SETTLED_ONLY ->
                                            row -> !place.sees(row) && row.transaction < oldest;
                                    default -> row -> !place.sees(row);
                                })
                        .toList();
        List<Change> changes = rows.stream().map(this::change).toList();
        FeedPosition next = position(new HashSet<>(rows.isEmpty() ? place.witnesses : rows));
        step();
        changes.forEach(visitor);
        return next;
    }

    /** Returns whether nothing after a place was removed. */
    private boolean isKept(Place place) {
        return flaw == Flaw.FORGETS
                || (place.end >= state.keptFrom
                        && place.open.stream()
                                .allMatch(it -> it >= state.keptFrom || open.containsKey(it)));
    }

    /** Returns whether what was seen at a place is there, and nothing else. */
    private boolean isSeen(Place place) {
        List<Row> left =
                place.witnesses.stream().filter(row -> row.transaction >= state.keptFrom).toList();
        return (!left.isEmpty() || state.keptFrom == 0)
                && (flaw == Flaw.SAME_NUMBERS || state.feed.containsAll(left))
                && newest(place)
                        .filter(row -> row.transaction >= state.keptFrom)
                        .filter(row -> flaw != Flaw.NEWER_BELIEVED)
                        .filter(row -> flaw != Flaw.SAME_NUMBERS)
                        .stream()
                        .allMatch(place.witnesses::contains);
    }

    private static List<String> lines(Target about, List<Rule> rules) {
        return new Entry(about.sender(), about.to(), rules).lines();
    }

    private Change change(Row row) {
        Target about = row.about;
        List<Rule> rules =
                flaw == Flaw.MIXED_ORIGINS ? rules(about.sender(), about.to()) : rules(about);
        return new Change(
                about.sender(),
                about.to(),
                about.origin(),
                rules,
                row.number,
                row.transaction,
                row.token,
                null);
    }

    @Override
    public LongPredicate seen(FeedPosition position) {
        return places.get(Integer.parseInt(position.place()))::sees;
    }

    /**
     * Removes old changes from the feed, as a sweep does. The newest transaction stays. Returns
     * whether there were any.
     */
    boolean forget() {
        long before = world.nanos() - KEPT.toNanos();
        long newest = state.feed.stream().mapToLong(Row::transaction).max().orElse(0);
        List<Row> old =
                state.feed.stream()
                        .filter(row -> row.transaction != newest && row.at < before)
                        .toList();
        state.feed.removeAll(old);
        old.forEach(row -> state.keptFrom = Math.max(state.keptFrom, row.transaction + 1));
        return !old.isEmpty();
    }

    /** Ends all open transactions without effect, as a crash does. */
    void crash() {
        open.clear();
    }

    /** Returns a copy that {@link #restore} can bring back. */
    State backup() {
        return state.copy();
    }

    /** Brings an older state back, with its numbers. */
    void restore(State backup) {
        crash();
        state = backup.copy();
    }

    @Override
    public List<PastChange> history(Key sender, int most) throws IOException {
        step();
        return state.history.reversed().stream()
                .filter(past -> past.about.sender().equals(sender))
                .limit(most)
                .map(Past::change)
                .toList();
    }

    @Override
    public long forgetHistory(Key to) throws IOException {
        step();
        long before = state.history.size();
        if (flaw != Flaw.ERASURE_OF_NOTHING) {
            state.history.removeIf(past -> to.equals(past.about.to()));
        }
        if (flaw == Flaw.ERASURE_OF_FEED) {
            state.feed.removeIf(row -> to.equals(row.about.to()));
        }
        long forgotten = before - state.history.size();
        step();
        return forgotten;
    }

    @Override
    public Share share(Key to, Origin origin, Instant day) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Key> firstToEnd(Key to, Origin origin, int most) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sweep() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
