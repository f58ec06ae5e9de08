package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Pair;
import io.github.senderwhitelist.living.EntryTable.Found;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Puts the questions of mails to a table, a bounded number at once, and waits for each answer a
 * bounded time. After several failures in a row, questions fail at once for a while, so that a
 * database that is gone does not hold up every mail.
 */
final class Lookups implements Closeable {
    /** How many questions are asked at once. */
    private static final int THREADS = 8;

    /** How many questions wait until others are answered. */
    private static final int WAITING = 200;

    /** How many pairs one question is about, so that no mail keeps the others waiting. */
    private static final int MOST = 500;

    private final EntryTable table;
    private final Duration timeout;
    private final Breaker breaker = new Breaker();
    private final ThreadPoolExecutor threads;

    Lookups(String name, EntryTable table, Duration timeout) {
        this.table = table;
        this.timeout = timeout;
        this.threads =
                new ThreadPoolExecutor(
                        THREADS,
                        THREADS,
                        1,
                        TimeUnit.MINUTES,
                        new ArrayBlockingQueue<>(WAITING),
                        task -> {
                            Thread thread = new Thread(task, "whitelist lookups of " + name);
                            thread.setDaemon(true);
                            return thread;
                        });
        threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Asks the table about all pairs, in one question unless there are many.
     *
     * @throws IOException if the table fails, or there is no answer in time
     */
    List<Found> findAll(List<Pair> pairs) throws IOException {
        List<Found> found = new ArrayList<>(pairs.size());
        for (int from = 0; from < pairs.size(); from += MOST) {
            found.addAll(find(pairs.subList(from, Math.min(pairs.size(), from + MOST))));
        }
        return found;
    }

    private List<Found> find(List<Pair> pairs) throws IOException {
        IOException known = breaker.failure();
        if (known != null) {
            throw new IOException("not asked again yet: " + known.getMessage(), known);
        }
        try {
            List<Found> found = await(threads.submit(() -> table.findAll(pairs)));
            breaker.succeeded();
            return found;
        } catch (RejectedExecutionException e) {
            throw new IOException(
                    "more than " + (WAITING + THREADS) + " questions to the database at once", e);
        } catch (IOException e) {
            breaker.failed(e);
            throw e;
        }
    }

    private List<Found> await(Future<List<Found>> answer) throws IOException {
        try {
            return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException("a question to the database failed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new IOException(
                    "no answer from the database within " + timeout.toMillis() + " ms", e);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for the database", e);
        }
    }

    /** Ends the threads. Questions that are being asked fail. */
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
