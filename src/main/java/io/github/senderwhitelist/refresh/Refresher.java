package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.refresh.ListLoader.Loaded;
import io.github.senderwhitelist.refresh.RefreshTiming.Clock;
import io.github.senderwhitelist.snapshot.Admission;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotException;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CancellationException;

/**
 * The refresher of one list from its file. Each {@link #look} compares the file with its state when
 * it was read last and, if it changed and stands still (see {@link Standstill}), has the {@link
 * ListLoader} make a generation and brings it into force. {@link FileList} decides when to look.
 *
 * <p>New content replaces the generation in force and the last good snapshot only if the file did
 * not change while it was read. Content that is refused replaces neither. A refresh that failed for
 * a reason outside the file, such as a full disk, is tried again. When lookups in the generation in
 * force fail, the generation is made again from the file.
 *
 * <p>Safe for use by any number of threads. Looks and reloads exclude each other.
 */
final class Refresher implements SenderList {
    /** How long a file may change without standing still before that is reported. */
    private static final Duration RESTLESS = Duration.ofMinutes(1);

    /** The time between two marks that the snapshot in the work directory is in use. */
    private static final Duration MARK_USED = Duration.ofDays(1);

    private final ListSettings settings;
    private final Disk disk;
    private final RefreshTiming timing;
    private final Clock clock;
    private final ListLoader loader;
    private final RefreshListener listener;
    private final Standstill standstill;

    /** Guards {@link #current} and {@link #closed}, so that every generation is retired once. */
    private final Object swap = new Object();

    private volatile Generation current;
    private volatile ListStatus status;
    private volatile boolean closed;

    /** When to try again what failed, in nanoseconds of the clock; null if nothing is to be. */
    private @Nullable Long retryAt;

    /** When a failed repair may be tried again, in nanoseconds of the clock; null for at once. */
    private @Nullable Long repairAt;

    private long markedUsedAt;

    /** The doubt about the file that was reported last, so that it is reported once. */
    private @Nullable String reportedDoubt;

    /**
     * Loads the list, or its last good snapshot when that fails.
     *
     * @throws IOException if neither can be loaded
     */
    Refresher(
            ListSettings settings,
            Disk disk,
            RefreshTiming timing,
            RefreshListener listener,
            ListCounters counters)
            throws IOException {
        this.settings = settings;
        this.disk = disk;
        this.timing = timing;
        this.clock = timing.clock();
        this.listener = listener;
        this.loader = new ListLoader(settings, disk, counters);
        this.standstill = new Standstill(clock);
        loader.sweep(clock.now());
        FileState state = disk.state(settings.file());
        Loaded loaded = null;
        Throwable refusal = null;
        try {
            state = awaitStill();
            SnapshotHeader last = loader.lastGoodHeader();
            loaded = loader.load(null, admission(last == null ? 0 : last.entries(), state));
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            refusal = e;
        }
        Generation first = loaded == null ? loader.lastGood() : loaded.generation();
        if (first == null) {
            throw new IOException(reason(refusal), refusal);
        }
        this.current = first;
        this.status = new ListStatus(first.header(), clock.now(), null, 0, 0, 0);
        this.markedUsedAt = clock.nanos();
        if (loaded == null) {
            refused(state, refusal);
        } else {
            standstill.markRead(state);
            status = status.loaded(first.header(), clock.now());
            BuildReport report = loaded.report();
            report(() -> listener.loaded(first.header(), report));
        }
    }

    @Override
    public Generation current() {
        return current;
    }

    /** Returns the state of the list now. */
    ListStatus status() {
        return status;
    }

    /**
     * Looks at the file and refreshes the list if the file changed and stands still.
     *
     * @return how long to wait for the next look
     */
    synchronized Duration look() {
        markUsedDaily();
        FileState state = disk.state(settings.file());
        if (standstill.isRead(state) && !isDue(retryAt)) {
            standstill.forgetPending();
            if (needsRepair()) {
                repair(state);
            }
            return pause();
        }
        Duration wait = standstill.observe(state);
        if (!wait.isZero()) {
            reportIfRestless();
            return wait;
        }
        try {
            String doubt = doubt();
            Duration patience = timing.patience().minus(standstill.stillFor());
            if (doubt != null && patience.isPositive()) {
                reportDoubt(doubt);
                return patience;
            }
            refresh(state, doubt);
        } catch (IOException e) {
            notTaken(state, e);
        }
        return standstill.isRead(state) ? pause() : Standstill.FINE;
    }

