package io.github.senderwhitelist.whitelist;

import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.snapshot.SnapshotBuilder.Admission;
import io.github.senderwhitelist.snapshot.SnapshotException;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.whitelist.ListCounters.LookupTimer;
import io.github.senderwhitelist.whitelist.ListLoader.Loaded;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CancellationException;

/**
 * Keeps one list up to date, one look at a time. A file is read when two looks found it in the same
 * new state, and what was read counts only when the file is still in that state afterwards: before
 * that it takes the place neither of the generation in force nor of the last good snapshot. What is
 * refused leaves both. What failed for a reason outside the file, such as a full disk, is tried
 * again.
 *
 * <p>Any thread may call anything; one look or reload is done at a time.
 */
final class Refresher implements ListInForce {
    /** How long a changed file must stand still before it is read, at least. */
    static final Duration SETTLE = Duration.ofMillis(250);

    /** A file that has changed without end for so long is a problem. */
    private static final Duration RESTLESS = Duration.ofMinutes(1);

    /** How often a file that does not stand still is looked at when somebody waits for it. */
    private static final int PATIENCE = 40;

    private final ListSettings settings;
    private final ListLoader loader;
    private final RefreshListener listener;
    private volatile Generation current;
    private volatile ListStatus status;
    private volatile boolean closed;

    /** Between attempts after a failure. */
    Duration retry = Duration.ofMinutes(1);

    /** The state of the file that was loaded or refused last; null when neither was. */
    private @Nullable FileState settled;

    /** A newer state seen by the last look, or null, and when it was seen first. */
    private @Nullable FileState pending;

    private long pendingSince;

    /** Since when the file is in no state that was read, while {@link #pending} is not null. */
    private long restlessSince;

    /** When to try again what failed, or null. */
    private @Nullable Long retryAt;

    /**
     * Loads the list; when that fails, the last good snapshot of it.
     *
     * @throws IOException when there is neither
     */
    Refresher(ListSettings settings, RefreshListener listener) throws IOException {
        this(settings, listener, new ListCounters(LookupTimer.NONE));
    }

    /** The same, with questions and answers counted there. */
    Refresher(ListSettings settings, RefreshListener listener, ListCounters counters)
            throws IOException {
        this.settings = settings;
        this.listener = listener;
        this.loader = new ListLoader(settings, counters);
        loader.sweep();
        FileState state = FileState.of(settings.file());
        if (state.isFresh(Instant.now())) {
            state = awaitStill();
        }
        SnapshotHeader last = loader.lastGoodHeader();
        Loaded loaded = null;
        Exception refusal = null;
        try {
            loaded = loader.load(null, admission(last == null ? 0 : last.entries(), state));
        } catch (IOException | RuntimeException e) {
            refusal = e;
        }
        Generation first = loaded == null ? loader.lastGood() : loaded.generation();
        if (first == null) {
            throw refusal instanceof IOException e ? e : new IOException(reason(refusal), refusal);
        }
        this.current = first;
        this.status = new ListStatus(first.header(), Instant.now(), null, 0, 0, 0);
        if (loaded == null) {
            refused(state, refusal);
        } else {
            status = status.loaded(first.header(), Instant.now());
            settled = state;
            listener.loaded(settings.file(), first.header(), loaded.report());
        }
    }

    @Override
    public Generation current() {
        return current;
    }

    /** How the list fares. */
    ListStatus status() {
        return status;
    }

    /**
     * Looks at the file, refreshes the list if it changed, and returns how long to wait for the
     * next look.
     */
    synchronized Duration look() {
        FileState now = FileState.of(settings.file());
        boolean due = retryAt != null && System.nanoTime() - retryAt >= 0;
        if (now.equals(settled) && !due) {
            pending = null;
            return pause();
        }
        if (!now.equals(pending)) {
            noticed(now);
            return SETTLE;
        }
        Duration still = now.settleTime().minusNanos(System.nanoTime() - pendingSince);
        if (now.settleTime().compareTo(SETTLE) > 0 && still.isPositive()) {
            return still;
        }
        refresh(now);
        return pending == null ? pause() : SETTLE;
    }

