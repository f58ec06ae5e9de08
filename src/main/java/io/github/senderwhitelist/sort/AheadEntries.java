package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.ShortBytes;
import io.github.senderwhitelist.address.SortKey;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * Sorted entries that a background thread fetches ahead in batches, so that merging and its
 * consumer run at the same time.
 */
public final class AheadEntries implements SortedEntries, Closeable {
    private static final int BATCH_BYTES = 1 << 18;
    private static final int BATCH_ENTRIES = 1 << 13;
    private static final int BATCHES = 4;

    private final SortedEntries entries;
    private final BlockingQueue<Batch> idle = new ArrayBlockingQueue<>(BATCHES);

    /** Has room for all batches, and for one more that reports a failure. */
    private final BlockingQueue<Batch> full = new ArrayBlockingQueue<>(BATCHES + 1);

    private final Thread thread;
    private final SortedEntry current = new SortedEntry();
    private @Nullable Batch batch;

    /** Some entries, and whether they are the last, or the failure that ended them. */
    private static final class Batch {
        /** The keys, one after the other. */
        final byte[] keys = new byte[BATCH_BYTES];

        /** Where each key ends. */
        final int[] ends = new int[BATCH_ENTRIES];

        final int[] domains = new int[BATCH_ENTRIES];
        final byte[][] rules = new byte[BATCH_ENTRIES][];
        int count;
        boolean last;
        @Nullable Throwable failure;

        /** The number of entries that were read, and where their keys end. */
        int read;

        int readTo;

        Batch() {
            Arrays.fill(rules, RulesCodec.PLAIN);
        }

        /** Takes entries while there is room; returns false if the last entry is in it. */
        boolean fill(SortedEntries entries) throws IOException {
            Arrays.fill(rules, 0, count, RulesCodec.PLAIN);
            int end = 0;
            int ofRules = 0;
            read = 0;
            readTo = 0;
            for (count = 0; count < BATCH_ENTRIES; count++) {
                if (end > BATCH_BYTES - SortKey.MAX_LENGTH || ofRules > BATCH_BYTES) {
                    return true;
                }
                SortedEntry entry = entries.next();
                if (entry == null) {
                    return false;
                }
                ShortBytes.copy(entry.key, 0, keys, end, entry.keyLength);
                end += entry.keyLength;
                ends[count] = end;
                domains[count] = entry.domain;
                rules[count] = entry.rules;
                ofRules += entry.rules.length;
            }
            return true;
        }

        /** Reads the next entry; returns false if there is none. */
        boolean read(SortedEntry entry) {
            if (read == count) {
                return false;
            }
            entry.keyLength = ends[read] - readTo;
            ShortBytes.copy(keys, readTo, entry.key, 0, entry.keyLength);
            entry.domain = domains[read];
            entry.rules = rules[read];
            readTo = ends[read++];
            return true;
        }
    }

    /** Starts fetching entries, which only this object may use from now on. */
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
                    more = next.fill(entries);
                } catch (IOException | RuntimeException | Error e) {
                    next.failure = e;
                    more = false;
                }
                next.last = !more;
                full.add(next);
            }
        } catch (InterruptedException e) {
            // Wakes the thread that may be waiting for a batch.
            Batch none = new Batch();
            none.failure = new InterruptedIOException("interrupted");
            none.last = true;
            full.add(none);
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public @Nullable SortedEntry next() throws IOException {
        while (batch == null || !batch.read(current)) {
            if (batch != null && batch.last) {
                return null;
            }
            nextBatch();
        }
        return current;
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
