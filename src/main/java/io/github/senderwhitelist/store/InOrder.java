package io.github.senderwhitelist.store;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A parallel map whose results are consumed in order. */
final class InOrder {
    private InOrder() {}

    /** The function that is mapped, called by any thread. */
    @FunctionalInterface
    interface Step<T, R> {
        R apply(T item) throws IOException;
    }

    /** The consumer of the results in the order of the items, called by the calling thread. */
    @FunctionalInterface
    interface Taker<R> {
        void take(R result) throws IOException;
    }

    /**
     * Applies a step to each item, and passes the results on in order. There are no more results at
     * a time than there are threads. When this returns or throws, no step is running.
     *
     * @param threads the number of threads; with one, or for one item, the calling thread does all
     * @throws IOException the failure of the first step or taker that fails; {@link
     *     InterruptedIOException} if the calling thread is interrupted
     */
    static <T, R> void map(Collection<T> items, int threads, Step<T, R> step, Taker<R> taker)
            throws IOException {
        if (threads == 1 || items.size() == 1) {
            for (T item : items) {
                taker.take(step.apply(item));
            }
            return;
        }
        Deque<Future<R>> ahead = new ArrayDeque<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads, InOrder::thread)) {
            try {
                for (T item : items) {
                    if (ahead.size() == threads) {
                        taker.take(result(ahead.remove()));
                    }
                    ahead.add(pool.submit(() -> step.apply(item)));
                }
                while (!ahead.isEmpty()) {
                    taker.take(result(ahead.remove()));
                }
            } finally {
                ahead.forEach(future -> future.cancel(false));
            }
        }
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "whitelist write");
        thread.setDaemon(true);
        return thread;
    }

    private static <R> R result(Future<R> future) throws IOException {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException cause -> throw cause;
                case RuntimeException cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }
}