    private void noticed(FileState state) {
        long now = System.nanoTime();
        if (pending == null) {
            restlessSince = now;
        } else if (now - restlessSince > RESTLESS.toNanos()) {
            restlessSince = now;
            failed(
                    settings.file()
                            + ": has been changing for over "
                            + RESTLESS.toSeconds()
                            + " s, so it cannot be read. Write the list to another file and rename"
                            + " that into place");
        }
        pending = state;
        pendingSince = now;
    }

    private Duration pause() {
        Duration interval = settings.reloadInterval();
        return retryAt == null || interval.compareTo(retry) < 0 ? interval : retry;
    }

    /**
     * Reads the file now, whether it changed or not, as soon as it stands still.
     *
     * @return how the list fares afterwards
     */
    synchronized ListStatus reload() throws IOException {
        FileState state = awaitStill();
        if (closed) {
            throw new IOException(settings.file() + ": the list is closed");
        }
        refresh(state);
        return status;
    }

    private FileState awaitStill() throws IOException {
        FileState state = FileState.of(settings.file());
        try {
            for (int i = 0; i < PATIENCE && !closed; i++) {
                Thread.sleep(state.settleTime());
                FileState next = FileState.of(settings.file());
                if (next.equals(state)) {
                    return state;
                }
                state = next;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(settings.file() + ": interrupted");
        }
        return state;
    }

    private void refresh(FileState state) {
        try {
            Loaded loaded = loader.load(current.header(), admission(status, state));
            pending = null;
            retryAt = null;
            settled = state;
            if (loaded == null) {
                status = status.unchanged();
                listener.unchanged(settings.file(), status.generation());
            } else {
                swap(loaded);
            }
        } catch (IOException | RuntimeException | Error e) {
            // Whatever went wrong, the generation in force must go on being refreshed.
            FileState after = FileState.of(settings.file());
            if (closed) {
                pending = null;
            } else if (!after.equals(state)) {
                // Changed while it was read: what was read may be half of each.
                noticed(after);
            } else {
                refused(state, e);
            }
        }
    }

    private void swap(Loaded loaded) {
        Generation old = current;
        current = loaded.generation();
        status = status.loaded(current.header(), Instant.now());
        listener.loaded(settings.file(), current.header(), loaded.report());
        old.retire();
    }

    private void refused(FileState state, @Nullable Throwable e) {
        boolean again = state.equals(settled) && retryAt != null;
        pending = null;
        settled = state;
        retryAt = null;
        String reason = reason(e);
        if (e instanceof ListRefusedException || e instanceof SnapshotException) {
            status = status.heldBack(reason);
            listener.refused(settings.file(), describe(), reason);
            return;
        }
        retryAt = System.nanoTime() + retry.toNanos();
        if (again && status.problem() != null) {
            // Said already.
            status = status.failed(reason);
        } else {
            failed(reason);
        }
    }

    private void failed(String reason) {
        status = status.failed(reason);
        listener.refused(settings.file(), describe(), reason);
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
            if (!FileState.of(settings.file()).equals(state)) {
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
        String message = e == null || e.getMessage() == null ? String.valueOf(e) : e.getMessage();
        return e == null || message.contains(settings.file().toString())
                ? message
                : settings.file() + ": " + message + " (" + e.getClass().getSimpleName() + ")";
    }

    private String describe() {
        SnapshotHeader header = status.generation();
        return header.entries()
                + " entries"
                + (header.buildTime() == 0
                        ? ""
                        : " of " + Instant.ofEpochMilli(header.buildTime()));
    }

    /** Ends what is being loaded and lets go of the generation; nobody may ask any more. */
    void close() {
        closed = true;
        loader.stop();
        synchronized (this) {
            current.retire();
        }
    }
}
