package io.github.senderwhitelist.mailet;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Writes down what was learned, one thing at a time. What could not be written is tried once more.
 * Then it is given up, logged and counted.
 */
final class LearningThread implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(LearnCorrespondents.class);

    /** How many things wait to be written at most. */
    private static final int MOST_WAITING = 1_000;

    private static final Duration GRACE = Duration.ofSeconds(5);

    private final ScheduledThreadPoolExecutor thread;
    private final Duration again;
    private final WhitelistMetrics metrics;

    /** Something to write. */
    @FunctionalInterface
    interface Work {
        void write() throws IOException;
    }

    /** What to do, and what to say of how many people when it fails. */
    private record Task(String failure, int people, Work work) {}

    /**
     * Makes the thread.
     *
     * @param again when what could not be written is tried once more
     */
    LearningThread(Duration again, WhitelistMetrics metrics) {
        this.again = again;
        this.metrics = metrics;
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

    /**
     * Has something written, and waits for it for some time. Never throws.
     *
     * @param failure says in the log what did not happen
     * @param people how many people this is about, for the metrics
     */
    void run(String failure, int people, Work work, Duration patience) {
        Task task = new Task(failure, people, work);
        if (thread.getQueue().size() >= MOST_WAITING) {
            failed(task, "more than " + MOST_WAITING + " mails wait to be learned from");
            return;
        }
        try {
            Future<?> written = thread.submit(() -> write(task, true));
            written.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            LOGGER.debug("It takes longer than {}: {}", patience, task.failure);
        } catch (RejectedExecutionException e) {
            failed(task, "the server stops");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException e) {
            failed(task, String.valueOf(e.getCause()));
        }
    }

    private void write(Task task, boolean isFirst) {
        try {
            task.work.write();
        } catch (IOException e) {
            if (isFirst && !thread.isShutdown()) {
                Future<?> unused =
                        thread.schedule(
                                () -> write(task, false), again.toMillis(), TimeUnit.MILLISECONDS);
            } else {
                failed(task, String.valueOf(e.getMessage()));
            }
        } catch (RuntimeException | Error e) {
            failed(task, e.toString());
            LOGGER.debug("{}", task.failure, e);
        }
    }

    private void failed(Task task, String why) {
        metrics.notLearned(task.people);
        LOGGER.warn("{}: {}", task.failure, why);
    }

    /** Ends the thread, after what it writes now and what waits, if that does not take long. */
    @Override
    public void close() {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
                LOGGER.warn("Some of what was learned last is not written");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