    private void markUsedDaily() {
        if (clock.nanos() - markedUsedAt > MARK_USED.toNanos()) {
            markedUsedAt = clock.nanos();
            loader.markUsed();
        }
    }

    /** Returns whether a time of the clock has come; null never comes. */
    private boolean isDue(@Nullable Long time) {
        return time != null && clock.nanos() - time >= 0;
    }

    /** Returns whether lookups fail and a repair is due now. */
    synchronized boolean needsRepair() {
        return current.failure() != null && (repairAt == null || isDue(repairAt));
    }

    /** Replaces a generation whose lookups fail, because its snapshot can no longer be read. */
    private void repair(FileState state) {
        repairAt = clock.nanos() + timing.retry().toNanos();
        IOException failure = current.failure();
        failed(
                settings.file()
                        + ": lookups fail ("
                        + (failure == null ? "" : failure.getMessage())
                        + "). The list is made again from its file");
        try {
            bringIntoForce(state, loader.loadFromFile(admission(status, state)));
            repairAt = null;
        } catch (IOException | RuntimeException | Error e) {
            notTaken(state, e);
        }
    }

    /** Returns how long to wait when there is nothing to do. */
    private Duration pause() {
        Duration interval = settings.reloadInterval();
        return retryAt == null || interval.compareTo(timing.retry()) < 0
                ? interval
                : timing.retry();
    }

    /** Reports a file that never stands still, each time {@link #RESTLESS} has passed. */
    private void reportIfRestless() {
        if (standstill.changingFor().compareTo(RESTLESS) > 0) {
            standstill.restartChanging();
            failed(
                    settings.file()
                            + ": has been changing for over "
                            + RESTLESS.toSeconds()
                            + " s, so it cannot be read. Write the list to another file and rename"
                            + " that into place");
        }
    }

    /**
     * Returns why the file may be unfinished though it stands still, or null.
     *
     * @throws IOException if the file cannot be read to find out, so it must not be taken now
     */
    private @Nullable String doubt() throws IOException {
        String seen = standstill.doubtFromLooks();
        return seen == null ? loader.doubtFromEnd() : seen;
    }

    private void reportDoubt(String doubt) {
        if (!doubt.equals(reportedDoubt)) {
            reportedDoubt = doubt;
            report(
                    () ->
                            listener.warned(
                                    "looks unfinished, since "
                                            + doubt
                                            + ". It is taken when it has not changed for "
                                            + timing.patience().toSeconds()
                                            + " s. A list that is written to another file and"
                                            + " renamed into place is taken at once"));
        }
    }

    /**
     * Waits until the file stands still and reads it, even if it has not changed.
     *
     * @return the state of the list afterwards
     * @throws IOException if the list was closed, or the thread interrupted, meanwhile
     */
    synchronized ListStatus reload() throws IOException {
        FileState state = disk.state(settings.file());
        try {
            state = awaitStill();
            if (!closed) {
                refresh(state, doubt());
            }
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            notTaken(state, e);
        }
        if (closed) {
            throw new IOException(settings.file() + ": the list is closed");
        }
        return status;
    }

