package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.address.Key;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
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
 * A queue of what was learned, which a thread of its own writes in the order in which it came. What
 * the database fails to write is tried once more after a while, and then given up.
 *
 * <p>A task that equals one that waits is left out: each looks at what holds when it is written. A
 * user has a share of the queue only, so there is always room for others.
 */
public final class LearningQueue implements AutoCloseable {
    /** After what time a task is tried once more. */
    public static final Duration AGAIN = Duration.ofSeconds(30);

    private static final Logger LOGGER = LoggerFactory.getLogger(LearningQueue.class);

    /** How many tasks wait at most. */
    private static final int MAX_WAITING = 20_000;

    /** How many of them are one user's at most. */
    private static final int SHARE = 200;

    /** Less than a server may take to stop, in which other things happen, too. */
    private static final Duration MAX_DRAIN = Duration.ofSeconds(2);

    private static final String STOPS = "the server stops";

    private final Duration again;
    private final ScheduledExecutorService thread;
    private final RareWarning lost = new RareWarning("What users did was not learned from");
    private final Map<Subject, Waiting> waiting = new HashMap<>();
    private final Map<Key, Integer> shares = new HashMap<>();
    private boolean draining;

    /** Something to write. */
    public interface Task {
        /** Returns whose share of the queue it takes. */
        Key user();

        /** Returns what it is about. Of what waits and is about the same, only one is written. */
        Object about();

        /** Returns for how long nothing may be written for the user. */
        default Duration rest() {
            return Duration.ZERO;
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

    private record Subject(Key user, Object about) {}

    /** A task that waits for its turn, and what ends after that. */
    private record Waiting(Task task, boolean isSecond, CompletableFuture<Void> done) {
        Subject subject() {
            return new Subject(task.user(), task.about());
        }
    }

    /** Makes an empty queue and its thread. */
    public LearningQueue() {
        this(AGAIN);
    }

    /** Takes the pause of a test. */
    public LearningQueue(Duration again) {
        this(again, thread());
    }

    /** Takes the thread of a test. */
    public LearningQueue(Duration again, ScheduledExecutorService thread) {
        this.again = again;
        this.thread = thread;
    }

    private static ScheduledExecutorService thread() {
        ScheduledThreadPoolExecutor thread =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().name("whitelist learning").daemon().factory());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return thread;
    }

    /**
     * Adds a task.
     *
     * @return ends when the task is done: it was written, given up, or is to be tried once more
     */
    public Future<?> add(Task task) {
        return add(new Waiting(task, false, new CompletableFuture<>()), Duration.ZERO).done;
    }

    /** Adds what is to wait, and returns it, or what waits already and is about the same. */
    private synchronized Waiting add(Waiting added, Duration delay) {
        Waiting same = waiting.get(added.subject());
        if (same != null) {
            return same;
        }
        int share = shares.getOrDefault(added.task.user(), 0);
        if (waiting.size() >= MAX_WAITING || share >= SHARE) {
            fail(added, "too much is waiting to be learned from");
        } else if (!schedule(added, delay)) {
            fail(added, STOPS);
        } else {
            waiting.put(added.subject(), added);
            shares.put(added.task.user(), share + 1);
        }
        return added;
    }

    /** Gives a task a turn. Returns whether the thread still runs. */
    private boolean schedule(Waiting next, Duration delay) {
        try {
            Future<?> unused =
                    thread.schedule(() -> turn(next), delay.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void turn(Waiting next) {
        if (!take(next)) {
            return;
        }
        try {
            next.task.write();
        } catch (IOException e) {
            failed(next, String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            LOGGER.debug("Learning failed", e);
            fail(next, e.toString());
        }
        next.done.complete(null);
    }

    /**
     * Returns whether a task is to be written now. Else it was already, or its user has to rest.
     */
    private synchronized boolean take(Waiting next) {
        if (!next.equals(waiting.get(next.subject()))) {
            return false;
        }
        Duration rest = draining ? Duration.ZERO : next.task.rest();
        if (!rest.isZero() && schedule(next, rest)) {
            return false;
        }
        waiting.remove(next.subject());
        shares.computeIfPresent(next.task.user(), (user, share) -> share == 1 ? null : share - 1);
        return true;
    }

    private synchronized void failed(Waiting failed, String why) {
        if (failed.isSecond || draining) {
            fail(failed, why);
        } else {
            add(new Waiting(failed.task, true, new CompletableFuture<>()), again);
        }
    }

    private void fail(Waiting failed, String why) {
        failed.task.failed();
        lost.add(failed.task.user() + ": " + why);
        failed.done.complete(null);
    }

    /**
     * Writes all that waits, and waits for that for some seconds, though users should rest. What
     * the database fails to write meanwhile is given up.
     */
    public void drain() {
        setDraining(true).forEach(each -> schedule(each, Duration.ZERO));
        try {
            thread.submit(() -> {}).get(MAX_DRAIN.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException | ExecutionException | TimeoutException e) {
            LOGGER.debug("Not all that was waiting is written", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        setDraining(false);
    }

    /** Returns what waits. */
    private synchronized List<Waiting> setDraining(boolean now) {
        draining = now;
        return List.copyOf(waiting.values());
    }

    /** Writes what waits, as {@link #drain} does, gives up the rest and ends the thread. */
    @Override
    public void close() {
        drain();
        thread.shutdown();
        synchronized (this) {
            waiting.values().forEach(each -> fail(each, STOPS));
            waiting.clear();
        }
    }
}
