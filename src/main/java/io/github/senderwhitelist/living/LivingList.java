package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.EntryTable.Target;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * A list whose entries are in a database and change one by one. A filter in memory keeps strangers
 * from the database; a cache keeps most others from it.
 *
 * <p>A thread follows the feed of changes, another fills new filters when they are needed. While
 * this server does not know the latest changes, because it starts or cannot reach the database, it
 * believes neither the filters nor the cache, and asks the database for every sender.
 */
public final class LivingList implements SenderList, Closeable {
    /** How long to wait after a failure before the whole table is read again. */
    private static final Duration BUILD_PAUSE = Duration.ofSeconds(5);

    /** For how many keys a filter is made at least; it takes a kilobyte or two. */
    private static final long ROOM = 1_000;

    /** How long {@link #close} waits for each thread to end. */
    private static final Duration JOIN_TIME = Duration.ofSeconds(5);

    private static final Duration SWEEP_INTERVAL = Duration.ofHours(1);

    /** How long the building thread waits for work at most. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private final LivingSettings settings;
    private final EntryTable table;
    private final ListCounters counters;
    private final LivingListener listener;
    private final Follower follower;
    private final FilterKeeper keeper;
    private final Lookups lookups;
    private final LivingLines lines;
    private final Thread polling;
    private final Thread building;

    /** Has a permit when there is something to build. */
    private final Semaphore due = new Semaphore(0);

    private volatile boolean closed;

    /** Why the feed or the table cannot be read, or null. */
    private volatile @Nullable String problem;

    /**
     * When to remove what has ended. Used by the building thread only. Not when the list is opened:
     * a machine that has just started may not know the time yet.
     */
    private long nextSweep = System.nanoTime() + SWEEP_INTERVAL.toNanos();

    /**
     * Opens a list and begins to follow its table. If the database answers, the filters are in
     * force when this returns. If not, the list is open all the same, and takes up the table when
     * it can; until then it tells strangers by the filters that were kept, if there are any.
     *
     * @param table the table, which the list closes
     * @param kept the file in which filters are kept for the next start; null keeps none
     * @param listener is told of failures and of new filters, by the threads of the list
     */
    public static LivingList open(
            LivingSettings settings,
            EntryTable table,
            @Nullable Path kept,
            LivingListener listener,
            ListCounters counters) {
        LivingList list = new LivingList(settings, table, kept, listener, counters);
        list.keeper.resume();
        list.poll(null);
        list.build();
        list.polling.start();
        list.building.start();
        return list;
    }

    private LivingList(
            LivingSettings settings,
            EntryTable table,
            @Nullable Path kept,
            LivingListener listener,
            ListCounters counters) {
        this.settings = settings;
        this.table = table;
        this.listener = listener;
        this.counters = counters;
        this.lookups = new Lookups(settings.name(), table, settings.lookupTimeout());
        this.follower =
                new Follower(
                        table,
                        settings.filter(),
                        new SecureRandom().nextLong(),
                        new Versions(),
                        ROOM,
                        System::nanoTime);
        this.lines = new LivingLines(settings, follower, lookups::findAll, counters);
        this.keeper =
                new FilterKeeper(
                        kept == null ? null : new FilterFile(Disk.LOCAL, kept),
                        settings.filter(),
                        follower,
                        listener);
        this.polling = thread(this::follow, "whitelist feed of " + settings.name());
        this.building = thread(this::keepBuilding, "whitelist filters of " + settings.name());
    }

