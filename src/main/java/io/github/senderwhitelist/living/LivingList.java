package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.living.Follower.Owing;
import io.github.senderwhitelist.living.Follower.Setup;
import io.github.senderwhitelist.living.Follower.State;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/**
 * A list whose entries are in a database and change one by one. All questions are answered by a
 * base, which is a snapshot, and the changes that its log has brought since ({@link Follower}). No
 * mail waits for the database, or needs it.
 *
 * <p>One thread reads the log. Another merges, and reads the table when that is owed, and once a
 * week, so that what only a restore of the entries without their log would leave is gone by then.
 */
public final class LivingList implements SenderList, Closeable {
    /** How often one looks whether a base must be made. */
    private static final Duration LOOK_INTERVAL = Duration.ofMillis(200);

    private static final Duration SWEEP_INTERVAL = Duration.ofHours(1);

    /** How long to wait after a failure before a base is made again, and if one is owed. */
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private static final Duration OWED_PAUSE = Duration.ofSeconds(5);

    /** How long an end waits for the threads, and for a base that is being made. */
    private static final Duration END_TIME = Duration.ofSeconds(1);

    /** How many edits are made in one transaction when a user's entries are removed. */
    private static final int PART = 500;

    private final Setup setup;
    private final LivingSettings settings;
    private final Follower follower;
    private final ScheduledExecutorService threads;

    /** Held by who makes a base. */
    private final ReentrantLock making = new ReentrantLock();

    private final AtomicLong merges = new AtomicLong();

    /** Whether the last merge failed, so that the base may be damaged. */
    private volatile boolean hasMergeFailed;

    private volatile boolean closed;

    /** Whether the server is about to end. */
    private volatile boolean settling;

    private final Trouble ofLog = new Trouble("the changes cannot be read");
    private final Trouble ofBase = new Trouble("no new base can be made");
    private final Trouble ofChanges = new Trouble("a change was refused");
    private final Trouble ofSweep = new Trouble("what has ended cannot be removed");

    /** Not before this is anything made. */
    private long nextBuild = System.nanoTime();

    /**
     * When to remove entries that have ended. Not when the list is opened: a machine that has just
     * started may not know the time yet.
     */
    private long nextSweep = System.nanoTime() + SWEEP_INTERVAL.toNanos();

    /**
     * Opens a list and begins to follow its log. If the database answers, or a base was kept in the
     * file, the list is active when this returns. If not, it is open all the same, and answers when
     * it can. A list that the database does not have, and of which no base was kept, is made. Its
     * threads call the listener.
     */
    public static LivingList open(
            LivingSettings settings,
            ListRecord record,
            Path file,
            LivingListener listener,
            ListCounters counters) {
        Setup setup =
                new Setup(
                        settings,
                        record,
                        Disk.LOCAL,
                        file,
                        counters,
                        listener,
                        Follower.MAX_BYTES,
                        System::nanoTime,
                        InstantSource.system());
        LivingList list = new LivingList(setup);
        try {
            if (list.follower.resume()) {
                listener.resumed(list.status());
            }
        } catch (IOException | RuntimeException e) {
            listener.notResumed(e);
        }
        if (list.follower.state() == null) {
            list.ofBase.watch(list::build);
        } else {
            list.ofLog.watch(list.follower::read);
        }
        list.repeat(settings.pollInterval(), list::look);
        list.repeat(LOOK_INTERVAL, list::work);
        return list;
    }

