package io.github.senderwhitelist.live;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.time.Duration;

/**
 * A list that follows its file. A thread of its own looks at the file when the file system tells of
 * a change near it, and at regular times besides, because not every file system tells.
 */
public final class LiveList implements SenderList, Closeable {
    /** The longest time between looks at whether lookups fail. */
    private static final Duration AGAIN = Duration.ofSeconds(10);

    /** How long the end of a list waits for its thread. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final ListSettings settings;
    private final ListCounters counters;
    private final Refresher refresher;
    private final FileWatch watch;
    private final Thread thread;
    private volatile boolean closed;

    /**
     * Loads a list and begins to follow it.
     *
     * @throws IOException when neither the list nor the last good snapshot of it can be loaded
     */
    public static LiveList open(ListSettings settings, RefreshListener listener)
            throws IOException {
        return open(settings, listener, new ListCounters(ListCounters.LookupTimer.NONE));
    }

    /** The same, with questions and answers counted there. */
    public static LiveList open(
            ListSettings settings, RefreshListener listener, ListCounters counters)
            throws IOException {
        LiveList list =
                new LiveList(
                        settings,
                        counters,
                        new Refresher(
                                settings, Disk.LOCAL, RefreshTiming.USUAL, listener, counters));
        list.thread.start();
        return list;
    }

    private LiveList(ListSettings settings, ListCounters counters, Refresher refresher) {
        this.settings = settings;
        this.counters = counters;
        this.refresher = refresher;
        this.watch = new FileWatch(settings.file());
        this.thread =
                new Thread(this::follow, "whitelist refresh of " + settings.file().getFileName());
        thread.setDaemon(true);
    }

    @Override
    public Generation current() {
        return refresher.current();
    }

    /** The list and how it is kept. */
    public ListSettings settings() {
        return settings;
    }

    /** How the list fares. */
    public ListStatus status() {
        return refresher.status();
    }

    /** What was asked of it and answered. */
    public ListCounters counters() {
        return counters;
    }

    /**
     * Reads the file now, whether it changed or not, as soon as it stands still; for those who do
     * not want to wait for the next look. Returns when that is done.
     *
     * @return how the list fares afterwards
     * @throws IOException when the list was closed meanwhile
     */
    public ListStatus reload() throws IOException {
        return refresher.reload();
    }

    private void follow() {
        Duration wait = look();
        while (!closed) {
            try {
                if (wait.compareTo(Standstill.FINE) <= 0) {
                    Thread.sleep(wait);
                } else {
                    await(wait);
                }
            } catch (InterruptedException | ClosedWatchServiceException e) {
                // The list is closed; or somebody's mistake, which must not end the following.
                continue;
            }
            wait = look();
        }
    }

    /** Looks; whatever goes wrong, the list goes on being followed. */
    private Duration look() {
        try {
            return refresher.look();
        } catch (RuntimeException | Error e) {
            return AGAIN;
        }
    }

    /** Waits for an event, for lookups that fail, or for that time to pass. */
    private void await(Duration wait) throws InterruptedException {
        Duration left = wait;
        while (left.isPositive() && !closed && !refresher.isFailing()) {
            if (watch.await(left.compareTo(AGAIN) < 0 ? left : AGAIN)) {
                return;
            }
            left = left.minus(AGAIN);
        }
    }

    /**
     * Stops following the file, a build under way included, and lets go of the generation; whoever
     * still asks gets no answer.
     */
    @Override
    public void close() throws IOException {
        closed = true;
        refresher.close();
        thread.interrupt();
        watch.close();
        joinThread();
    }

    /** Waits for the thread to end, but not for a disk that does not answer. */
    private void joinThread() {
        try {
            thread.join(PATIENCE.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