    private static Thread thread(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public SenderLines current() {
        return lines;
    }

    /** Returns the settings that the list was opened with. */
    public LivingSettings settings() {
        return settings;
    }

    /** Returns the counts of questions and answers. */
    public ListCounters counters() {
        return counters;
    }

    /** Returns the table. Change its entries by the methods of this list only. */
    public EntryTable table() {
        return table;
    }

    /** Returns the state of the list now. */
    public LivingStatus status() {
        return lines.status(problem);
    }

    /** Returns the time since which a change of other servers may have been missed. */
    public Duration staleness() {
        return Duration.ofNanos(follower.staleness());
    }

    /**
     * Puts an entry in place of what its origin had for the same sender and recipients. It is in
     * force on this server when this returns.
     *
     * @param who who did it, for the history
     * @throws IOException if the database fails; the entry may have been put or not
     */
    public Effect put(Entry entry, String who) throws IOException {
        return follower.put(entry, who);
    }

    /**
     * Puts entries in their order, all in one transaction. They are in force on this server when
     * this returns.
     *
     * @return what was done for each entry, in the same order
     * @throws IOException if the database fails; all of the entries may have been put, or none
     */
    public List<Effect> putAll(List<Entry> entries, String who) throws IOException {
        return follower.putAll(entries, who);
    }

    /**
     * Puts entries that are computed from what is there, all in one transaction, as {@link
     * EntryTable#update} does. They are in force on this server when this returns.
     *
     * @throws IOException if the database fails; all may have been changed, or none
     */
    public List<Effect> update(List<Target> targets, UnaryOperator<List<Rule>> change, String who)
            throws IOException {
        return follower.update(targets, change, who);
    }

    /**
     * Removes what an origin has for a sender and some recipients, or all if {@code to} is null. It
     * is gone on this server when this returns.
     *
     * @param who who did it, for the history
     * @throws IOException if the database fails; the entry may have been removed or not
     */
    public Effect remove(Origin origin, Key sender, @Nullable Key to, String who)
            throws IOException {
        return follower.remove(origin, sender, to, who);
    }

    /**
     * Removes what origins have, all in one transaction. It is gone on this server when this
     * returns.
     *
     * @return what was done for each, in the same order
     * @throws IOException if the database fails; all may have been removed, or none
     */
    public List<Effect> removeAll(List<Target> targets, String who) throws IOException {
        return follower.removeAll(targets, who);
    }

    private void follow() {
        while (!closed) {
            await(() -> table.awaitChange(settings.pollInterval()));
            // First, so that the feed tells of these changes, too.
            poll(takeOverLines());
        }
    }

    /**
     * Takes over lines that people have put into the database, for as long as there are some, but
     * not so long that the feed is not read. Returns why that failed, or null.
     */
    private @Nullable Throwable takeOverLines() {
        long start = System.nanoTime();
        try {
            while (!closed
                    && table.takeOverLines()
                    && System.nanoTime() - start < settings.pollInterval().toNanos()) {
                // The next part.
            }
            return null;
        } catch (IOException | RuntimeException | Error e) {
            return e;
        }
    }

    /**
     * Reads the feed. An error must not end the thread.
     *
     * @param notTaken why lines could not be taken over, or null
     */
    private void poll(@Nullable Throwable notTaken) {
        try {
            if (!follower.poll()) {
                listener.lost();
            }
            if (!follower.mustBuild() && notTaken == null) {
                recovered();
            }
            if (follower.mustBuild() || keeper.mustKeep()) {
                due.release();
            }
            if (notTaken != null) {
                failed("lines put by SQL cannot be taken over", notTaken);
            }
        } catch (IOException | RuntimeException | Error e) {
            failed("the changes cannot be read", e);
        }
    }

    private void keepBuilding() {
        while (!closed) {
            awaitBuild();
            if (!closed) {
                boolean done = build() && sweep();
                if (keeper.mustKeep()) {
                    keeper.keep();
                }
                if (!done) {
                    await(() -> Thread.sleep(BUILD_PAUSE));
                }
            }
        }
    }

    /** Fills new filters if they are needed. Returns whether none are needed any more. */
    private boolean build() {
        try {
            while (follower.mustBuild()) {
                follower.build();
                listener.built(lines.status(null));
            }
            return true;
        } catch (IOException | RuntimeException | Error e) {
            failed("the entries cannot be read", e);
            return false;
        }
    }

    /** Removes what has ended, once an hour. Returns whether there was no failure. */
    private boolean sweep() {
        long now = System.nanoTime();
        try {
            if (now - nextSweep >= 0) {
                table.sweep(Instant.now());
                nextSweep = now + SWEEP_INTERVAL.toNanos();
            }
            return true;
        } catch (IOException | RuntimeException | Error e) {
            failed("what has ended cannot be removed", e);
            return false;
        }
    }

    private void failed(String what, Throwable e) {
        if (!closed) {
            boolean isNew = problem == null;
            problem = what + ": " + e.getMessage();
            if (isNew) {
                listener.failed(what, e);
            }
        }
    }

    private void recovered() {
        if (problem != null) {
            problem = null;
            listener.recovered();
        }
    }

    /** Waits until there is something to build or to keep, or something may have ended. */
    private void awaitBuild() {
        if (!follower.mustBuild()) {
            await(
                    () -> {
                        if (due.tryAcquire(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS)) {
                            due.drainPermits();
                        }
                    });
        }
    }

    /** Something that waits. */
    @FunctionalInterface
    private interface Waiting {
        void run() throws InterruptedException;
    }

    /** Waits, unless the list is closed. */
    private void await(Waiting waiting) {
        if (!closed) {
            try {
                waiting.run();
            } catch (InterruptedException e) {
                // The list was closed. If it was not, the interrupt was not ours: go on.
                return;
            }
        }
    }

    /** Stops following the table and closes it. Who still asks gets {@code unavailable}. */
    @Override
    public void close() throws IOException {
        closed = true;
        lines.close();
        polling.interrupt();
        building.interrupt();
        due.release();
        lookups.close();
        try (table) {
            polling.join(JOIN_TIME);
            if (building.join(JOIN_TIME) && keeper.isChanged()) {
                keeper.keep();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
