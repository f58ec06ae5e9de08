package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.refresh.ListLoader.Loaded;
import io.github.senderwhitelist.refresh.Standstill.Clock;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotException;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

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
    /** The time between attempts after a failure. */
    private static final Duration RETRY = Duration.ofMinutes(1);

    /** How long {@link #close} waits for the thread to end. */
    private static final Duration JOIN_TIME = Duration.ofSeconds(10);

    /** Matches what systems report when a disk or a quota is full. */
    private static final Pattern NO_SPACE = Pattern.compile("(?i)no space|enough space|quota");

    /** A listener to the outcome of every refresh, called by the thread of the list. */
    public interface Listener {
        /**
         * New content became active.
         *
         * @param report the report of its build, or null when a finished snapshot was loaded
         */
        default void loaded(SnapshotHeader header, @Nullable BuildReport report) {}

        /**
         * Something is wrong with the file that is no reason to refuse it. Says what happens now.
         */
        default void warned(String warning) {}

        /**
         * The content of the file was not taken, and the active generation stays.
         *
         * @param active a description of the content that stays active, for people
         * @param reason why the content was not taken, and what to do
         */
        default void refused(String active, String reason, @Nullable Throwable cause) {}
    }

    private final ListSettings settings;
    private final Disk disk;
    private final Clock clock;
    private final Listener listener;
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

    /**
     * Loads a list and begins to follow its file.
     *
     * @param counters the counts of lookups in the list
     * @throws IOException if neither the list nor its last good snapshot can be loaded
     */
    public static FileList open(ListSettings settings, Listener listener, ListCounters counters)
            throws IOException {
        return new FileList(settings, Disk.LOCAL, new Clock() {}, listener, counters).start();
    }

    FileList start() {
        thread.start();
        return this;
    }

    /** Loads a list as {@link #open} does. Nobody looks at its file until it is started. */
    FileList(
            ListSettings settings, Disk disk, Clock clock, Listener listener, ListCounters counters)
            throws IOException {
        this.settings = settings;
        this.disk = disk;
        this.clock = clock;
        this.listener = listener;
        this.counters = counters;
        this.loader = new ListLoader(settings, disk, counters, () -> closed);
        this.standstill = new Standstill(disk, settings.file(), clock, listener);
        String name = "whitelist refresh of " + settings.file().getFileName();
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::follow);
        FileState state = state();
        Loaded loaded = null;
        Throwable refusal = null;
        try {
            state = awaitStill();
            loaded = loader.first(state);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            refusal = e;
        }
        Generation first = loaded == null ? loader.lastGood() : loaded.generation();
        if (first == null) {
            throw new IOException(reason(refusal), refusal);
        }
        this.current = first;
        this.status = new ListStatus(first.header(), clock.now(), null, 0, 0, 0, List.of());
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

    private void follow() {
        Duration wait = Duration.ZERO;
        while (!closed) {
            try {
                Thread.sleep(wait);
                wait = look();
            } catch (InterruptedException e) {
                // The list was closed. If it was not, the interrupt was not ours: go on.
            } catch (RuntimeException | Error e) {
                // No error may end the thread, or the list would never be refreshed again.
            }
        }
    }

    /**
     * Looks at the file and refreshes the list if the file changed and stands still, if lookups in
     * the active generation fail, or if it is time to try again what failed.
     *
     * @return how long to wait for the next look
     */
    synchronized Duration look() {
        FileState state = state();
        try {
            Duration left = standstill.left(state);
            if (left.isPositive()) {
                if (standstill.isNewlyRestless()) {
                    report(
                            ("has been changing for over %s s, so it cannot be read. Write the list"
                                            + " to another file and rename that into place")
                                    .formatted(Standstill.MAX_CHANGING.toSeconds()));
                }
                return left;
            }
            IOException failure = retryAt == null ? current.failure() : null;
            boolean isDue = retryAt != null && clock.nanos() - retryAt >= 0;
            if (!standstill.isRead(state) || isDue) {
                refresh(state);
            } else if (failure != null) {
                report(
                        "lookups fail (%s). The list is made again from its file"
                                .formatted(failure.getMessage()));
                refresh(state);
            }
        } catch (IOException | RuntimeException | Error e) {
            notTaken(state, e);
        }
        Duration interval = settings.reloadInterval();
        boolean isSooner = retryAt != null && interval.compareTo(RETRY) > 0;
        return !standstill.isRead(state) ? Standstill.FINE : isSooner ? RETRY : interval;
    }

    private void report(String reason) {
        report(settings.file() + ": " + reason, false, null);
    }

    private void report(String reason, boolean isHeldBack, @Nullable Throwable cause) {
        status = status.refused(reason, isHeldBack, clock.now());
        listener.refused(status.content(), reason, cause);
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
            refresh(state);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException | RuntimeException | Error e) {
            notTaken(state, e);
        }
        if (closed) {
            throw new IOException(settings.file() + ": the list is closed");
        }
        return status;
    }

    /** Waits until the file may be read, but not for too long, and returns its state then. */
    private FileState awaitStill() throws IOException {
        long start = clock.nanos();
        try {
            while (true) {
                FileState state = state();
                Duration left = standstill.left(state);
                boolean isLate = clock.nanos() - start >= Standstill.MAX_CHANGING.toNanos();
                if (!left.isPositive() || closed || isLate) {
                    return state;
                }
                clock.sleep(left.compareTo(Standstill.FINE) < 0 ? left : Standstill.FINE);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException(settings.file() + ": interrupted");
        }
    }

    private void refresh(FileState state) throws IOException {
        String doubt = standstill.doubt();
        Loaded loaded = loader.load(current, state);
        markRead(state);
        Generation old = current;
        if (loaded.generation() == old) {
            status = status.read(old.header(), clock.now());
        } else {
            synchronized (swap) {
                if (closed) {
                    loaded.generation().retire();
                    return;
                }
                current = loaded.generation();
                old.retire();
            }
            loaded(loaded);
        }
        if (doubt != null) {
            listener.warned(
                    "was taken though it may be unfinished: %s. Look whether its end is there"
                            .formatted(doubt));
        }
    }

    private void loaded(Loaded loaded) {
        SnapshotHeader header = loaded.generation().header();
        status = status.read(header, clock.now());
        listener.loaded(header, loaded.report());
    }

    private void markRead(FileState state) {
        standstill.markRead(state);
        retryAt = null;
    }

    /** Reports a failure, unless the file changed meanwhile, so that it is read again anyway. */
    private void notTaken(FileState state, Throwable e) {
        if (!closed && state().equals(state)) {
            refused(state, e);
        }
    }

    /** Reports why the file was not taken, and decides whether it is tried again. */
    private void refused(FileState state, @Nullable Throwable e) {
        boolean isRetry = standstill.isRead(state) && retryAt != null;
        markRead(state);
        boolean isHeldBack = e instanceof ListRefusedException || e instanceof SnapshotException;
        if (!isHeldBack || current.failure() != null) {
            retryAt = clock.nanos() + RETRY.toNanos();
        }
        if (isRetry) {
            // The failure of the attempt before was reported already.
            status = status.refused(reason(e), isHeldBack, clock.now());
        } else {
            report(reason(e), isHeldBack, e);
        }
    }

    /** Returns the message of a failure with the file in it, and the remedy where it is known. */
    private String reason(@Nullable Throwable e) {
        String its = e instanceof IOException ? e.getMessage() : null;
        String said = its == null ? String.valueOf(e) : its;
        String file = settings.file().toString();
        String message = said.contains(file) ? said : file + ": " + said;
        if (e instanceof AccessDeniedException) {
            return message + " (the server runs as user " + System.getProperty("user.name") + ")";
        }
        return e instanceof FileSystemException failure
                        && NO_SPACE.matcher(String.valueOf(failure.getReason())).find()
                ? "%s. Make room in %s, or set workDirectory to a folder on a larger disk"
                        .formatted(message, settings.workDirectory())
                : message;
    }

    /**
     * Stops following the file, ends a build that is under way, and retires the generation. Later
     * lookups result in {@code unavailable}.
     */
    @Override
    public void close() {
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
