package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.KeyHasher;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.living.BaseAndChanges.Since;
import io.github.senderwhitelist.living.Comparison.Differences;
import io.github.senderwhitelist.living.EntryTable.Change;
import io.github.senderwhitelist.living.EntryTable.Done;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.EntryTable.Target;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * The follower of a table's feed, which keeps base and changes in step with the table. {@link
 * #poll} reads the feed and lays changes over the base in force, and over one that is being made.
 * Changes made by this server are laid at once.
 *
 * <p>ADR 11 says why the entries in force are never older than the last poll, whatever happens
 * meanwhile.
 */
final class Follower {
    /** The most bytes of changes. Beyond, no change is taken until a new base is made. */
    static final long MOST_BYTES = 64L << 20;

    private final EntryTable table;
    private final LongSupplier seeds;
    private final LongSupplier nanos;
    private final InstantSource clock;
    private final long mostBytes;
    private final Consumer<String> unreadable;
    private final Duration patience;
    private final Semaphore polling = new Semaphore(1);
    private final Object laying = new Object();

    private volatile @Nullable BaseAndChanges inForce;

    /** The changes for a base that is being made, or null. */
    private volatile @Nullable Since next;

    /** Where the feed was read to, and when; null before the first poll. */
    private volatile @Nullable FeedPosition position;

    private volatile long positionAt;

    /**
     * Changes that were laid, and that the position has not seen: own ones that no poll has brought
     * yet, and those of a poll that failed. Guarded by {@link #laying}.
     */
    private final List<Change> unpolled = new ArrayList<>();

    /** The targets of this server's changes that are under way, and how many change each. */
    private final Map<Target, Integer> changing = new ConcurrentHashMap<>();

    /** What the base in force has seen; until the next poll, it may be ahead of the position. */
    private volatile @Nullable FeedPosition ahead;

    /** The number of times that the feed did not continue. */
    private volatile long lost;

    /** Polls that have begun, and the last that succeeded. */
    private volatile long begun;

    private volatile long succeeded;

    /** When the last poll that succeeded began, by {@link #nanos}. */
    private volatile long polled;

    /**
     * Makes a follower with nothing in force.
     *
     * @param seeds returns seeds for hashes, which must be secret
     * @param nanos the clock of the server, such as {@link System#nanoTime}
     * @param clock the time, which is kept with bases
     * @param mostBytes how many bytes the changes may take
     * @param patience how long to wait for a poll that another thread began, or for room
     * @param unreadable takes why rows of the table cannot be used
     */
    Follower(
            EntryTable table,
            LongSupplier seeds,
            LongSupplier nanos,
            InstantSource clock,
            long mostBytes,
            Duration patience,
            Consumer<String> unreadable) {
        this.table = table;
        this.seeds = seeds;
        this.nanos = nanos;
        this.clock = clock;
        this.mostBytes = mostBytes;
        this.patience = patience;
        this.unreadable = unreadable;
    }

    /** Returns the base and changes in force, or null if there are none yet. */
    @Nullable BaseAndChanges inForce() {
        return inForce;
    }

    /** Returns whether a base that is being made is still of use. */
    boolean isNext(Since made) {
        return isSame(next, made);
    }

    /** Returns the changes for a base that is being made, or null. */
    @Nullable Since next() {
        return next;
    }

    /** Returns whether the feed has been read since this was made. */
    boolean hasPolled() {
        return succeeded > 0;
    }

    /** Returns the nanoseconds since which a change may have been missed. */
    long staleness() {
        return nanos.getAsLong() - polled;
    }

    /** Returns whether a base must be made from the table. */
    boolean mustStream() {
        BaseAndChanges now = inForce;
        return hasPolled() && (now == null || !now.isFollowed());
    }

    /** Returns whether there is no room for more changes. */
    boolean isFull() {
        BaseAndChanges now = inForce;
        Since made = next;
        return (now != null && now.isFollowed() && now.since().changes().bytes() > mostBytes)
                || (made != null && made.changes().bytes() > mostBytes);
    }

