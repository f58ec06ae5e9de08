package io.github.senderwhitelist.mailet.learned;

import com.google.common.util.concurrent.RateLimiter;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.mailet.server.WhitelistMetrics;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A queue of what is to be learned, which a thread of its own writes in the order in which it came.
 * What fails is tried once more after a while, and then given up. It is bounded, and a user has a
 * share of it only, so there is always room for others. What was and was not learned is counted,
 * and the latter logged: once a minute as a warning, so that nobody can fill the log.
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

    private final WhitelistMetrics metrics;
    private final ScheduledExecutorService thread;
    private final RateLimiter warnings = RateLimiter.create(1 / 60.0);
    private final Set<Task> waiting = new LinkedHashSet<>();
    private final Map<Key, Integer> shares = new HashMap<>();

    /** Something to learn. */
    @FunctionalInterface
    public interface Work {
        /**
         * Learns it. This may be called twice.
         *
         * @throws IOException if the database fails; part of it may have been written
         */
        Learned run() throws IOException;
    }

    /** Makes an empty queue and its thread. */
    public LearningQueue(WhitelistMetrics metrics) {
        this(metrics, thread());
    }

    private static ScheduledThreadPoolExecutor thread() {
        ScheduledThreadPoolExecutor thread =
                new ScheduledThreadPoolExecutor(
                        1, Thread.ofPlatform().name("whitelist learning").daemon().factory());
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        return thread;
    }

    /** Takes the thread of a test. */
    public LearningQueue(WhitelistMetrics metrics, ScheduledExecutorService thread) {
        this.metrics = metrics;
        this.thread = thread;
    }

    /** A task that waits for its turn, or for its second one. */
    private final class Task implements Runnable {
        final Key user;
        final int senders;
        final Work work;
        final CompletableFuture<Void> done = new CompletableFuture<>();
        boolean isSecond;

        Task(Key user, int senders, Work work) {
            this.user = user;
            this.senders = senders;
            this.work = work;
        }

        @Override
        public void run() {
            try {
                Learned learned = work.run();
                metrics.learned(learned.added(), learned.refused());
                if (learned.refused() > 0) {
                    warn(user, "more new senders than maxNewPerDay and maxPerUser allow");
                }
            } catch (IOException e) {
                if (isSecond || !schedule(this, AGAIN)) {
                    giveUp(user, senders, String.valueOf(e.getMessage()));
                } else {
                    isSecond = true;
                    done.complete(null);
                    return;
                }
            } catch (RuntimeException | Error e) {
                LOGGER.debug("Learning failed", e);
                giveUp(user, senders, e.toString());
            }
            end(this);
        }
    }

    /**
     * Adds a task.
     *
     * @param senders how many senders it is about at most, for the metrics
     * @return ends when the task is done: it was written, given up, or is to be tried once more
     */
    public Future<?> add(Key user, int senders, Work work) {
        Task task = new Task(user, senders, work);
        if (!hasRoom(task)) {
            giveUp(user, senders, "too much is waiting to be learned from");
            task.done.complete(null);
        } else if (!schedule(task, Duration.ZERO)) {
            giveUp(user, senders, "the server stops");
            end(task);
        }
        return task.done;
    }

    private synchronized boolean hasRoom(Task task) {
        int share = shares.getOrDefault(task.user, 0);
        if (waiting.size() >= MAX_WAITING || share >= SHARE) {
            return false;
        }
        shares.put(task.user, share + 1);
        return waiting.add(task);
    }

    private synchronized void end(Task task) {
        if (waiting.remove(task)) {
            shares.computeIfPresent(task.user, (user, share) -> share == 1 ? null : share - 1);
        }
        task.done.complete(null);
    }

    /** Gives a task a turn. Returns whether the thread still runs. */
    private boolean schedule(Task task, Duration delay) {
        try {
            Future<?> unused = thread.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Counts and logs that something is not learned from. */
    public void giveUp(Key user, int senders, String why) {
        metrics.notLearned(senders);
        warn(user, why);
    }

    private void warn(Key user, String why) {
        LOGGER.atLevel(warnings.tryAcquire() ? Level.WARN : Level.DEBUG)
                .log("Not all that users did was learned from; of {}: {}", user, why);
    }

    /** Waits until all is written that was added before, for some seconds at most. */
    public void drain() {
        try {
            thread.submit(() -> {}).get(MAX_DRAIN.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException | ExecutionException | TimeoutException e) {
            LOGGER.debug("Not all that was waiting is written", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes what waits, as {@link #drain} does, gives up the rest and ends the thread. */
    @Override
    public void close() {
        drain();
        // Without an interrupt, which would close the files that are being read.
        thread.shutdown();
        List<Task> left;
        synchronized (this) {
            left = List.copyOf(waiting);
        }
        for (Task each : left) {
            giveUp(each.user, each.senders, "the server stops");
            end(each);
        }
    }
}
