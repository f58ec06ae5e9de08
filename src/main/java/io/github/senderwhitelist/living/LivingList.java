package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.living.BaseAndChanges.Since;
import io.github.senderwhitelist.living.Comparison.Differences;
import io.github.senderwhitelist.living.EntryTable.Effect;
import io.github.senderwhitelist.living.EntryTable.Target;
import io.github.senderwhitelist.living.Follower.Seen;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A list whose entries are in a database and change one by one. All lookups are answered by a base,
 * which is a snapshot of the table, and the changes since. No mail waits for the database, or needs
 * it.
 *
 * <p>A thread follows the feed of changes, another makes new bases when they are needed.
 */
public final class LivingList implements SenderList, Closeable {
    /** How long to wait after a failure before a base is made again. */
    private static final Duration BUILD_PAUSE = Duration.ofSeconds(5);

    /** How long {@link #close} waits for each thread to end. */
    private static final Duration JOIN_TIME = Duration.ofSeconds(1);

    /** How long a change waits for the feed, where it must. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration SWEEP_INTERVAL = Duration.ofHours(1);

    /** How often the entries in force are compared with the whole table. */
    private static final Duration COMPARE_INTERVAL = Duration.ofDays(7);

    /** How long to wait after that failed. */
    private static final Duration COMPARE_PAUSE = Duration.ofHours(1);

    /** Bases of fewer entries are made when the list is closed, which takes a second at most. */
    private static final long SMALL = 1_000_000;

    /** How long the building thread waits for work at most. */
    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    private final LivingSettings settings;
    private final EntryTable table;
    private final ListCounters counters;
    private final LivingListener listener;
    private final Follower follower;
    private final BaseMaker maker;
    private final FoldSchedule schedule = new FoldSchedule(System::nanoTime);
    private final Thread polling;
    private final Thread building;

    /** Has a permit when there is something to build. */
    private final Semaphore due = new Semaphore(0);

    /** What {@link #current} returned last in place of the base in force. */
    private volatile WeakReference<@Nullable SenderLines> doubtful = new WeakReference<>(null);

    /** The callers that wait for the whole table to be read again. */
    private final Deque<CompletableFuture<LivingStatus>> reloads = new ConcurrentLinkedDeque<>();

    private volatile long differences;

    /** Not before this is the table compared again. Used by the building thread only. */
    private long nextCompare = System.nanoTime();

    private volatile boolean closed;

    /** Whether the server is about to end. */
    private volatile boolean settling;

    /** Why the feed or the table cannot be read, or null. */
    private volatile @Nullable String problem;

    /** Why no base can be made, or null. */
    private volatile @Nullable String baseProblem;

    /** Why a change was refused, until changes are possible again; else null. */
    private volatile @Nullable String refused;

    /**
     * When to remove entries that have ended. Used by the building thread only. Not when the list
     * is opened: a machine that has just started may not know the time yet.
     */
    private long nextSweep = System.nanoTime() + SWEEP_INTERVAL.toNanos();

    /**
     * Opens a list and begins to follow its table. If the database answers, or a base was kept, the
     * list is in force when this returns. If not, it is open all the same, and answers when it can.
     * A kept base answers while another is made.
     *
     * @param table the table, which the list closes
     * @param file where the base is kept for the next start
     * @param listener the listener to failures and new bases, called by the threads of the list
     */
    public static LivingList open(
            LivingSettings settings,
            EntryTable table,
            Path file,
            LivingListener listener,
            ListCounters counters) {
        LivingList list = new LivingList(settings, table, file, listener, counters);
        list.resume();
        list.poll();
        if (list.follower.inForce() == null) {
            list.build();
        }
        list.polling.start();
        list.building.start();
        return list;
    }