    /**
     * Waits until the file stands still, longer if it may be unfinished, and returns its state.
     * After {@link #RESTLESS} it returns the state that the file has then.
     */
    private FileState awaitStill() throws IOException {
        FileState state = disk.state(settings.file());
        long start = clock.nanos();
        try {
            while (!closed && clock.nanos() - start < RESTLESS.toNanos()) {
                Duration settle = Standstill.settleTime(state);
                boolean still =
                        standstill.observe(state).isZero() || !standstill.isYounger(state, settle);
                boolean doubtful = still && doubt() != null;
                if (still
                        && (!doubtful
                                || standstill.stillFor().compareTo(timing.patience()) >= 0
                                || !standstill.isYounger(state, timing.patience()))) {
                    return state;
                }
                clock.sleep(settle);
                state = disk.state(settings.file());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(settings.file() + ": interrupted");
        }
        return state;
    }

    /** Loads the file and brings it into force, or reports why not. */
    private void refresh(FileState state, @Nullable String doubt) {
        try {
            Admission admission = admission(status, state);
            bringIntoForce(
                    state,
                    current.failure() == null
                            ? loader.load(current.header(), admission)
                            : loader.loadFromFile(admission));
            if (doubt != null) {
                report(
                        () ->
                                listener.warned(
                                        "was taken though it may be unfinished: "
                                                + doubt
                                                + ". Look whether its end is there"));
            }
        } catch (IOException | RuntimeException | Error e) {
            // No error may keep the list from being refreshed later.
            notTaken(state, e);
        }
    }

    /**
     * Brings a loaded generation into force.
     *
     * @param state the state of the file when it was read
     * @param loaded null when the file holds what is in force already
     */
    private void bringIntoForce(FileState state, @Nullable Loaded loaded) throws IOException {
        standstill.markRead(state);
        retryAt = null;
        reportedDoubt = null;
        if (loaded == null) {
            status = status.unchanged();
            report(() -> listener.unchanged(status.header()));
            return;
        }
        Generation next = loaded.generation();
        synchronized (swap) {
            if (closed) {
                next.retire();
                return;
            }
            Generation old = current;
            current = next;
            old.retire();
        }
        status = status.loaded(next.header(), clock.now());
        report(() -> listener.loaded(next.header(), loaded.report()));
    }

    /** Reports a failure, unless the file changed or the list was closed meanwhile. */
    private void notTaken(FileState state, Throwable e) {
        FileState after = disk.state(settings.file());
        if (closed) {
            standstill.forgetPending();
        } else if (!after.equals(state)) {
            // The file changed while it was read, so a mixture of two versions may have been read.
            standstill.observe(after);
        } else {
            refused(state, e);
        }
    }

    /** Reports why the file was not taken, and decides whether it is tried again. */
    private void refused(FileState state, @Nullable Throwable e) {
        boolean again = standstill.isRead(state) && retryAt != null;
        standstill.markRead(state);
        retryAt = null;
        reportedDoubt = null;
        String reason = reason(e);
        if (e instanceof ListRefusedException || e instanceof SnapshotException) {
            status = status.heldBack(reason);
            report(() -> listener.refused(describe(), reason, e));
            return;
        }
        retryAt = clock.nanos() + timing.retry().toNanos();
        if (again && status.problem() != null) {
            // The failure of the attempt before was reported already.
            status = status.failed(reason);
        } else {
            failed(reason, e);
        }
    }

    private void failed(String reason) {
        failed(reason, null);
    }

    private void failed(String reason, @Nullable Throwable e) {
        status = status.failed(reason);
        report(() -> listener.refused(describe(), reason, e));
    }

    /** Calls the listener. Its exceptions must not keep the list from being refreshed. */
    private static void report(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException | Error e) {
            // The listener only writes the log.
            return;
        }
    }

    private Admission admission(ListStatus inForce, FileState state) {
        return admission(inForce.header().entries(), state);
    }

    /**
     * Returns the check that new content must pass: the file has not changed since it had this
     * state, and no more entries are lost than maxShrink allows.
     *
     * @param before the number of entries before
     */
    private Admission admission(long before, FileState state) {
        long least = (long) Math.ceil(before * (1 - settings.maxShrink()));
        return next -> {
            if (closed) {
                throw new CancellationException("the list is being closed");
            }
            if (!disk.state(settings.file()).equals(state)) {
                throw new IOException(settings.file() + ": changed while it was read");
            }
            if (next.entries() < least) {
                throw new ListRefusedException(
                        settings.file()
                                + ": only "
                                + next.entries()
                                + " entries after "
                                + before
                                + ", fewer than maxShrink allows. If that is meant, raise"
                                + " maxShrink, or remove them in several steps");
            }
        };
    }

    /** Returns the message of a failure, with the file in it. */
    private String reason(@Nullable Throwable e) {
        String message =
                e instanceof IOException && e.getMessage() != null
                        ? e.getMessage()
                        : String.valueOf(e);
        return message.contains(settings.file().toString())
                ? message
                : settings.file() + ": " + message;
    }

    /** Describes what is in force, for people. */
    private String describe() {
        SnapshotHeader header = status.header();
        return header.entries()
                + " entries"
                + (header.buildTime() == 0
                        ? ""
                        : " of " + Instant.ofEpochMilli(header.buildTime()));
    }

    /** Ends a load that is under way and retires the generation in force. */
    void close() {
        loader.stop();
        synchronized (swap) {
            if (!closed) {
                closed = true;
                current.retire();
            }
        }
    }
}
