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
 * Sorted entries that are fetched ahead by a thread of their own, so that merging and what follows
 * go on side by side.
 */
public final class AheadEntries implements SortedEntries, Closeable {
    private static final int BATCH_BYTES = 1 << 18;
    private static final int BATCHES = 8;

    private final SortedEntries entries;
    private final BlockingQueue<Batch> idle = new ArrayBlockingQueue<>(BATCHES);

    /** Has room for all batches and for one that tells why there are no more. */
    private final BlockingQueue<Batch> full = new ArrayBlockingQueue<>(BATCHES + 1);

    private final Thread thread;
    private Decoder current = new Decoder(new byte[0], 0, 0);
    private @Nullable Batch batch;

    /** Some entries, or the end of all, or what went wrong. */
    private static final class Batch {
        final byte[] bytes = new byte[BATCH_BYTES];
        int length;
        boolean last;
        @Nullable Throwable failure;
    }

    /** Begins to fetch these entries, which are this object's from now on. */
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
            // Whoever waits for a batch must hear of it.
            Batch none = new Batch();
            none.failure = new InterruptedIOException("interrupted");
            none.last = true;
            full.add(none);
            Thread.currentThread().interrupt();
        }
    }

    private boolean fill(Batch next) throws IOException {
        Encoder encoder = new Encoder();
        next.length = 0;
        while (next.length <= next.bytes.length - RunCode.MAX_ENTRY) {
            if (!entries.next()) {
                return false;
            }
            next.length = encoder.put(entries, next.bytes, next.length);
        }
        return true;
    }

    @Override
    public boolean next() throws IOException {
        while (!current.next()) {
            if (batch != null && batch.last) {
                return false;
            }
            nextBatch();
        }
        return true;
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
        current = new Decoder(batch.bytes, 0, batch.length);
    }

    @Override
    public byte[] key() {
        return current.key();
    }

    @Override
    public int keyLength() {
        return current.keyLength();
    }

    @Override
    public byte[] rules() {
        return current.rules();
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
