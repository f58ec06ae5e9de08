package io.github.senderwhitelist.mailet;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Writes what was learned on a thread of its own, one after the other. What the database fails to
 * write is tried once more after a while, and then given up.
 */
final class LearningQueue implements AutoCloseable {
    /** After what time a task is tried once more. */
    static final Duration AGAIN = Duration.ofSeconds(30);

    private static final Logger LOGGER = LoggerFactory.getLogger(LearningQueue.class);

    /** How many tasks wait at most. */
    private static final int MOST_WAITING = 1_000;

    private final Duration again;
    private final ScheduledThreadPoolExecutor thread;

    /** Something to write. */
    interface Task {
        /**
         * Writes it. This may be called twice.
         *
         * @throws IOException if the database fails; part of it may have been written
         */
        void write() throws IOException;

        /** Tells that it was given up. */
        void failed(String why);
    }

    /** Makes an empty queue and its thread. */
    LearningQueue(Duration again) {
        this.again = again;
        this.thread =
                new ScheduledThreadPoolExecutor(
                        1,
                        task -> {
                            Thread made = new Thread(task, "whitelist learning");
                            made.setDaemon(true);
                            return made;
                        });
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Returns when a task is done: it was written, given up, or put off until later. */
    Future<?> add(Task task) {
        if (thread.getQueue().size() >= MOST_WAITING) {
            task.failed("more than " + MOST_WAITING + " mails wait to be learned from");
            return CompletableFuture.completedFuture(null);
        }
        try {
            return thread.submit(() -> write(task, true));
        } catch (RejectedExecutionException e) {
            task.failed("the server stops");
            return CompletableFuture.completedFuture(null);
        }
    }

    private void write(Task task, boolean isFirst) {
        try {
            task.write();
        } catch (IOException e) {
            if (isFirst && !thread.isShutdown()) {
                Future<?> unused =
                        thread.schedule(
                                () -> write(task, false), again.toMillis(), TimeUnit.MILLISECONDS);
            } else {
                task.failed(String.valueOf(e.getMessage()));
            }
        } catch (RuntimeException | Error e) {
            task.failed(e.toString());
            LOGGER.debug("Learning failed", e);
        }
    }

    /** Ends the thread when it has written what waits. What was put off is forgotten. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            thread.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
