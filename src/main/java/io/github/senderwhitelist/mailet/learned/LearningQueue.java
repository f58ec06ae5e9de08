package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.mailet.server.RareWarning;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A queue of what was learned, which a thread of its own writes. Users take turns, so nobody waits
 * for all that another user does. What the database fails to write is tried once more after a
 * while, and then given up.
 *
 * <p>Of tasks of one user about the same thing, only the last is kept. The more is waiting, the
 * fewer tasks of one user may wait, so there is always room for others.
 */
public final class LearningQueue implements AutoCloseable {
    /** After what time a task is tried once more. */
    public static final Duration AGAIN = Duration.ofSeconds(30);

    private static final Logger LOGGER = LoggerFactory.getLogger(LearningQueue.class);

    /** How many tasks wait at most. */
    private static final int MOST_WAITING = 20_000;

    /** A user gets at most one of this many parts of the room that is left. */
    private static final int PARTS = 10;

    /** Less than a server may take to stop, in which other things happen, too. */
    private static final Duration LONGEST_DRAIN = Duration.ofSeconds(2);

    private static final String STOPS = "the server stops";

    private final Duration again;
    private final ScheduledExecutorService thread;
    private final List<RareWarning> warnings = new ArrayList<>();
    private final RareWarning lost;

    /** All that waits, by user and by what it is about. */
    private final Map<Key, Map<Object, Waiting>> all = new HashMap<>();

    /** What may be written now. The user whose turn is next comes first. */
    private final LinkedHashMap<Key, LinkedHashSet<Waiting>> turns = new LinkedHashMap<>();

    private int size;
    private boolean draining;

    /** Something to write. */
    public interface Task {
        /** Returns whose share of the queue it takes. */
        Key user();

        /** Returns what it is about. It replaces what waits and is about an equal thing. */
        Object about();

        /** Returns what to write in place of an older task about an equal thing and this. */
        default Task inPlaceOf(Task older) {
            return this;
        }

        /**
         * Writes it. This may be called twice.
         *
         * @throws IOException if the database fails; part of it may have been written
         */
        void write() throws IOException;

        /** Counts it as given up. */
        void failed();
    }

    /** A task that waits for its turn, or until it is due. */
    private static final class Waiting {
        Task task;
        boolean isSecond;
        final CompletableFuture<Void> done = new CompletableFuture<>();

        /** What makes it ready later; null once it is ready. */
        @Nullable Future<?> due;

        Waiting(Task task, boolean isSecond) {
            this.task = task;
            this.isSecond = isSecond;
        }
    }

    /** Makes an empty queue and its thread. */
    public LearningQueue(Duration again) {
        this(again, thread());
    }

    /** Takes the thread of a test. */
    public LearningQueue(Duration again, ScheduledExecutorService thread) {
        this.again = again;
        this.thread = thread;
        this.lost = warning("What users did was not learned from");
    }

    private static ScheduledThreadPoolExecutor thread() {
        ScheduledThreadPoolExecutor thread =
                new ScheduledThreadPoolExecutor(
                        1,
                        task -> {
                            Thread made = new Thread(task, "whitelist learning");
                            made.setDaemon(true);
                            return made;
                        });
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        thread.setRemoveOnCancelPolicy(true);
        return thread;
    }

    /** Returns a warning for what this queue writes. */
    public RareWarning warning(String what) {
        RareWarning warning = new RareWarning(what, thread);
        warnings.add(warning);
        return warning;
    }

    /** Adds a task to be written when it is the user's turn, in place of one that waits. */
    public Future<?> add(Task task) {
        return add(task, Duration.ZERO);
    }

    /**
     * Adds a task. If one waits that is about the same, it takes that one's place, and is written
     * when that would have been, or sooner.
     *
     * @param delay how long to wait before it is the user's turn
     * @return ends when the task is done: it was written, given up, or is to be tried once more
     */
    public synchronized Future<?> add(Task task, Duration delay) {
        Map<Object, Waiting> own = all.getOrDefault(task.user(), Map.of());
        Waiting waiting = own.get(task.about());
        if (waiting == null) {
            if (own.size() >= (MOST_WAITING - size) / PARTS) {
                fail(task, "too much is waiting to be learned from");
                return CompletableFuture.completedFuture(null);
            }
            waiting = keep(new Waiting(task, false));
            schedule(waiting, delay);
        } else {
            waiting.task = task.inPlaceOf(waiting.task);
            waiting.isSecond = false;
            if (delay.isZero()) {
                schedule(waiting, delay);
            }
        }
        return waiting.done;
    }

