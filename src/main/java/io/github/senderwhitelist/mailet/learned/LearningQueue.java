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
 * A queue of what was learned, which a thread of its own writes, one task after the other. Users
 * take turns, so nobody waits for all that another user does. What the database fails to write is
 * tried once more after a while, before the user's other tasks, and then given up.
 *
 * <p>A task that equals one of the user's that waits is left out: each looks at what holds when it
 * is written. The more is waiting, the fewer tasks of one user may wait, so there is always room
 * for others.
 */
public final class LearningQueue implements AutoCloseable {
    /** After what time a task is tried once more. */
    public static final Duration AGAIN = Duration.ofSeconds(30);

    private static final Logger LOGGER = LoggerFactory.getLogger(LearningQueue.class);

    /** How many tasks wait at most. */
    private static final int MAX_WAITING = 20_000;

    /** A user gets at most one of this many parts of the room that is left. */
    private static final int PARTS = 10;

    /** Less than a server may take to stop, in which other things happen, too. */
    private static final Duration MAX_DRAIN = Duration.ofSeconds(2);

    private static final String STOPS = "the server stops";

    private final Duration again;
    private final ScheduledExecutorService thread;
    private final List<RareWarning> warnings = new ArrayList<>();
    private final RareWarning lost;

    /** What waits, by user and by what it is about. A user who is here gets another turn. */
    private final Map<Key, LinkedHashMap<Object, Waiting>> all = new HashMap<>();

    private int size;
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

    /** A task that waits for its turn. */
    private record Waiting(Task task, boolean isSecond, CompletableFuture<Void> done) {}

    /** Makes an empty queue and its thread. */
    public LearningQueue() {
        this(AGAIN, thread());
    }

    /** Takes the thread of a test. */
    public LearningQueue(Duration again, ScheduledExecutorService thread) {
        this.again = again;
        this.thread = thread;
        this.lost = warning("What users did was not learned from");
    }

    /** Makes the thread of a queue. */
    public static ScheduledThreadPoolExecutor thread() {
        ScheduledThreadPoolExecutor thread =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().name("whitelist learning").daemon().factory());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return thread;
    }

    /** Returns a warning for what this queue writes. */
    public RareWarning warning(String what) {
        RareWarning warning = new RareWarning(what, thread);
        warnings.add(warning);
        return warning;
    }

    /**
     * Adds a task to be written when it is the user's turn.
     *
     * @return ends when the task is done: it was written, given up, or is to be tried once more
     */
    public synchronized Future<?> add(Task task) {
        LinkedHashMap<Object, Waiting> own = all.get(task.user());
        Waiting same = own == null ? null : own.get(task.about());
        if (same != null) {
            return same.done;
        }
        if ((own == null ? 0 : own.size()) >= (MAX_WAITING - size) / PARTS) {
            fail(task, "too much is waiting to be learned from");
            return CompletableFuture.completedFuture(null);
        }
        if (own == null) {
            if (!schedule(task.user(), Duration.ZERO)) {
                fail(task, STOPS);
                return CompletableFuture.completedFuture(null);
            }
            own = new LinkedHashMap<>();
            all.put(task.user(), own);
        }
        Waiting added = new Waiting(task, false, new CompletableFuture<>());
        own.put(task.about(), added);
        size++;
        return added.done;
    }

    /** Gives a user a turn, behind those of others. Returns whether the thread still runs. */
    private boolean schedule(Key user, Duration delay) {
        try {
            Future<?> unused =
                    thread.schedule(
                            () -> turn(user), draining ? 0 : delay.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    private void turn(Key user) {
        Waiting next = next(user);
        if (next == null) {
            return;
        }
        Duration delay = Duration.ZERO;
        try {
            next.task.write();
        } catch (IOException e) {
            delay = failed(next, String.valueOf(e.getMessage()));
        } catch (RuntimeException | Error e) {
            LOGGER.debug("Learning failed", e);
            fail(next.task, e.toString());
        }
        next.done.complete(null);
        goOn(user, delay);
    }

    /** Returns the task of a user's turn; null if there is none, or the user has to rest. */
    private synchronized @Nullable Waiting next(Key user) {
        LinkedHashMap<Object, Waiting> own = all.get(user);
        if (own == null) {
            return null;
        }
        Waiting first = own.firstEntry().getValue();
        Duration rest = draining ? Duration.ZERO : first.task.rest();
        if (!rest.isZero()) {
            schedule(user, rest);
            return null;
        }
        own.pollFirstEntry();
        size--;
        return first;
    }

    /** Returns how long the user's turn is put off after a failure. */
    private synchronized Duration failed(Waiting failed, String why) {
        if (failed.isSecond || draining) {
            fail(failed.task, why);
            return Duration.ZERO;
        }
        Waiting second = new Waiting(failed.task, true, new CompletableFuture<>());
        LinkedHashMap<Object, Waiting> own = all.get(failed.task.user());
        Waiting same = own == null ? null : own.putFirst(failed.task.about(), second);
        if (same == null) {
            size++;
        } else {
            same.done.complete(null);
        }
        return again;
    }

    private synchronized void goOn(Key user, Duration delay) {
        LinkedHashMap<Object, Waiting> own = all.get(user);
        if (own != null && own.isEmpty()) {
            all.remove(user);
        } else if (own != null) {
            schedule(user, delay);
        }
    }

    private void fail(Task task, String why) {
        task.failed();
        lost.add(task.user() + ": " + why);
    }

    /**
     * Writes all that waits, and waits for that for some seconds, though users should rest. What
     * the database fails to write meanwhile is given up.
     */
    public void drain() {
        long end = System.nanoTime() + MAX_DRAIN.toNanos();
        beginToDrain();
        try {
            do {
                thread.submit(() -> {}).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
                // What was written may have been followed by more.
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
        all.keySet().forEach(user -> schedule(user, Duration.ZERO));
    }

    private synchronized void endDraining() {
        draining = false;
    }

    /** Returns whether nothing waits, and nothing is being written. */
    private synchronized boolean isEmpty() {
        return all.isEmpty();
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
        for (LinkedHashMap<Object, Waiting> own : all.values()) {
            for (Waiting each : own.values()) {
                fail(each.task, STOPS);
                each.done.complete(null);
            }
        }
        all.clear();
        size = 0;
    }
}