    private LivingList(
            LivingSettings settings,
            EntryTable table,
            Path file,
            LivingListener listener,
            ListCounters counters) {
        this.settings = settings;
        this.table = table;
        this.listener = listener;
        this.counters = counters;
        this.follower =
                new Follower(
                        table,
                        new SecureRandom()::nextLong,
                        System::nanoTime,
                        InstantSource.system(),
                        Follower.MOST_BYTES,
                        PATIENCE,
                        listener::unreadable);
        this.maker = new BaseMaker(settings, Disk.LOCAL, file, table, follower, counters, listener);
        this.polling = thread(this::follow, "whitelist feed of " + settings.name());
        this.building = thread(this::keepBuilding, "whitelist base of " + settings.name());
    }

    private static Thread thread(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    @Override
    public SenderLines current() {
        BaseAndChanges now = follower.inForce();
        if (now == null) {
            return sameIfEqual(new NoLines(settings.name(), closed, problem()));
        }
        return settings.believedWhenBehind() || !isBehind()
                ? now.generation()
                : sameIfEqual(new BehindLines(now.generation(), settings.name()));
    }

    /** Returns the lines that were returned before if these are equal: others are a change. */
    private SenderLines sameIfEqual(SenderLines lines) {
        SenderLines before = doubtful.get();
        if (before != null && before.equals(lines)) {
            return before;
        }
        doubtful = new WeakReference<>(lines);
        return lines;
    }

    /** Returns the settings that the list was opened with. */
    public LivingSettings settings() {
        return settings;
    }

    /** Returns the counts of lookups and their results. */
    public ListCounters counters() {
        return counters;
    }

    /** Returns the table. Change its entries by the methods of this list only. */
    public EntryTable table() {
        return table;
    }

    /** Returns the state of the list now. */
    public LivingStatus status() {
        BaseAndChanges now = follower.inForce();
        if (now == null) {
            return LivingStatus.none(problem());
        }
        boolean behind = isBehind();
        return LivingStatus.of(
                now,
                schedule.folds(),
                behind,
                behind || baseProblem != null || refused != null,
                maker.read(),
                differences,
                problem());
    }

    /**
     * Reads the whole table again, compares it with the entries in force, and puts it in force.
     * Takes about as long as the first base did.
     *
     * @return the state after that, with the differences
     * @throws IOException if it cannot be read or written, or the list is closed; what is in force
     *     stays
     */
    public LivingStatus reload() throws IOException {
        CompletableFuture<LivingStatus> reload = new CompletableFuture<>();
        reloads.add(reload);
        due.release();
        if (closed) {
            endReloads();
        }
        try {
            return reload.get();
        } catch (ExecutionException e) {
            Throwable cause = Objects.requireNonNull(e.getCause());
            throw new IOException(cause.getMessage(), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("the reload was interrupted, and goes on");
        }
    }

    private void endReloads() {
        for (var each = reloads.poll(); each != null; each = reloads.poll()) {
            each.completeExceptionally(new IOException("the list was closed"));
        }
    }

    /** Returns whether this server may not know the latest changes. */
    private boolean isBehind() {
        BaseAndChanges now = follower.inForce();
        return now == null
                || !now.isFollowed()
                || !follower.hasPolled()
                || follower.staleness() > settings.maxStaleness().toNanos();
    }

    /** Returns the time since which a change of other servers may have been missed. */
    public Duration staleness() {
        return Duration.ofNanos(follower.staleness());
    }

    /**
     * Puts an entry in place of its origin's entry for the same sender and recipients. It is in
     * force on this server when this returns.
     *
     * @param who who did it, for the history
     * @throws IOException if the database fails; the entry may have been put or not
     */
    public Effect put(Entry entry, String who) throws IOException {
        return putAll(List.of(entry), who).getFirst();
    }

    /**
     * Puts entries in their order, all in one transaction. They are in force on this server when
     * this returns.
     *
     * @return what was done for each entry, in the same order
     * @throws IOException if the database fails; all of the entries may have been put, or none
     */
    public List<Effect> putAll(List<Entry> entries, String who) throws IOException {
        return noticing(() -> follower.putAll(entries, who));
    }

    /**
     * Puts entries that are computed from the present ones, all in one transaction, as {@link
     * EntryTable#update} does. They are in force on this server when this returns.
     *
     * @throws IOException if the database fails; all may have been changed, or none
     */
    public List<Effect> update(List<Target> targets, UnaryOperator<List<Rule>> change, String who)
            throws IOException {
        return noticing(() -> follower.update(targets, change, who));
    }

    /**
     * Removes an origin's entry for a sender and some recipients, or all if {@code to} is null. It
     * is gone on this server when this returns.
     *
     * @param who who did it, for the history
     * @throws IOException if the database fails; the entry may have been removed or not
     */
    public Effect remove(Origin origin, Key sender, @Nullable Key to, String who)
            throws IOException {
        return removeAll(List.of(new Target(origin, sender, to)), who).getFirst();
    }

    /**
     * Removes origins' entries, all in one transaction. They are gone on this server when this
     * returns.
     *
     * @return what was done for each, in the same order
     * @throws IOException if the database fails; all may have been removed, or none
     */
    List<Effect> removeAll(List<Target> targets, String who) throws IOException {
        return noticing(() -> follower.removeAll(targets, who));
    }

    /** Changes the table. */
    @FunctionalInterface
    private interface Writing {
        List<Effect> run() throws IOException;
    }

    private List<Effect> noticing(Writing writing) throws IOException {
        try {
            return writing.run();
        } catch (IOException e) {
            refused = "a change was refused: " + e.getMessage();
            throw e;
        }
    }

    /** Finds out whether changes are still refused. */
    private void tryAgain() {
        if (refused != null && problem == null && !follower.isFull()) {
            try {
                table.requireWritable();
                refused = null;
            } catch (IOException | RuntimeException e) {
                refused = "changes are refused: " + e.getMessage();
            }
        }
    }

    private void follow() {
        while (!closed) {
            await(() -> Thread.sleep(settings.pollInterval()));
            if (settling && problem != null) {
                continue; // A poll may wait longer than a stop may take.
            }
            poll();
            tryAgain();
        }
    }

    /** Reads the feed. An error must not end the thread. */
    private void poll() {
        try {
            if (!follower.poll()) {
                listener.lost();
            }
            if (!follower.mustStream()) {
                recovered();
            }
            if (follower.mustStream() || mustFold()) {
                due.release();
            }
        } catch (IOException | RuntimeException | Error e) {
            failed("the changes cannot be read", e);
        }
    }

    private void resume() {
        try {
            if (maker.resume()) {
                LivingStatus status = status();
                schedule.resume(Duration.between(status.asOf(), Instant.now()));
                listener.resumed(status);
            }
        } catch (IOException | RuntimeException e) {
            listener.notResumed(e);
        }
    }

    private boolean mustFold() {
        BaseAndChanges now = follower.inForce();
        return now != null
                && now.isFollowed()
                && (schedule.mustFold(now) || (settling && canFoldSoon(now)));
    }

    private void keepBuilding() {
        while (!closed) {
            awaitBuild();
            if (!closed && !(build() && sweep())) {
                await(() -> Thread.sleep(BUILD_PAUSE));
            }
        }
    }

    /** Makes a base if one is needed. Returns whether there was no failure. */
    private boolean build() {
        try {
            while (!closed && follower.mustStream()) {
                stream(Objects.requireNonNull(follower.next()));
            }
            if (!closed && !reloads.isEmpty()) {
                reloadNow();
            } else if (!closed && mustCompare()) {
                nextCompare = System.nanoTime() + COMPARE_PAUSE.toNanos();
                compare();
            } else if (!closed && mustFold()) {
                fold();
            }
            if (baseProblem != null) {
                baseProblem = null;
                listener.recovered();
            }
            return true;
        } catch (IOException | RuntimeException | Error e) {
            if (!closed) {
                boolean isNew = baseProblem == null;
                baseProblem = "no new base can be made: " + e.getMessage();
                if (isNew) {
                    listener.failed("no new base can be made", e);
                }
            }
            return false;
        }
    }

    /** Reloads once for all callers that wait for it now. A failure is passed on to them. */
    private void reloadNow() {
        List<CompletableFuture<LivingStatus>> waiting = new ArrayList<>();
        for (var each = reloads.poll(); each != null; each = reloads.poll()) {
            waiting.add(each);
        }
        try {
            compare();
            LivingStatus status = status();
            waiting.forEach(each -> each.complete(status));
        } catch (IOException | RuntimeException | Error e) {
            waiting.forEach(each -> each.completeExceptionally(e));
        }
    }

    /** Returns whether the table was not read for a week, by a clock that may jump. */
    private boolean mustCompare() {
        Instant read = maker.read();
        BaseAndChanges now = follower.inForce();
        return now != null
                && now.isFollowed()
                && System.nanoTime() - nextCompare >= 0
                && (read == null
                        || Duration.between(read, Instant.now()).abs().compareTo(COMPARE_INTERVAL)
                                > 0);
    }

    private void compare() throws IOException {
        follower.pollAgain();
        BaseAndChanges with = follower.inForce();
        Since since = follower.begin();
        if (with == null || since == null) {
            throw new IOException("the changes are not known now: " + problem());
        }
        try {
            Differences found = maker.compare(with, since);
            if (found == null) {
                throw new IOException("the database was put back, or entries imported, meanwhile");
            }
            differences = found.entries();
            listener.compared(status(), found.first());
        } finally {
            follower.giveUp(since);
        }
    }

    private void stream(Since since) throws IOException {
        if (maker.stream(since)) {
            listener.built(status());
        }
    }

    /** Folds the changes. If that failed before, the base may be damaged, and the table is read. */
    void fold() throws IOException {
        fold(follower::pollAgain);
    }

    /**
     * Folds the changes.
     *
     * @param seen returns a position that has seen all changes
     */
    private void fold(Seen seen) throws IOException {
        // What no poll has brought yet could not become part of the base.
        seen.position();
        BaseAndChanges from = follower.inForce();
        Since since = follower.begin();
        if (from == null || since == null) {
            return;
        }
        boolean byTable = schedule.hasFailed();
        boolean done = false;
        schedule.begin();
        try {
            done = byTable ? maker.stream(since) : maker.fold(from, since, seen);
        } finally {
            schedule.end(done);
            follower.giveUp(since);
        }
    }

    /** Removes entries that have ended, once an hour. Returns whether there was no failure. */
    private boolean sweep() {
        long now = System.nanoTime();
        try {
            if (now - nextSweep >= 0) {
                table.sweep();
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

    private @Nullable String problem() {
        return Stream.of(problem, baseProblem, refused)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private void recovered() {
        if (problem != null) {
            problem = null;
            listener.recovered();
        }
    }

    /** Waits until there is something to build, or something may have ended. */
    private void awaitBuild() {
        if (!follower.mustStream() && reloads.isEmpty()) {
            await(
                    () -> {
                        if (due.tryAcquire(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS)) {
                            due.drainPermits();
                        }
                    });
        }
    }

    /** An action that waits. */
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

    /**
     * Folds the changes, since the server ends, perhaps without {@link #close}. What changes
     * afterwards is folded soon.
     */
    public void settle() {
        settling = true;
        if (problem != null) {
            // It may wait for a database that is away.
            polling.interrupt();
        }
        foldAtTheEnd();
    }

    private static boolean canFoldSoon(BaseAndChanges now) {
        return now.since().changes().count() > 0 && now.generation().header().entries() < SMALL;
    }

    /** Folds the changes of a small list, which the next start then knows without its database. */
    private void foldAtTheEnd() {
        BaseAndChanges now = follower.inForce();
        if (now != null && now.isFollowed() && canFoldSoon(now)) {
            try {
                // A database that is away need not be asked for changes that are known.
                fold(problem == null ? follower::pollAgain : follower::seen);
            } catch (IOException | RuntimeException e) {
                // The changes are in the database.
            }
        }
    }

    /** Stops following the table and closes it. Later lookups result in {@code unavailable}. */
    @Override
    public void close() throws IOException {
        closed = true;
        polling.interrupt();
        building.interrupt();
        due.release();
        try (table) {
            endReloads();
            polling.join(JOIN_TIME);
            if (building.join(JOIN_TIME)) {
                foldAtTheEnd();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            follower.close();
        }
    }
}
