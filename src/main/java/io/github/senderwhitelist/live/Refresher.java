package io.github.senderwhitelist.live;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.live.ListLoader.Loaded;
import io.github.senderwhitelist.live.RefreshTiming.Clock;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotBuilder.Admission;
import io.github.senderwhitelist.snapshot.SnapshotException;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CancellationException;

/**
 * Keeps one list up to date, one look at a time. A file is read when it stands still (see {@link
 * Standstill}), and what was read counts only when the file is still in that state afterwards:
 * before that it takes the place neither of the generation in force nor of the last good snapshot.
 * What is refused leaves both. What failed for a reason outside the file, such as a full disk, is
 * tried again.
 *
 * <p>When lookups in the generation in force fail, it is made anew from the file.
 *
 * <p>Any thread may call anything; one look or reload is done at a time.
 */
final class Refresher implements SenderList {
    /** A file that has changed without end for so long is a problem. */
    private static final Duration RESTLESS = Duration.ofMinutes(1);

    /** How often the snapshot in the work directory is marked as used. */
    private static final Duration TOUCH = Duration.ofDays(1);

    private final ListSettings settings;
    private final Disk disk;
    private final RefreshTiming timing;
    private final Clock clock;
    private final ListLoader loader;
    private final RefreshListener listener;
    private final Standstill standstill;

    /** Guards the change of {@link #current} against the end of the list. */
    private final Object swap = new Object();

    private volatile Generation current;
    private volatile ListStatus status;
    private volatile boolean closed;

    /** When to try again what failed, or null. */
    private @Nullable Long retryAt;

    /** When to make a generation anew whose lookups fail, if that was tried before; or null. */
    private @Nullable Long repairAt;

    private long touchedAt;

    /** The doubt about the file that was told. */
    private @Nullable String told;

    /**
     * Loads the list; when that fails, the last good snapshot of it.
     *
     * @throws IOException when there is neither
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
        } catch (IOException | RuntimeException e) {
            refusal = e;
        }
        Generation first = loaded == null ? loader.lastGood() : loaded.generation();
        if (first == null) {
            throw new IOException(reason(refusal), refusal);
        }
        this.current = first;
        this.status = new ListStatus(first.header(), clock.now(), null, 0, 0, 0);
        this.touchedAt = clock.nanos();
        if (loaded == null) {
            refused(state, refusal);
        } else {
            standstill.read(state);
            status = status.loaded(first.header(), clock.now());
            BuildReport report = loaded.report();
            tell(() -> listener.loaded(settings.file(), first.header(), report));
        }
    }

    @Override
    public Generation current() {
        return current;
    }

    /** Returns how the list fares. */
    ListStatus status() {
        return status;
    }

    /**
     * Looks at the file, refreshes the list if it changed, and returns how long to wait for the
     * next look.
     */
    synchronized Duration look() {
        keepUsed();
        FileState state = disk.state(settings.file());
        if (standstill.isRead(state) && !isDue(retryAt)) {
            standstill.settle();
            if (isFailing()) {
                repair(state);
            }
            return pause();
        }
        Duration wait = standstill.look(state);
        if (!wait.isZero()) {
            tellIfRestless();
            return wait;
        }
        String doubt;
        try {
            doubt = doubt();
        } catch (IOException e) {
            notTaken(state, e);
            return standstill.isRead(state) ? pause() : Standstill.FINE;
        }
        Duration patience = timing.patience().minus(standstill.still());
        if (doubt != null && patience.isPositive()) {
            tellDoubt(doubt);
            return patience;
        }
        refresh(state, doubt);
        return standstill.isRead(state) ? pause() : Standstill.FINE;
    }

    private void keepUsed() {
        if (clock.nanos() - touchedAt > TOUCH.toNanos()) {
            touchedAt = clock.nanos();
            loader.touch();
        }
    }

    private boolean isDue(@Nullable Long time) {
        return time != null && clock.nanos() - time >= 0;
    }

    private Duration pause() {
        Duration interval = settings.reloadInterval();
        return retryAt == null || interval.compareTo(timing.retry()) < 0
                ? interval
                : timing.retry();
    }