    /**
     * Puts a base in force that was kept. Call this before the first poll, which lays the changes
     * since then over it, or finds that the feed does not go on from there.
     *
     * @param seen a position that has seen all that is in the base
     */
    void resume(Generation generation, Since since, FeedPosition seen) {
        ahead = seen;
        position = since.position();
        positionAt = since.asOf();
        inForce = new BaseAndChanges(generation, since);
    }

    /**
     * Completes a comparison of the entries in force with a table, once all changes are laid over
     * both.
     *
     * @throws IOException as {@link #poll}
     */
    Differences settle(Comparison comparison, BaseAndChanges with, Since made) throws IOException {
        poll();
        synchronized (laying) {
            try {
                return comparison.differences(with.generation(), made.changes());
            } catch (RetiredException e) {
                throw new IOException("the list was closed", e);
            }
        }
    }

    /** Returns an empty set of changes since a position. */
    Since since(FeedPosition from, long asOf, long seed) {
        return new Since(from, asOf, table.seen(from), new Changes(new KeyHasher(seed)), seed);
    }

    /**
     * Lays all changes that are visible now over the base. If the feed does not go on from where it
     * was read to, the base in force is only what was known last, and another must be streamed.
     *
     * @return whether the feed goes on, or was not read before
     * @throws IOException if the table cannot be read, or there is no room for changes
     */
    boolean poll() throws IOException {
        awaitTurn();
        try {
            return pollNow();
        } finally {
            polling.release();
        }
    }

    /** Returns once a poll that began after this call has ended. */
    private void awaitPoll() throws IOException {
        long before = begun;
        awaitTurn();
        try {
            if (succeeded <= before) {
                pollNow();
            }
        } finally {
            polling.release();
        }
    }

    /**
     * Polls. There need not be room for all changes.
     *
     * @return a position that has seen all that was laid before
     * @throws IOException if the table cannot be read
     */
    FeedPosition pollAgain() throws IOException {
        try {
            poll();
            return Objects.requireNonNull(position);
        } catch (NoRoomException e) {
            return e.seen;
        }
    }

    /**
     * Returns a position that has seen all that was laid. Does not read the table.
     *
     * @throws IOException if only a poll could say that
     */
    FeedPosition seen() throws IOException {
        awaitTurn();
        try {
            synchronized (laying) {
                FeedPosition at = position;
                if (at != null && ahead == null && unpolled.isEmpty()) {
                    return at;
                }
            }
        } finally {
            polling.release();
        }
        throw stillBeingRead();
    }

