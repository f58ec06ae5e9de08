package io.github.senderwhitelist.filter;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

/** A filler that passes hashes on to another one in a background thread, in the same order. */
final class BackgroundFiller extends FilterFiller {
    private static final int BATCH = 1 << 12;
    private static final int BATCHES = 4;

    private final FilterFiller filler;
    private final BlockingQueue<Batch> idle = new ArrayBlockingQueue<>(BATCHES);
    private final BlockingQueue<Batch> full = new ArrayBlockingQueue<>(BATCHES);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Thread thread;
    private Batch batch = new Batch();

    /** Some hashes; a batch that is not full is the last. */
    private static final class Batch {
        final long[] hashes = new long[BATCH];
        int count;
    }

    /** Takes a filler, which nobody else may use from now on. */
    BackgroundFiller(FilterFiller filler) {
        this.filler = filler;
        for (int i = 1; i < BATCHES; i++) {
            idle.add(new Batch());
        }
        this.thread = new Thread(this::fill, "whitelist filter");
        thread.setDaemon(true);
        thread.start();
    }

    private void fill() {
        try {
            boolean more = true;
            while (more) {
                Batch next = full.take();
                more = next.count == BATCH;
                addAll(next);
                idle.add(next);
            }
        } catch (InterruptedException e) {
            failure.compareAndSet(null, e);
        }
    }

    /**
     * Adds a batch. After a failure, batches are taken and dropped, so that the producer never
     * blocks.
     */
    private void addAll(Batch next) {
        if (failure.get() != null) {
            return;
        }
        try {
            for (int i = 0; i < next.count; i++) {
                filler.add(next.hashes[i]);
            }
        } catch (IOException | RuntimeException | Error e) {
            failure.set(e);
        }
    }

    @Override
    public void add(long hash) throws IOException {
        batch.hashes[batch.count++] = hash;
        if (batch.count == BATCH) {
            requireNoFailure();
            try {
                full.put(batch);
                batch = idle.take();
            } catch (InterruptedException e) {
                throw interrupted();
            }
            batch.count = 0;
        }
    }

    private static IOException interrupted() {
        Thread.currentThread().interrupt();
        return new InterruptedIOException("interrupted");
    }

    private void requireNoFailure() throws IOException {
        Throwable found = failure.get();
        if (found instanceof IOException e) {
            throw e;
        }
        if (found != null) {
            throw new IOException("filling a filter failed: " + found, found);
        }
    }

    @Override
    public boolean fits(FilterShape shape) {
        return filler.fits(shape);
    }

    @Override
    public Filter finish(FilterShape shape, LongConsumer progress) throws IOException {
        try {
            full.put(batch);
            thread.join();
        } catch (InterruptedException e) {
            throw interrupted();
        }
        requireNoFailure();
        return filler.finish(shape, progress);
    }

    /** Stops the thread, and closes the other filler when it has ended. */
    @Override
    public void close() throws IOException {
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        filler.close();
    }
}