    private void tellIfRestless() {
        if (standstill.changing().compareTo(RESTLESS) > 0) {
            standstill.tolerate();
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
     * @throws IOException when nobody can tell, so that it must not be taken now
     */
    private @Nullable String doubt() throws IOException {
        String seen = standstill.doubt();
        return seen == null ? loader.doubt() : seen;
    }

    private void tellDoubt(String doubt) {
        if (!doubt.equals(told)) {
            told = doubt;
            tell(
                    () ->
                            listener.warned(
                                    settings.file(),
                                    "looks unfinished, since "
                                            + doubt
                                            + ". It is taken when it has not changed for "
                                            + timing.patience().toSeconds()
                                            + " s. A list that is written to another file and"
                                            + " renamed into place is taken at once"));
        }
    }

    /**
     * Reads the file now, whether it changed or not, as soon as it stands still.
     *
     * @return how the list fares afterwards
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

    /** Waits until the file stands still; one that never does is read as it is. */
    private FileState awaitStill() throws IOException {
        FileState state = disk.state(settings.file());
        long start = clock.nanos();
        try {
            while (!closed && clock.nanos() - start < RESTLESS.toNanos()) {
                Duration settle = Standstill.settleTime(state);
                boolean still =
                        standstill.look(state).isZero() || !standstill.isFresh(state, settle);
                boolean doubtful = still && doubt() != null;
                if (still
                        && (!doubtful
                                || standstill.still().compareTo(timing.patience()) >= 0
                                || !standstill.isFresh(state, timing.patience()))) {
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

    private void refresh(FileState state, @Nullable String doubt) {
        try {
            Admission admission = admission(status, state);
            took(
                    state,
                    current.failure() == null
                            ? loader.load(current.header(), admission)
                            : loader.loadAnew(admission));
            if (doubt != null) {
                tell(
                        () ->
                                listener.warned(
                                        settings.file(),
                                        "was taken though it may be unfinished: "
                                                + doubt
                                                + ". Look whether its end is there"));
            }
        } catch (IOException | RuntimeException | Error e) {
            // Whatever went wrong, the generation in force must go on being refreshed.
            notTaken(state, e);
        }
    }

    /** Returns whether lookups fail, so that the generation in force is to be made anew now. */
    synchronized boolean isFailing() {
        return current.failure() != null && (repairAt == null || isDue(repairAt));
    }

    /** Makes a generation anew whose lookups fail, because its snapshot can no longer be read. */
    private void repair(FileState state) {
        repairAt = clock.nanos() + timing.retry().toNanos();
        IOException failure = current.failure();
        failed(
                settings.file()
                        + ": lookups fail ("
                        + (failure == null ? "" : failure.getMessage())
                        + "). The list is made anew from its file");
        try {
            took(state, loader.loadAnew(admission(status, state)));
            repairAt = null;
        } catch (IOException | RuntimeException | Error e) {
            notTaken(state, e);
        }
    }

    private void took(FileState state, @Nullable Loaded loaded) throws IOException {
        standstill.read(state);
        retryAt = null;
        told = null;
        if (loaded == null) {
            status = status.unchanged();
            tell(() -> listener.unchanged(settings.file(), status.generation()));
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
        tell(() -> listener.loaded(settings.file(), next.header(), loaded.report()));
    }

    private void notTaken(FileState state, Throwable e) {
        FileState after = disk.state(settings.file());
        if (closed) {
            standstill.settle();
        } else if (!after.equals(state)) {
            // Changed while it was read: what was read may be half of each.
            standstill.look(after);
        } else {
            refused(state, e);
        }
    }

    private void refused(FileState state, @Nullable Throwable e) {
        boolean again = standstill.isRead(state) && retryAt != null;
        standstill.read(state);
        retryAt = null;
        told = null;
        String reason = reason(e);
        if (e instanceof ListRefusedException || e instanceof SnapshotException) {
            status = status.heldBack(reason);
            tell(() -> listener.refused(settings.file(), describe(), reason, e));
            return;
        }
        retryAt = clock.nanos() + timing.retry().toNanos();
        if (again && status.problem() != null) {
            // Said already.
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
        tell(() -> listener.refused(settings.file(), describe(), reason, e));
    }

    /** Tells the listener. What goes wrong there must not stop the list from being refreshed. */
    private static void tell(Runnable event) {
        try {
            event.run();
        } catch (RuntimeException | Error e) {
            // A listener that cannot be told cannot be told of this either.
            return;
        }
    }

    private Admission admission(ListStatus inForce, FileState state) {
        return admission(inForce.generation().entries(), state);
    }

    /** Not much smaller than before, and of a file that did not change while it was read. */
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

    private String reason(@Nullable Throwable e) {
        String message =
                e instanceof IOException && e.getMessage() != null
                        ? e.getMessage()
                        : String.valueOf(e);
        return message.contains(settings.file().toString())
                ? message
                : settings.file() + ": " + message;
    }

    private String describe() {
        SnapshotHeader header = status.generation();
        return header.entries()
                + " entries"
                + (header.buildTime() == 0
                        ? ""
                        : " of " + Instant.ofEpochMilli(header.buildTime()));
    }

    /**
     * Ends what is being loaded and lets go of the generation; whoever still asks gets no answer.
     */
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