    private void awaitTurn() throws IOException {
        try {
            if (polling.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        throw stillBeingRead();
    }

    private static IOException stillBeingRead() {
        return new IOException(
                "the changes are still being read. What was changed comes into force with them");
    }

    private boolean pollNow() throws IOException {
        long began = nanos.getAsLong();
        long beganAt = clock.millis();
        long number = begun + 1;
        begun = number;
        FeedPosition from = position;
        List<Change> expected;
        synchronized (laying) {
            expected = List.copyOf(unpolled);
        }
        List<Change> laid = new ArrayList<>();
        boolean goesOn;
        boolean ended = false;
        try {
            goesOn = from != null && read(from, beganAt, expected, laid);
            if (!goesOn) {
                startAgain(table.position(), beganAt, expected.size());
            }
            ended = true;
        } finally {
            if (!ended) {
                synchronized (laying) {
                    unpolled.addAll(laid);
                }
            }
        }
        polled = began;
        succeeded = number;
        return goesOn || from == null;
    }

    /**
     * Lays all changes after a position, and goes on to the position after them.
     *
     * @param asOf the time at which this began
     * @param expected those changes that were unpolled before
     * @param laid receives the others that are laid
     * @return false if the feed does not go on, has more changes than there can be room for, or
     *     lacks an own change that was acknowledged before, since the database was put back to an
     *     older state
     * @throws IOException if there is no room for them until others are folded, or the table cannot
     *     be read. The next poll must bring again what was laid
     */
    private boolean read(FeedPosition from, long asOf, List<Change> expected, List<Change> laid)
            throws IOException {
        // Before the feed is read: a base that comes into force later may be ahead of that, too.
        FeedPosition seenByBase = ahead;
        LongPredicate seen = table.seen(from);
        Set<Long> missing = new HashSet<>();
        for (Change own : expected) {
            if (!seen.test(own.transaction())) {
                missing.add(own.token());
            }
        }
        Set<Long> brought = new HashSet<>(missing);
        List<Change> leftOut = new ArrayList<>(0);
        FeedPosition to =
                table.changes(
                        from,
                        change -> {
                            boolean isExpected = missing.remove(change.token());
                            if (!isFull() || isLaid(change)) {
                                if (!isExpected) {
                                    laid.add(change);
                                }
                                lay(change);
                            } else if (leftOut.isEmpty()) {
                                leftOut.add(change);
                            }
                        });
        if (to == null || !missing.isEmpty()) {
            return false;
        }
        // Only now: if the database is put back after this, the new position finds it out.
        if (seenByBase != null && table.changes(seenByBase, change -> {}) == null) {
            return false;
        }
        if (!leftOut.isEmpty()) {
            BaseAndChanges now = inForce;
            if (now != null && now.isFollowed() && now.since().changes().hasSeen(seen)) {
                throw new NoRoomException("The feed is not read on until then", to);
            }
            // No fold makes room: the table is read instead.
            return false;
        }
        LongPredicate seenNow = table.seen(to);
        synchronized (laying) {
            // Others were added behind them only. Those that this poll must have brought, since the
            // new position has seen them, would not be missed by a later one.
            List<Change> due =
                    unpolled.stream()
                            .skip(expected.size())
                            .filter(own -> !seen.test(own.transaction()))
                            .filter(own -> seenNow.test(own.transaction()))
                            .toList();
            if (!due.isEmpty()) {
                laid.forEach(change -> brought.add(change.token()));
                if (!due.stream().allMatch(own -> brought.contains(own.token()))) {
                    return false; // The database was put back before the feed was read.
                }
            }
            if (isHidden(unpolled.subList(expected.size(), unpolled.size()), laid)) {
                return false;
            }
            unpolled.subList(0, expected.size()).clear();
            if (isSame(ahead, seenByBase)) {
                ahead = null;
            }
            position = to;
            positionAt = asOf;
        }
        return true;
    }

    /**
     * Returns whether a poll laid a later change over one that was made meanwhile, and that it did
     * not bring. Only a database that was put back has such numbers: of one entry, changes are
     * visible in the order of their numbers.
     */
    private static boolean isHidden(List<Change> meanwhile, List<Change> laid) {
        Map<Target, Change> own = new HashMap<>();
        meanwhile.forEach(change -> own.put(change.target(), change));
        if (own.isEmpty()) {
            return false;
        }
        laid.forEach(
                change ->
                        own.computeIfPresent(
                                change.target(),
                                (any, made) -> made.token() == change.token() ? null : made));
        return laid.stream()
                .anyMatch(
                        change -> {
                            Change made = own.get(change.target());
                            return made != null && change.number() >= made.number();
                        });
    }

    /** Returns whether a change, or a later one, is already laid over each base. */
    private boolean isLaid(Change change) {
        BaseAndChanges now = inForce;
        Since made = next;
        return (now == null || !now.isFollowed() || now.since().changes().has(change))
                && (made == null || made.changes().has(change));
    }

    /**
     * Begins with a feed that does not go on from where it was read to. Own changes that were made
     * during the poll are laid again: it may have read the feed before the database was put back,
     * and laid that over them.
     *
     * @param expected how many changes were unpolled before the poll
     */
    private void startAgain(FeedPosition start, long asOf, int expected) {
        synchronized (laying) {
            BaseAndChanges now = inForce;
            if (now != null) {
                if (now.isFollowed()) {
                    for (Change own : unpolled.subList(expected, unpolled.size())) {
                        now.since().changes().put(own.asLast());
                    }
                }
                now.endFollowing();
            }
            next = since(start, asOf, seeds.getAsLong());
            position = start;
            positionAt = asOf;
            unpolled.clear();
            ahead = null;
            lost++;
            laying.notifyAll();
        }
    }

    /** Signals that there is no room for changes of the feed. */
    private static final class NoRoomException extends IOException {
        private static final long serialVersionUID = 1L;

        /** The position after all changes, of which some are not laid. */
        final transient FeedPosition seen;

        NoRoomException(String what, FeedPosition seen) {
            super(full(what));
            this.seen = seen;
        }
    }

    private static String full(String what) {
        return "there are too many changes for the memory, since no new base can be made of them. "
                + what;
    }

    private void lay(Change change) {
        if (change.unreadable() != null) {
            unreadable.accept(change.unreadable());
        }
        synchronized (laying) {
            BaseAndChanges now = inForce;
            if (now != null) {
                now.layPolled(change);
            }
            Since made = next;
            if (made != null) {
                made.changes().put(change);
            }
        }
    }

    /** Lays an entry that no snapshot can hold over a base that is being made. */
    void layLarge(Entry entry, Since made) {
        synchronized (laying) {
            made.layLarge(entry);
        }
    }

    /**
     * Begins a base with all changes up to the last poll.
     *
     * @return null if there is nothing to make it of but the table, or one is being made
     */
    @Nullable Since begin() {
        synchronized (laying) {
            BaseAndChanges now = inForce;
            FeedPosition at = position;
            if (now == null || !now.isFollowed() || at == null || next != null) {
                return null;
            }
            Since made = since(at, positionAt, seeds.getAsLong());
            now.since().changes().copyUnseen(made.seen(), made.changes());
            next = made;
            return made;
        }
    }

    /** Gives up a base that was begun by {@link #begin}. */
    void giveUp(Since made) {
        synchronized (laying) {
            BaseAndChanges now = inForce;
            if (isSame(next, made) && now != null && now.isFollowed()) {
                next = null;
                laying.notifyAll();
            }
        }
    }

    /**
     * Puts a base that was made in force. Returns false if the feed was lost meanwhile, so that it
     * is of no use.
     *
     * @param seenAll a position that has seen all that is in the base
     */
    boolean putInForce(Generation generation, Since made, FeedPosition seenAll) {
        BaseAndChanges before;
        synchronized (laying) {
            if (!isSame(next, made)) {
                return false;
            }
            before = inForce;
            inForce = new BaseAndChanges(generation, made);
            next = null;
            ahead = seenAll;
            laying.notifyAll();
        }
        if (before != null) {
            before.generation().retire();
        }
        return true;
    }

    @SuppressWarnings("ReferenceEquality")
    private static boolean isSame(@Nullable Object some, @Nullable Object other) {
        return some == other;
    }

    /** Puts nothing in force any more. */
    void close() {
        BaseAndChanges before;
        synchronized (laying) {
            before = inForce;
            inForce = null;
            next = null;
        }
        if (before != null) {
            before.generation().retire();
        }
    }

    /** Returns a position that has seen all that was laid. */
    @FunctionalInterface
    interface Seen {
        FeedPosition position() throws IOException;
    }

    /** A change of the table. */
    @FunctionalInterface
    private interface Write {
        List<Done> run() throws IOException;
    }

    /**
     * Puts entries into the table, so that they are in force on this server when this returns.
     *
     * @throws IOException as {@link EntryTable#putAll}
     */
    List<Effect> putAll(List<Entry> entries, String who) throws IOException {
        return change(
                entries.stream().map(Target::of).toList(),
                () ->
                        entries.size() == 1
                                ? List.of(table.put(entries.getFirst(), who))
                                : table.putAll(entries, who));
    }

    /**
     * Changes entries of the table, so that this is in force on this server when this returns.
     *
     * @throws IOException as {@link EntryTable#update}
     */
    List<Effect> update(List<Target> targets, UnaryOperator<List<Rule>> change, String who)
            throws IOException {
        return change(targets, () -> table.update(targets, change, who));
    }

    /**
     * Removes entries from the table, so that they are gone on this server when this returns.
     *
     * @throws IOException as {@link EntryTable#removeAll}
     */
    List<Effect> removeAll(List<Target> targets, String who) throws IOException {
        return change(targets, () -> table.removeAll(targets, who));
    }

    /** Waits while a base is being made that makes room, if there is none. */
    private void awaitRoom() throws IOException {
        long end = System.nanoTime() + patience.toNanos();
        synchronized (laying) {
            while (isFull()) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (next == null || left <= 0) {
                    throw new IOException(full("Nothing was changed"));
                }
                try {
                    laying.wait(left);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IOException(full("Nothing was changed"));
                }
            }
        }
    }

    /**
     * Changes the table, and lays the changes over the base. Changes that another server made just
     * before come with a poll; so do all changes if the feed is not known yet, or did not continue
     * meanwhile: then the change may be one of a database that was put back since.
     */
    private List<Effect> change(List<Target> targets, Write write) throws IOException {
        awaitRoom();
        targets.forEach(each -> changing.merge(each, 1, Integer::sum));
        try {
            return changeNow(targets, write);
        } finally {
            targets.forEach(
                    each -> changing.compute(each, (any, n) -> n == null || n == 1 ? null : n - 1));
        }
    }

    private List<Effect> changeNow(List<Target> targets, Write write) throws IOException {
        long lostBefore = hasPolled() ? lost : -1;
        List<Done> done = write.run();
        // A poll that goes on may lay an older state than the one found, and a base that is being
        // made may have it.
        boolean mayBeOlder = polling.availablePermits() == 0 || next != null;
        List<Effect> effects = new ArrayList<>();
        boolean byPoll = false;
        for (int i = 0; i < done.size(); i++) {
            Done each = done.get(i);
            effects.add(each.effect());
            byPoll |=
                    each.effect() == Effect.NONE
                            ? mayBeOlder
                                    || isChanging(targets.get(i))
                                    || !isInForce(targets.get(i), each)
                            : !lay(targets.get(i), each, lostBefore);
        }
        if (byPoll) {
            awaitPoll();
        }
        return effects;
    }

    /** Returns whether another change by this server, which may be older, is under way. */
    private boolean isChanging(Target target) {
        return changing.getOrDefault(target, 0) > 1;
    }

    /** Lays an own change over the base, unless the feed did not go on since a time. */
    private boolean lay(Target target, Done done, long lostBefore) {
        synchronized (laying) {
            if (lost != lostBefore) {
                return false;
            }
            Change own =
                    new Change(
                            target.sender(),
                            target.to(),
                            target.origin(),
                            done.rules(),
                            done.number(),
                            done.transaction(),
                            done.token(),
                            null);
            FeedPosition to = position;
            if (to != null && table.seen(to).test(own.transaction())) {
                // A poll has brought it, or a base has it, or the database was put back and used
                // the number again.
                return false;
            }
            BaseAndChanges now = inForce;
            Since made = next;
            boolean overBase = now != null && now.layOwn(own);
            boolean overNext = made != null && made.layOwn(own);
            if (overBase || overNext) {
                // Also if only over one: a base that is made of it would have it.
                unpolled.add(own);
            }
            // If not, a poll has brought it already, or, rarely, the database was put back.
            return (now == null || overBase) && (made == null || overNext);
        }
    }

    /** Returns whether an origin's rules in the table are those in force. */
    private boolean isInForce(Target target, Done found) throws IOException {
        BaseAndChanges now = inForce;
        if (now == null || !now.isFollowed()) {
            return true; // What is known last stays until a new base is made, which has it.
        }
        try {
            Entry entry = now.generation().find(target.sender(), target.to());
            List<Rule> rules = new ArrayList<>(entry == null ? List.of() : entry.rules());
            rules.removeIf(rule -> rule.origin() != target.origin());
            return rules.size() == found.rules().size() && rules.containsAll(found.rules());
        } catch (RetiredException e) {
            return false;
        }
    }
}
