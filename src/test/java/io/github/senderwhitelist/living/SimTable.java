package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * A table in memory whose transactions overlap as PostgreSQL's do: numbers are given when a
 * transaction begins, and what it did is visible when it ends. Between any two steps, a test lets
 * other things happen.
 */
final class SimTable implements EntryTable {
    /** How the feed can be wrong. */
    enum Flaw {
        NONE,
        /** The feed goes on after the last change seen, though earlier ones may become visible. */
        AFTER_THE_LAST,
        /** The feed keeps back changes while a transaction is open. */
        SETTLED_ONLY,
        /** A position is ahead of what is visible. */
        POSITION_AHEAD,
        /** A restored database goes on with its old epoch and numbers. */
        SAME_EPOCH,
        /** A feed whose changes were not kept goes on all the same. */
        FORGETS
    }

    /** A change that is in the table or about to be. */
    private static final class Transaction {
        final long number;
        final Key sender;
        boolean visible;

        Transaction(long number, Key sender) {
            this.number = number;
            this.sender = sender;
        }
    }

    private final Runnable meanwhile;
    private final Flaw flaw;
    private final TreeMap<Key, Entry> visible = new TreeMap<>();
    private final List<Transaction> feed = new ArrayList<>();
    private final TreeSet<Long> open = new TreeSet<>();
    private int epoch = 1;
    private long last;
    private long keptFrom;

    /** Whether the table can be reached. */
    boolean down;

    /** Is told when a sender has another entry. */
    Consumer<Key> committed = sender -> {};

    /**
     * Makes an empty table.
     *
     * @param meanwhile what happens between two steps
     */
    SimTable(Flaw flaw, Runnable meanwhile) {
        this.flaw = flaw;
        this.meanwhile = meanwhile;
    }

    private void step() throws IOException {
        meanwhile.run();
        if (down) {
            throw new IOException("down");
        }
    }

    @Nullable Entry now(Key sender) {
        return visible.get(sender);
    }

    private Effect change(Key sender, @Nullable Entry entry) throws IOException {
        step();
        Transaction transaction = new Transaction(++last, sender);
        open.add(transaction.number);
        feed.add(transaction);
        try {
            step();
        } catch (IOException e) {
            open.remove(transaction.number);
            feed.remove(transaction);
            throw e;
        }
        if (!open.remove(transaction.number)) {
            throw new IOException("lost by a restart");
        }
        transaction.visible = true;
        if (entry == null) {
            visible.remove(sender);
        } else {
            visible.put(sender, entry);
        }
        committed.accept(sender);
        step();
        return Effect.REPLACED;
    }

    @Override
    public Effect put(Entry entry, String who) throws IOException {
        return change(entry.key(), entry);
    }

    @Override
    public List<Effect> putAll(List<Entry> entries, String who) throws IOException {
        List<Effect> effects = new ArrayList<>();
        for (Entry entry : entries) {
            effects.add(put(entry, who));
        }
        return effects;
    }

    @Override
    public List<Effect> update(List<Target> targets, UnaryOperator<List<Rule>> change, String who) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Effect remove(Origin origin, Key sender, @Nullable Key to, String who)
            throws IOException {
        return change(sender, null);
    }

    @Override
    public List<Effect> removeAll(List<Target> targets, String who) {
        throw new UnsupportedOperationException();
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
    public @Nullable Key nextRecipient(@Nullable Key after) {
        throw new UnsupportedOperationException();
    }

    @Override
    public @Nullable Entry find(Key sender, @Nullable Key to) throws IOException {
        step();
        Entry entry = visible.get(sender);
        step();
        return entry;
    }

    @Override
    public void forEachSender(Consumer<Key> visitor) throws IOException {
        step();
        for (Key sender : List.copyOf(visible.keySet())) {
            step();
            visitor.accept(sender);
        }
    }

    private long lowestOpen() {
        return open.isEmpty() ? last + 1 : open.first();
    }

    @Override
    public FeedPosition position() throws IOException {
        step();
        long value =
                switch (flaw) {
                    case AFTER_THE_LAST -> lastVisible() + 1;
                    case POSITION_AHEAD -> last + 1;
                    default -> lowestOpen();
                };
        FeedPosition position = new FeedPosition("epoch " + epoch, Long.toString(value));
        step();
        return position;
    }

    private long lastVisible() {
        return feed.stream().filter(t -> t.visible).mapToLong(t -> t.number).max().orElse(keptFrom);
    }

    @Override
    public @Nullable FeedPosition changes(FeedPosition after, Consumer<Change> visitor)
            throws IOException {
        step();
        long from = Long.parseLong(after.place());
        boolean forgotten = from < keptFrom && flaw != Flaw.FORGETS;
        if (!after.epoch().equals("epoch " + epoch) || forgotten || from > last + 1) {
            return null;
        }
        long next =
                switch (flaw) {
                    case AFTER_THE_LAST -> Math.max(from, lastVisible() + 1);
                    case POSITION_AHEAD -> last + 1;
                    default -> lowestOpen();
                };
        List<Change> changes =
                feed.stream()
                        .filter(t -> t.visible && t.number >= from)
                        .filter(t -> flaw != Flaw.SETTLED_ONLY || t.number < lowestOpen())
                        .map(t -> change(t.sender))
                        .toList();
        step();
        changes.forEach(visitor);
        return new FeedPosition(after.epoch(), Long.toString(next));
    }

    private Change change(Key sender) {
        Entry now = visible.get(sender);
        return new Change(sender, null, Origin.ADMIN, now == null ? List.of() : now.lines());
    }

    /** Forgets the feed so far, as a sweep does. */
    void forget() {
        keptFrom = lowestOpen();
        feed.removeIf(t -> t.number < keptFrom);
    }

    /** Ends all open transactions without effect, as a crash does. */
    void crash() {
        feed.removeIf(t -> open.contains(t.number));
        open.clear();
    }

    /** Returns a copy that {@link #restore} can bring back. */
    Map<Key, Entry> backup() {
        return new TreeMap<>(visible);
    }

    /** Brings an older state back. */
    void restore(Map<Key, Entry> backup) {
        crash();
        feed.clear();
        List<Key> before = List.copyOf(visible.keySet());
        visible.clear();
        visible.putAll(backup);
        if (flaw != Flaw.SAME_EPOCH) {
            epoch++;
        }
        keptFrom = 0;
        before.forEach(committed);
        backup.keySet().forEach(committed);
    }

    @Override
    public long count() throws IOException {
        step();
        return visible.size();
    }

    @Override
    public Page page(@Nullable Entry after, int most) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<Entry> entriesFor(Key to, int most) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void forEach(Consumer<Entry> visitor) {
        throw new UnsupportedOperationException();
    }

    @Override
    public List<PastChange> history(Key sender, int most) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long forgetHistory(Key to) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void sweep(Instant now) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
