package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.refresh.ListLoader.Loaded;
import io.github.senderwhitelist.refresh.RefreshTiming.Clock;
import io.github.senderwhitelist.snapshot.SnapshotException;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;

/**
 * A list that follows its file with a thread of its own. Each {@link #look} compares the file with
 * its state when it was read last and, if it changed and stands still (see {@link Standstill}), has
 * the {@link ListLoader} make a generation and activates it. The thread looks at regular times:
 * events of the file system would not come from network mounts, nor when a link far from the file
 * is swapped.
 *
 * <p>New content replaces the active generation and the last good snapshot only if the file did not
 * change while it was read. Content that is refused replaces neither. A refresh that failed for a
 * reason outside the file, such as a full disk, is tried again. When lookups in the active
 * generation fail, the generation is made again from the file.
 *
 * <p>Safe for use by any number of threads. Looks and reloads exclude each other.
 */
public final class FileList implements SenderList, Closeable {
    /** The time between two checks whether lookups fail. */
    private static final Duration FAILURE_CHECK = Duration.ofSeconds(10);

    /** How long {@link #close} waits for the thread to end. */
    private static final Duration JOIN_TIME = Duration.ofSeconds(10);

    /** How long a file may change without standing still before that is reported. */
    private static final Duration RESTLESS = Duration.ofMinutes(1);

    private final ListSettings settings;
    private final Disk disk;
    private final RefreshTiming timing;
    private final Clock clock;
    private final RefreshListener listener;
    private final ListCounters counters;
    private final ListLoader loader;
    private final Standstill standstill;
    private final Thread thread;

    /** Guards {@link #current} and {@link #closed}, so that every generation is retired once. */
    private final Object swap = new Object();

    private volatile Generation current;
    private volatile ListStatus status;
    private volatile boolean closed;

    /** When to try again what failed, in nanoseconds of the clock; null if nothing is to be. */
    private @Nullable Long retryAt;

    /** Why the file may be unfinished, if it may be; kept so that it is reported once. */
    private @Nullable String doubt;

    /**
     * Loads a list and begins to follow its file.
     *
     * @param listener the listener to refreshes, called by the thread of the list
     * @param counters the counts of lookups in the list
     * @throws IOException if neither the list nor its last good snapshot can be loaded
     */
    public static FileList open(
            ListSettings settings, RefreshListener listener, ListCounters counters)
            throws IOException {
        return new FileList(settings, Disk.LOCAL, RefreshTiming.OF_SERVERS, listener, counters)
                .start();
    }

    /** Begins to follow the file. */
    FileList start() {
        thread.start();
        return this;
    }

