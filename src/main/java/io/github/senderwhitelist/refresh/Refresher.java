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
import io.github.senderwhitelist.snapshot.SnapshotException;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.CancellationException;

/**
 * The refresher of one list from its file. Each {@link #look} compares the file with its state when
 * it was read last and, if it changed and stands still (see {@link Standstill}), has the {@link
 * ListLoader} make a generation and activates it. {@link FileList} decides when to look.
 *
 * <p>New content replaces the active generation and the last good snapshot only if the file did not
 * change while it was read. Content that is refused replaces neither. A refresh that failed for a
 * reason outside the file, such as a full disk, is tried again. When lookups in the active
 * generation fail, the generation is made again from the file.
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
        this.markedUsedAt = clock.nanos();
        loader.work().sweep(clock.now());
        FileState state = state();
        Loaded loaded = null;
        Throwable refusal = null;
        try {
            state = awaitStill();
            SnapshotHeader last = loader.work().header();
            loaded = loader.load(null, true, admission(last == null ? 0 : last.entries(), state));
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            refusal = e;
        }
        Generation first = loaded == null ? loader.lastGood() : loaded.generation();
        if (first == null) {
            throw new IOException(reason(refusal), refusal);
        }
        this.current = first;
        this.status = new ListStatus(first.header(), clock.now(), null, 0, 0, 0);
        if (loaded == null) {
            refused(state, refusal);
        } else {
            standstill.markRead(state);
            loaded(loaded);
        }
    }

    private FileState state() {
        return disk.state(settings.file());
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
        if (clock.nanos() - markedUsedAt > MARK_USED.toNanos()) {
            markedUsedAt = clock.nanos();
            loader.work().markUsed();
        }
        FileState state = state();
        if (standstill.isRead(state) && (retryAt == null || !isDue(retryAt))) {
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
            String doubt = standstill.doubt(loader.ending());
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

    private boolean isDue(long time) {
        return clock.nanos() - time >= 0;
    }

    /** Returns whether lookups fail and a repair is due now. */
    synchronized boolean needsRepair() {
        return current.failure() != null && (repairAt == null || isDue(repairAt));
    }

    /** Replaces a generation whose lookups fail, because its snapshot can no longer be read. */
    private void repair(FileState state) {
        repairAt = clock.nanos() + timing.retry().toNanos();
        IOException failure = current.failure();
        String cause = failure == null ? "" : failure.getMessage();
        failed(
                settings.file()
                        + ": lookups fail ("
                        + cause
                        + "). The list is made again from its file",
                null);
        refresh(state, null);
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
                            + " that into place",
                    null);
        }
    }

    private void reportDoubt(String doubt) {
        if (!doubt.equals(reportedDoubt)) {
            reportedDoubt = doubt;
            warn(
                    "looks unfinished, since "
                            + doubt
                            + ". It is taken when it has not changed for "
                            + timing.patience().toSeconds()
                            + " s. A list that is written to another file and renamed into place is"
                            + " taken at once");
        }
    }

    private void warn(String warning) {
        report(() -> listener.warned(warning));
    }

    /**
     * Waits until the file stands still and reads it, even if it has not changed.
     *
     * @return the state of the list afterwards
     * @throws IOException if the list was closed, or the thread interrupted, meanwhile
     */
    synchronized ListStatus reload() throws IOException {
        FileState state = state();
        try {
            state = awaitStill();
            if (!closed) {
                refresh(state, standstill.doubt(loader.ending()));
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
        FileState state = state();
        long start = clock.nanos();
        try {
            while (!closed && clock.nanos() - start < RESTLESS.toNanos()) {
                Duration settle = Standstill.settleTime(state);
                boolean isStill =
                        standstill.observe(state).isZero() || !standstill.isYounger(state, settle);
                if (isStill
                        && (standstill.stillFor().compareTo(timing.patience()) >= 0
                                || !standstill.isYounger(state, timing.patience())
                                || standstill.doubt(loader.ending()) == null)) {
                    return state;
                }
                clock.sleep(settle);
                state = state();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(settings.file() + ": interrupted");
        }
        return state;
    }

    /** Loads the file and activates its content, or reports why not. */
    private void refresh(FileState state, @Nullable String doubt) {
        try {
            Admission admission = admission(status.header().entries(), state);
            boolean isReadable = current.failure() == null;
            activate(
                    state,
                    loader.load(isReadable ? current.header() : null, isReadable, admission));
            if (doubt != null) {
                warn(
                        "was taken though it may be unfinished: "
                                + doubt
                                + ". Look whether its end is there");
            }
        } catch (IOException | RuntimeException | Error e) {
            // No error may keep the list from being refreshed later.
            notTaken(state, e);
        }
    }

    /**
     * Activates a loaded generation.
     *
     * @param state the state of the file when it was read
     * @param loaded null when the content of the file is active already
     */
    private void activate(FileState state, @Nullable Loaded loaded) throws IOException {
        markRead(state);
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
            repairAt = null;
            old.retire();
        }
        loaded(loaded);
    }

    private void loaded(Loaded loaded) {
        SnapshotHeader header = loaded.generation().header();
        status = status.loaded(header, clock.now());
        report(() -> listener.loaded(header, loaded.report()));
    }

    private void markRead(FileState state) {
        standstill.markRead(state);
        retryAt = null;
        reportedDoubt = null;
    }

    /** Reports a failure, unless the file changed or the list was closed meanwhile. */
    private void notTaken(FileState state, Throwable e) {
        FileState after = state();
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
        boolean isKnown = standstill.isRead(state) && retryAt != null && status.problem() != null;
        markRead(state);
        String reason = reason(e);
        if (e instanceof ListRefusedException || e instanceof SnapshotException) {
            status = status.heldBack(reason);
            report(() -> listener.refused(status.content(), reason, e));
            return;
        }
        retryAt = clock.nanos() + timing.retry().toNanos();
        if (isKnown) {
            // The failure of the attempt before was reported already.
            status = status.failed(reason);
        } else {
            failed(reason, e);
        }
    }

    private void failed(String reason, @Nullable Throwable e) {
        status = status.failed(reason);
        report(() -> listener.refused(status.content(), reason, e));
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

    /**
     * Returns the check that new content must pass: the file has not changed since it had this
     * state, and no more entries are lost than maxShrink allows.
     *
     * @param before the number of entries before
     */
    private Admission admission(long before, FileState state) {
        long min = (long) Math.ceil(before * (1 - settings.maxShrink()));
        return next -> {
            if (closed) {
                throw new CancellationException("the list is being closed");
            }
            if (!state().equals(state)) {
                throw new IOException(settings.file() + ": changed while it was read");
            }
            if (next.entries() < min) {
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

    /** Ends a load that is under way and retires the active generation. */
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