    private Waiting keep(Waiting waiting) {
        all.computeIfAbsent(waiting.task.user(), any -> new HashMap<>())
                .put(waiting.task.about(), waiting);
        size++;
        return waiting;
    }

    private void forget(Waiting waiting) {
        Key user = waiting.task.user();
        Map<Object, Waiting> own = all.getOrDefault(user, Map.of());
        own.remove(waiting.task.about());
        if (own.isEmpty()) {
            all.remove(user);
        }
        size--;
    }

    private void schedule(Waiting waiting, Duration delay) {
        try {
            if (delay.isZero() || draining) {
                makeReady(waiting);
            } else {
                waiting.due =
                        thread.schedule(() -> due(waiting), delay.toNanos(), TimeUnit.NANOSECONDS);
            }
        } catch (RejectedExecutionException e) {
            forget(waiting);
            fail(waiting.task, STOPS);
            waiting.done.complete(null);
        }
    }

    private synchronized void due(Waiting waiting) {
        // If not, it was made ready sooner.
        if (waiting.due != null) {
            makeReady(waiting);
        }
    }

    /** Puts a task behind the user's others. */
    private void makeReady(Waiting waiting) {
        Key user = waiting.task.user();
        LinkedHashSet<Waiting> own = turns.getOrDefault(user, new LinkedHashSet<>());
        if (!own.remove(waiting)) {
            thread.execute(this::writeNext);
        }
        if (waiting.due != null) {
            waiting.due.cancel(false);
            waiting.due = null;
        }
        own.add(waiting);
        turns.putIfAbsent(user, own);
    }

    private void writeNext() {
        Waiting next = next();
        if (next == null) {
            return;
        }
        try {
            next.task.write();
        } catch (IOException e) {
            tryAgain(next, String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            LOGGER.debug("Learning failed", e);
            fail(next.task, e.toString());
        }
        next.done.complete(null);
    }

    /** Returns the first task of the user whose turn it is, or null when the queue was closed. */
    private synchronized @Nullable Waiting next() {
        Map.Entry<Key, LinkedHashSet<Waiting>> turn = turns.pollFirstEntry();
        if (turn == null) {
            return null;
        }
        Waiting next = turn.getValue().removeFirst();
        if (!turn.getValue().isEmpty()) {
            turns.putLast(turn.getKey(), turn.getValue());
        }
        forget(next);
        return next;
    }

    private synchronized void tryAgain(Waiting failed, String why) {
        Task task = failed.task;
        Waiting newer = all.getOrDefault(task.user(), Map.of()).get(task.about());
        if (newer != null) {
            newer.task = newer.task.inPlaceOf(task);
        } else if (failed.isSecond || draining) {
            fail(task, why);
        } else {
            schedule(keep(new Waiting(task, true)), again);
        }
    }

    private void fail(Task task, String why) {
        task.failed();
        lost.add(task.user() + ": " + why);
    }

    /**
     * Writes all that waits, due or not, and waits for that for some seconds. What the database
     * fails to write meanwhile is given up.
     */
    public void drain() {
        long end = System.nanoTime() + LONGEST_DRAIN.toNanos();
        beginToDrain();
        try {
            do {
                thread.submit(() -> {}).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                // What was written may have added more.
            } while (!isEmpty());
        } catch (RejectedExecutionException | ExecutionException | TimeoutException e) {
            LOGGER.debug("Not all that was waiting is written", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        endDraining();
    }

    private synchronized void beginToDrain() {
        draining = true;
        for (Waiting each : waiting()) {
            if (each.due != null) {
                schedule(each, Duration.ZERO);
            }
        }
    }

    private synchronized void endDraining() {
        draining = false;
    }

    private synchronized boolean isEmpty() {
        return size == 0;
    }

    private List<Waiting> waiting() {
        return all.values().stream().flatMap(own -> own.values().stream()).toList();
    }

    /** Writes what waits, as {@link #drain} does, gives up the rest and ends the thread. */
    @Override
    public void close() {
        drain();
        thread.shutdown();
        giveUp();
        warnings.forEach(RareWarning::log);
    }

    private synchronized void giveUp() {
        turns.clear();
        for (Waiting each : waiting()) {
            forget(each);
            fail(each.task, STOPS);
            each.done.complete(null);
        }
    }
}
