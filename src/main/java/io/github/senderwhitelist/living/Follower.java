package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.EntryTable.Done;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.EntryTable.Target;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * Keeps filters in step with a table. {@link #poll} reads the feed; {@link #build} fills new
 * filters with the whole table, while polls go on. Two threads call them: one polls, one builds.
 *
 * <p>Why no entry is ever missing from the filters in force: new filters get every change that is
 * polled from the moment on at which they were made. The table is read after that moment. So a
 * change that was polled before it is in the table that is read, and one that is polled later is
 * added. ADR 11 has the whole argument.
 */
final class Follower {
    /** How many domain entries are expected of a table of which nothing is known. */
    private static final long FEW_DOMAINS = 10_000;

    /** How many entries are expected of a table that cannot be counted. */
    private static final long FIRST_GUESS = 1_000_000;

    private final EntryTable table;
    private final FilterSize size;
    private final long seed;
    private final Versions versions;
    private final long room;
    private final LongSupplier nanos;
    private final Object adding = new Object();

    /** The filters to believe, or null when there are none. */
    private volatile @Nullable KeyFilters filters;

    /** The filters that are being filled, or null. */
    private volatile @Nullable KeyFilters next;

    /** Whether a poll has succeeded. */
    private volatile boolean hasPolled;

    /** When the last poll that succeeded began. */
    private volatile long polled;

    /**
     * Where the feed was read to; null before the first poll. It is written after all changes up to
     * it are in the filters, so who reads it and then the filters reads those changes, too.
     */
    private volatile @Nullable FeedPosition position;

    /** How many changes were applied. */
    private final AtomicLong changes = new AtomicLong();

    /**
     * Makes a follower without filters.
     *
     * @param seed decides the hashes of new filters, and must be secret
     * @param room for how many keys a filter is made at least
     * @param nanos the clock of the server, such as {@link System#nanoTime}
     */
    Follower(
            EntryTable table,
            FilterSize size,
            long seed,
            Versions versions,
            long room,
            LongSupplier nanos) {
        this.table = table;
        this.size = size;
        this.seed = seed;
        this.versions = versions;
        this.room = room;
        this.nanos = nanos;
    }

    /**
     * Takes up filters that were kept. Call this before the first poll, which applies the changes
     * since then, or finds that the feed does not go on from there.
     */
    void resume(Kept kept) {
        position = kept.position();
        filters = kept.filters();
    }

    /**
     * Returns what to keep for the next start, or null while there is nothing. The filters have all
     * changes up to the position, and perhaps more.
     */
    @Nullable Kept toKeep() {
        // The position first: filters that are ahead of it do no harm.
        FeedPosition from = position;
        KeyFilters now = filters;
        return from == null || now == null ? null : new Kept(from, now);
    }

    /** Filters, and the position from which on changes must be applied to them. */
    record Kept(FeedPosition position, KeyFilters filters) {}

    /** Returns how many changes were applied since this was made. */
    long changes() {
        return changes.get();
    }

    /** Returns the filters to believe, or null when there are none. */
    @Nullable KeyFilters filters() {
        return filters;
    }

    /** Returns whether the feed has been read since this was made. */
    boolean hasPolled() {
        return hasPolled;
    }

    /** Returns the nanoseconds since which a change may have been missed. */
    long staleness() {
        return nanos.getAsLong() - polled;
    }

    /** Returns the versions of what the table has. */
    Versions versions() {
        return versions;
    }

    /** Returns whether new filters wait for {@link #build}. */
    boolean mustBuild() {
        return next != null;
    }

    /**
     * Applies all changes that are visible now. If the feed does not go on from where it was read
     * to, the filters are not believed any more, and new ones must be built.
     *
     * @return whether the feed goes on, or was not read before
     * @throws IOException if the table cannot be read; nothing has changed then
     */
    boolean poll() throws IOException {
        long began = nanos.getAsLong();
        boolean goesOn = readFeed();
        polled = began;
        hasPolled = true;
        return goesOn;
    }

    private boolean readFeed() throws IOException {
        FeedPosition from = position;
        FeedPosition next =
                from == null ? null : table.changes(from, change -> changed(change.sender()));
        if (next == null) {
            startAgain();
            return from == null;
        }
        position = next;
        growIfFull();
        return true;
    }

    private void startAgain() throws IOException {
        FeedPosition start = table.position();
        long count = count(FIRST_GUESS);
        KeyFilters empty = filters(count, Math.min(count, FEW_DOMAINS));
        synchronized (adding) {
            // At once: else filters that were being filled could come into force in between.
            filters = null;
            next = empty;
        }
        position = start;
        versions.changeAll();
    }

    /**
     * Returns how many entries there are.
     *
     * @param otherwise what to take if the database cannot count them in time; if it is too few,
     *     the filter grows
     */
    private long count(long otherwise) {
        try {
            return table.count();
        } catch (IOException e) {
            return otherwise;
        }
    }

    private void growIfFull() {
        KeyFilters now = filters;
        if (now != null && now.isFull() && next == null) {
            // Many of those that were added may have been removed again.
            long most = count(Long.MAX_VALUE / 2);
            next =
                    filters(
                            2 * Math.min(most, now.addresses().added()),
                            2 * Math.min(most, now.domains().added()));
        }
    }

    private KeyFilters filters(long addresses, long domains) {
        return new KeyFilters(size, seed, Math.max(room, addresses), Math.max(room, domains));
    }

    /**
     * Puts an entry into the table, so that this server knows it when this returns.
     *
     * @throws IOException as {@link EntryTable#put}
     */
    Effect put(Entry entry, String who) throws IOException {
        try {
            return table.put(entry, who).effect();
        } finally {
            changed(entry.key());
        }
    }

    /**
     * Puts entries into the table, so that this server knows them when this returns.
     *
     * @throws IOException as {@link EntryTable#putAll}
     */
    List<Effect> putAll(List<Entry> entries, String who) throws IOException {
        try {
            return effects(table.putAll(entries, who));
        } finally {
            entries.forEach(entry -> changed(entry.key()));
        }
    }

    /**
     * Changes entries of the table, so that this server knows them when this returns.
     *
     * @throws IOException as {@link EntryTable#update}
     */
    List<Effect> update(List<Target> targets, UnaryOperator<List<Rule>> change, String who)
            throws IOException {
        try {
            return effects(table.update(targets, change, who));
        } finally {
            targets.forEach(target -> changed(target.sender()));
        }
    }

    /**
     * Removes an entry from the table, so that this server no longer knows it when this returns.
     *
     * @throws IOException as {@link EntryTable#remove}
     */
    Effect remove(Origin origin, Key sender, @Nullable Key to, String who) throws IOException {
        try {
            return table.remove(origin, sender, to, who).effect();
        } finally {
            changed(sender);
        }
    }

    /**
     * Removes entries from the table, as {@link #remove} does with one.
     *
     * @throws IOException as {@link EntryTable#removeAll}
     */
    List<Effect> removeAll(List<Target> targets, String who) throws IOException {
        try {
            return effects(table.removeAll(targets, who));
        } finally {
            targets.forEach(target -> changed(target.sender()));
        }
    }

    private static List<Effect> effects(List<Done> done) {
        return done.stream().map(Done::effect).toList();
    }

    private void changed(Key sender) {
        synchronized (adding) {
            add(filters, sender);
            add(next, sender);
        }
        versions.change(sender);
        changes.incrementAndGet();
    }

    private static void add(@Nullable KeyFilters to, Key sender) {
        if (to != null) {
            to.add(sender);
        }
    }

    /**
     * Fills the new filters with all senders of the table, and puts them in force.
     *
     * @throws IOException if the table cannot be read; the filters in force stay
     */
    void build() throws IOException {
        KeyFilters built = next;
        if (built == null) {
            return;
        }
        table.forEachSender(
                sender -> {
                    synchronized (adding) {
                        built.add(sender);
                    }
                });
        synchronized (adding) {
            // The feed may have been lost meanwhile; then others are to be filled.
            if (isSame(next, built)) {
                filters = built;
                next = null;
            }
        }
    }

    @SuppressWarnings("ReferenceEquality")
    private static boolean isSame(@Nullable KeyFilters some, KeyFilters other) {
        return some == other;
    }
}
