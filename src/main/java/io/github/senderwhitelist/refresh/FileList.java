package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;

/**
 * A list that follows its file with a thread of its own. This class decides when to look at the
 * file; its {@link Refresher} compares it with the active content and makes new content active.
 *
 * <p>The thread looks at regular times. Events of the file system would not come from network
 * mounts, nor when a link far from the file is swapped.
 */
public final class FileList implements SenderList, Closeable {
    /** The time between two checks whether lookups fail. */
    private static final Duration FAILURE_CHECK = Duration.ofSeconds(10);

    /** How long {@link #close} waits for the thread to end. */
    private static final Duration JOIN_TIME = Duration.ofSeconds(10);

    private final ListSettings settings;
    private final ListCounters counters;
    private final Refresher refresher;
    private final Thread thread;
    private volatile boolean closed;

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
        return open(settings, RefreshTiming.OF_SERVERS, listener, counters);
    }

    /** Loads a list and begins to follow its file, waiting as the timing says. */
    static FileList open(
            ListSettings settings,
            RefreshTiming timing,
            RefreshListener listener,
            ListCounters counters)
            throws IOException {
        FileList list =
                new FileList(
                        settings,
                        counters,
                        new Refresher(settings, Disk.LOCAL, timing, listener, counters));
        list.thread.start();
        return list;
    }

    private FileList(ListSettings settings, ListCounters counters, Refresher refresher) {
        this.settings = settings;
        this.counters = counters;
        this.refresher = refresher;
        this.thread =
                new Thread(this::follow, "whitelist refresh of " + settings.file().getFileName());
        thread.setDaemon(true);
    }

    @Override
    public Generation current() {
        return refresher.current();
    }

    /** Returns the settings that the list was opened with. */
    public ListSettings settings() {
        return settings;
    }

    /** Returns the state of the list now. */
    public ListStatus status() {
        return refresher.status();
    }

    /** Returns the counts of lookups and their results. */
    public ListCounters counters() {
        return counters;
    }

    /**
     * Reads the file without waiting for the next look, even if it has not changed. Blocks until
     * the file stands still and its content is active or refused.
     *
     * @return the state of the list afterwards
     * @throws IOException if the list was closed, or the calling thread interrupted, meanwhile
     */
    public ListStatus reload() throws IOException {
        return refresher.reload();
    }

    /** Runs in the thread of the list until the list is closed. */
    private void follow() {
        while (!closed) {
            Duration wait = look();
            try {
                while (wait.isPositive() && !closed && !refresher.needsRepair()) {
                    Thread.sleep(wait.compareTo(FAILURE_CHECK) < 0 ? wait : FAILURE_CHECK);
                    wait = wait.minus(FAILURE_CHECK);
                }
            } catch (InterruptedException e) {
                // The list was closed. If it was not, the interrupt was not ours: go on.
            }
        }
    }

    /**
     * Looks at the file and returns how long to wait for the next look. An error must not end the
     * thread, or the list would never be refreshed again.
     */
    private Duration look() {
        try {
            return refresher.look();
        } catch (RuntimeException | Error e) {
            return FAILURE_CHECK;
        }
    }

    /**
     * Stops following the file, ends a build that is under way, and retires the generation. Later
     * lookups result in {@code unavailable}.
     */
    @Override
    public void close() throws IOException {
        closed = true;
        refresher.close();
        thread.interrupt();
        try {
            // Not without limit: its disk may not answer.
            thread.join(JOIN_TIME.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
