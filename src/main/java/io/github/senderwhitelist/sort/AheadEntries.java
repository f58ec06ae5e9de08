package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.sort.RunCode.Decoder;
import io.github.senderwhitelist.sort.RunCode.Encoder;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Sorted entries that a thread of their own fetches ahead, so that merging and what follows run at
 * the same time.
 */
public final class AheadEntries implements SortedEntries, Closeable {
    private static final int BATCH_BYTES = 1 << 18;
    private static final int BATCHES = 8;

    private final SortedEntries entries;
    private final BlockingQueue<Batch> idle = new ArrayBlockingQueue<>(BATCHES);

    /** Has room for all batches, and for one more that tells of a failure. */
    private final BlockingQueue<Batch> full = new ArrayBlockingQueue<>(BATCHES + 1);

    private final Thread thread;
    private Decoder current = new Decoder(DomainTable.NONE, new byte[0], 0, 0);
    private @Nullable Batch batch;

    /** Some entries, and whether they are the last, or what went wrong. */
    private static final class Batch {
        final byte[] bytes = new byte[BATCH_BYTES];
        int length;
        boolean last;
        @Nullable Throwable failure;
    }

    /** Begins to fetch these entries, which nobody else may use from now on. */
    public AheadEntries(SortedEntries entries) {
        this.entries = entries;
        for (int i = 0; i < BATCHES; i++) {
            idle.add(new Batch());
        }
        this.thread = new Thread(this::fetch, "whitelist merge");
        thread.setDaemon(true);
        thread.start();
    }

    private void fetch() {
        try {
            boolean more = true;
            while (more) {
                Batch next = idle.take();
                try {
                    more = fill(next);
                } catch (IOException | RuntimeException | Error e) {
                    next.failure = e;
                    more = false;
                }
                next.last = !more;
                full.add(next);
            }
        } catch (InterruptedException e) {
            // Tells the thread that may be waiting for a batch.
            Batch none = new Batch();
            none.failure = new InterruptedIOException("interrupted");
            none.last = true;
            full.add(none);
            Thread.currentThread().interrupt();
        }
    }

    /** Fills a batch; returns false if the last entry is in it. */
    private boolean fill(Batch next) throws IOException {
        Encoder encoder = new Encoder(DomainTable.NONE);
        next.length = 0;
        while (next.length <= next.bytes.length - RunCode.MAX_ENTRY) {
            SortedEntry entry = entries.next();
            if (entry == null) {
                return false;
            }
            next.length = encoder.put(entry, next.bytes, next.length);
        }
        return true;
    }

    @Override
    public @Nullable SortedEntry next() throws IOException {
        SortedEntry entry = current.next();
        while (entry == null && (batch == null || !batch.last)) {
            nextBatch();
            entry = current.next();
        }
        return entry;
    }

    private void nextBatch() throws IOException {
        try {
            if (batch != null) {
                idle.put(batch);
            }
            batch = full.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
        Throwable failure = batch.failure;
        if (failure instanceof IOException e) {
            throw e;
        }
        if (failure != null) {
            throw new IOException("merging failed: " + failure, failure);
        }
        current = new Decoder(DomainTable.NONE, batch.bytes, 0, batch.length);
    }

    /** Stops fetching and waits for the thread. */
    @Override
    public void close() throws IOException {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        }
    }
}