    private LivingList(Setup setup) {
        this.setup = setup;
        this.settings = setup.settings();
        this.follower = new Follower(setup);
        ThreadFactory daemons =
                Thread.ofPlatform()
                        .daemon()
                        .name("whitelist list " + settings.name() + " ", 1)
                        .factory();
        this.threads = Executors.newScheduledThreadPool(2, daemons);
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private void repeat(Duration pause, Runnable step) {
        long nanos = Math.max(1, pause.toNanos());
        threads.scheduleWithFixedDelay(step, nanos, nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public SenderLines current() {
        State now = follower.state();
        if (now != null && (settings.believedWhenBehind() || !follower.isBehind())) {
            return now.base();
        }
        String why =
                now != null
                        ? "the latest changes are not known (whenBehind)"
                        : "nothing is known of it yet; "
                                + Objects.requireNonNullElse(
                                        problem(), "its entries are being read");
        return new BehindLines(
                now == null ? null : now.base(), "living list " + settings.name() + ": " + why);
    }

    /** Returns the counts of lookups and their results. */
    public ListCounters counters() {
        return setup.counters();
    }

    /**
     * Returns the record, which holds what is true, for who shows entries. Change it by the methods
     * of this list only.
     */
    public ListRecord record() {
        return setup.record();
    }

    /** Returns the header of the base; null if there is none. */
    public @Nullable SnapshotHeader header() {
        State now = follower.state();
        return now == null ? null : now.base().header();
    }

    /** Returns the state of the list now. */
    public LivingStatus status() {
        State now = follower.state();
        String problem = problem();
        if (now == null) {
            return new LivingStatus(0, null, 0, 0, 0, true, true, null, problem);
        }
        boolean behind = follower.isBehind();
        return new LivingStatus(
                now.base().header().entries() + now.changes().entries(),
                Instant.ofEpochMilli(now.base().header().buildTime()),
                now.changes().count(),
                now.changes().bytes(),
                merges.get(),
                behind,
                behind || ofBase.why != null || ofChanges.why != null,
                Instant.ofEpochMilli(now.tableReadAt()),
                problem);
    }

    private @Nullable String problem() {
        String end = closed ? "the list is closed" : null;
        return Stream.of(end, ofLog.why, ofBase.why, ofChanges.why)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    /**
     * Stores an entry in place of its origin's entry for the same sender and recipients. It is
     * active on this server when this returns.
     *
     * @param who who did it, for the history
     * @throws IOException if the change is refused, or was written and is not active yet
     */
    public Effect put(Entry entry, String who) throws IOException {
        return write(List.of(Edit.put(entry)), who).getFirst();
    }

    /**
     * Removes an origin's entry, which is gone on this server when this returns; see {@link #put}.
     */
    public Effect remove(Origin origin, Key sender, @Nullable Key to, String who)
            throws IOException {
        return write(List.of(Edit.remove(new Target(origin, sender, to))), who).getFirst();
    }

    /**
     * Removes the entries that are for this user alone, in parts, so that no transaction takes
     * long, and returns how many. If it fails, some may have been removed.
     */
    public long removeAllFor(Key user, String who) throws IOException {
        List<Edit> edits = new ArrayList<>();
        for (Entry entry : record().entriesFor(user, Integer.MAX_VALUE)) {
            for (Origin origin : Origin.values()) {
                if (!entry.rulesOf(origin).isEmpty()) {
                    edits.add(Edit.remove(new Target(origin, entry.key(), user)));
                }
            }
        }
        long removed = 0;
        for (int from = 0; from < edits.size(); from += PART) {
            List<Edit> part = edits.subList(from, Math.min(edits.size(), from + PART));
            removed += write(part, who).stream().filter(Effect.REMOVED::equals).count();
        }
        return removed;
    }

    /**
     * Makes edits as {@link #put} does, in one transaction; returns their effects in their order.
     */
    public List<Effect> write(List<Edit> edits, String who) throws IOException {
        try {
            return edits.isEmpty() ? List.of() : follower.write(edits, who);
        } catch (IOException e) {
            ofChanges.fail(e);
            throw e;
        }
    }

    private void look() {
        // While the database is away, a look may take longer than a stop may.
        boolean isAway = settling && ofLog.why != null;
        if (!isAway && ofLog.watch(follower::read) && ofChanges.why != null && !follower.isFull()) {
            ofChanges.watch(record()::requireWritable);
        }
    }

    private void work() {
        long now = System.nanoTime();
        if (now - nextBuild >= 0 && !closed && !ofBase.watch(this::build)) {
            State active = follower.state();
            boolean owes = active == null || active.owing() != Owing.NOTHING;
            Duration pause = owes ? OWED_PAUSE : PAUSE;
            nextBuild = System.nanoTime() + pause.toNanos();
        }
        if (now - nextSweep >= 0 && !closed) {
            nextSweep = now + SWEEP_INTERVAL.toNanos();
            ofSweep.watch(record()::sweep);
        }
    }

    /** Makes a base if one is needed. */
    private void build() throws IOException {
        alone(
                () -> {
                    if (follower.mustReadTable()) {
                        readTable();
                    } else if (follower.mustMerge() || (settling && canMergeSoon())) {
                        merge();
                    }
                });
    }

    /** Makes a base while nobody else does. */
    private void alone(Step step) throws IOException {
        making.lock();
        try {
            step.run();
        } finally {
            making.unlock();
        }
    }

    /**
     * Reads the whole table again and makes it active. Takes about as long as the first base did,
     * and waits for a base that is being made. If it fails, what is active stays.
     */
    public void reload() throws IOException {
        alone(this::readTable);
    }

    private void readTable() throws IOException {
        if (follower.state() == null) {
            record().create();
        }
        if (!follower.readTable()) {
            throw new IOException("the log does not continue from the table that was read");
        }
        hasMergeFailed = false;
        setup.listener().tableRead(status());
    }

    /** Merges the changes. If that failed before, the base may be damaged: the table is read. */
    void merge() throws IOException {
        alone(
                () -> {
                    if (hasMergeFailed) {
                        readTable();
                    } else {
                        hasMergeFailed = true;
                        hasMergeFailed = !follower.merge();
                    }
                    merges.incrementAndGet();
                });
    }

    /**
     * Merges the changes, since the server ends, perhaps without {@link #close}. What changes
     * afterwards is merged soon.
     */
    public void settle() {
        settling = true;
        mergeAtTheEnd();
    }

    private boolean canMergeSoon() {
        State now = follower.state();
        return now != null
                && now.changes().count() > 0
                && now.base().header().entries() < Follower.SMALL;
    }

    /** Merges the changes of a small list, which the next start then knows without its database. */
    private void mergeAtTheEnd() {
        try {
            if (making.tryLock(END_TIME.toMillis(), TimeUnit.MILLISECONDS)) {
                try {
                    if (canMergeSoon()) {
                        follower.merge();
                    }
                } finally {
                    making.unlock();
                }
            }
        } catch (IOException | RuntimeException e) {
            // The changes are in the database.
            return;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Stops following the log. Later lookups result in {@code unavailable}. */
    @Override
    public void close() throws IOException {
        closed = true;
        threads.shutdownNow();
        try {
            // A thread that waits for a database which is away need not have ended.
            threads.awaitTermination(END_TIME.toMillis(), TimeUnit.MILLISECONDS);
            mergeAtTheEnd();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            follower.close();
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    /**
     * The content of a living list that must list no sender: it may lack the latest changes, or
     * nothing is known of it.
     *
     * @param lines what is known; null if nothing is
     * @param why what is wrong
     */
    private record BehindLines(@Nullable SenderLines lines, String why) implements SenderLines {
        @Override
        public boolean mightContain(Address address, Subaddressing subaddressing) {
            return lines == null || lines.mightContain(address, subaddressing);
        }

        @Override
        public boolean mightContain(Key key) {
            return lines == null || lines.mightContain(key);
        }

        @Override
        public void countRefused(int addresses) {
            if (lines != null) {
                lines.countRefused(addresses);
            }
        }

        @Override
        public @Nullable Entry find(Key key, @Nullable Key to)
                throws IOException, RetiredException {
            if (lines == null) {
                throw doubt();
            }
            return lines.find(key, to);
        }

        @Override
        public boolean hasPersonal() {
            return lines == null || lines.hasPersonal();
        }

        @Override
        public String describe() {
            return lines == null ? why : lines.describe();
        }

        @Override
        public IOException doubt() {
            return new IOException(why);
        }
    }

    /** Something that fails, until it works again. The listener is told of both, once. */
    private final class Trouble {
        private final String what;

        /** Why it fails; null if it does not. */
        private volatile @Nullable String why;

        Trouble(String what) {
            this.what = what;
        }

        /** Tries it, and returns whether it works. No error may end the looks of a thread. */
        boolean watch(Step step) {
            try {
                step.run();
                if (why != null) {
                    why = null;
                    setup.listener().recovered();
                }
                return true;
            } catch (IOException | RuntimeException | Error e) {
                fail(e);
                return false;
            }
        }

        void fail(Throwable cause) {
            boolean isNew = why == null;
            if (!closed) {
                why = what + ": " + cause.getMessage();
                if (isNew) {
                    setup.listener().failed(what, cause);
                }
            }
        }
    }
}