    /**
     * Loads the list, or its last good snapshot when that fails. Nobody looks at its file but the
     * callers of {@link #look}.
     *
     * @throws IOException if neither can be loaded
     */
    FileList(
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
        this.counters = counters;
        this.loader = new ListLoader(settings, disk, counters);
        this.standstill = new Standstill(clock);
        this.thread =
                new Thread(this::follow, "whitelist refresh of " + settings.file().getFileName());
        thread.setDaemon(true);
        FileState state = state();
        Loaded loaded = null;
        Throwable refusal = null;
        try {
            state = awaitStill();
            loaded = loader.load(null, true, admission(loader.lastEntries(), state));
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
            markRead(state);
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

    /** Returns the settings that the list was opened with. */
    public ListSettings settings() {
        return settings;
    }

    /** Returns the state of the list now. */
    public ListStatus status() {
        return status;
    }

    /** Returns the counts of lookups and their results. */
    public ListCounters counters() {
        return counters;
    }

    /** Runs in the thread of the list until the list is closed. */
    private void follow() {
        while (!closed) {
            Duration wait = FAILURE_CHECK;
            try {
                wait = look();
            } catch (RuntimeException | Error e) {
                // An error must not end the thread, or the list would never be refreshed again.
            }
            try {
                while (wait.isPositive() && !closed && !needsRepair()) {
                    Thread.sleep(wait.compareTo(FAILURE_CHECK) < 0 ? wait : FAILURE_CHECK);
                    wait = wait.minus(FAILURE_CHECK);
                }
            } catch (InterruptedException e) {
                // The list was closed. If it was not, the interrupt was not ours: go on.
            }
        }
    }

    /**
     * Looks at the file and refreshes the list if the file changed and stands still.
     *
     * @return how long to wait for the next look
     */
    synchronized Duration look() {
        FileState state = state();
        boolean isDue = retryAt != null && clock.nanos() - retryAt >= 0;
        if (standstill.isRead(state) && !isDue) {
            standstill.forgetPending();
            doubt = null;
            if (needsRepair()) {
                repair(state);
            }
            return pause();
        }
        try {
            Duration wait = untilStill(state, false);
            if (!wait.isZero()) {
                reportIfRestless();
                return wait;
            }
            refresh(state);
        } catch (IOException e) {
            notTaken(state, e);
        }
        return standstill.isRead(state) ? pause() : Standstill.FINE;
    }

    /**
     * Returns how long the file must go on standing still before it is read; zero if it may be read
     * now.
     *
     * @param trustsItsTime whether a file may be read at once whose own time of change is long past
     * @throws IOException if the file cannot be read
     */
    private Duration untilStill(FileState state, boolean trustsItsTime) throws IOException {
        Duration wait = standstill.observe(state);
        Duration settle = Standstill.settleTime(state);
        if (!wait.isZero() && !(trustsItsTime && standstill.isOlder(state, settle))) {
            return wait;
        }
        String before = doubt;
        doubt = standstill.doubt(loader.ending());
        Duration left = timing.patience().minus(standstill.stillFor());
        if (doubt == null
                || !left.isPositive()
                || (trustsItsTime && standstill.isOlder(state, timing.patience()))) {
            return Duration.ZERO;
        }
        if (!doubt.equals(before)) {
            warn(
                    "looks unfinished, since "
                            + doubt
                            + ". It is taken when it has not changed for "
                            + timing.patience().toSeconds()
                            + " s. A list that is written to another file and renamed into place is"
                            + " taken at once");
        }
        return left;
    }

    /** Returns how long to wait when there is nothing to do. */
    private Duration pause() {
        Duration interval = settings.reloadInterval();
        return retryAt == null || interval.compareTo(timing.retry()) < 0
                ? interval
                : timing.retry();
    }

    /** Returns whether lookups fail and nothing was tried against it yet. */
    private synchronized boolean needsRepair() {
        return current.failure() != null && retryAt == null;
    }

    /** Replaces a generation whose lookups fail, because its snapshot can no longer be read. */
    private void repair(FileState state) {
        IOException failure = current.failure();
        String cause = failure == null ? "" : failure.getMessage();
        failed("lookups fail (" + cause + "). The list is made again from its file");
        refresh(state);
    }

    /** Reports a file that never stands still, each time {@link #RESTLESS} has passed. */
    private void reportIfRestless() {
        if (standstill.hasChangedFor(RESTLESS)) {
            failed(
                    "has been changing for over "
                            + RESTLESS.toSeconds()
                            + " s, so it cannot be read. Write the list to another file and rename"
                            + " that into place");
        }
    }

    private void failed(String what) {
        String reason = settings.file() + ": " + what;
        status = status.refused(reason, false);
        report(() -> listener.refused(status.content(), reason, null));
    }

    private void warn(String warning) {
        report(() -> listener.warned(warning));
    }

    /**
     * Reads the file without waiting for the next look, even if it has not changed. Blocks until
     * the file stands still and its content is active or refused.
     *
     * @return the state of the list afterwards
     * @throws IOException if the list was closed, or the calling thread interrupted, meanwhile
     */
    public synchronized ListStatus reload() throws IOException {
        FileState state = state();
        try {
            state = awaitStill();
            if (!closed) {
                refresh(state);
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
        long start = clock.nanos();
        while (true) {
            FileState state = state();
            Duration wait = untilStill(state, true);
            if (wait.isZero() || closed || clock.nanos() - start >= RESTLESS.toNanos()) {
                return state;
            }
            Duration settle = Standstill.settleTime(state);
            try {
                clock.sleep(wait.compareTo(settle) < 0 ? wait : settle);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException(settings.file() + ": interrupted");
            }
        }
    }

    /** Loads the file and activates its content, or reports why not. */
    private void refresh(FileState state) {
        try {
            String before = doubt;
            Admission admission = admission(status.header().entries(), state);
            boolean isReadable = current.failure() == null;
            activate(
                    state,
                    loader.load(isReadable ? current.header() : null, isReadable, admission));
            if (before != null) {
                warn(
                        "was taken though it may be unfinished: "
                                + before
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
        doubt = null;
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
        // The failure of the attempt before was reported already.
        boolean isKnown = standstill.isRead(state) && retryAt != null && status.problem() != null;
        markRead(state);
        boolean isHeldBack = e instanceof ListRefusedException || e instanceof SnapshotException;
        if (!isHeldBack || current.failure() != null) {
            retryAt = clock.nanos() + timing.retry().toNanos();
        }
        String reason = reason(e);
        status = status.refused(reason, isHeldBack);
        if (!isKnown) {
            report(() -> listener.refused(status.content(), reason, e));
        }
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

    /**
     * Stops following the file, ends a build that is under way, and retires the generation. Later
     * lookups result in {@code unavailable}.
     */
    @Override
    public void close() {
        loader.stop();
        synchronized (swap) {
            if (!closed) {
                closed = true;
                current.retire();
            }
        }
        thread.interrupt();
        try {
            // Not without limit: its disk may not answer.
            thread.join(JOIN_TIME.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
