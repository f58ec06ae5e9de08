package io.github.senderwhitelist.living;

import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.Follower.Kept;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;

/**
 * Keeps the filters of a list in a file for the next start. One thread keeps them; another may ask
 * whether they must be.
 */
final class FilterKeeper {
    /** The time after which filters that have changed are kept again. */
    private static final Duration INTERVAL = Duration.ofMinutes(10);

    /** The changes after which they are kept at once: a feed does not tell any number of them. */
    private static final long MANY_CHANGES = 50_000;

    private final @Nullable FilterFile file;
    private final FilterSize size;
    private final Follower follower;
    private final LivingListener listener;

    /** What was kept last. */
    private volatile @Nullable KeyFilters kept;

    /** How many changes had been applied by then. */
    private volatile long keptChanges;

    private volatile boolean failed;
    private volatile long triedAt = System.nanoTime();

    /**
     * Makes a keeper.
     *
     * @param file where filters are kept; null keeps none
     */
    FilterKeeper(
            @Nullable FilterFile file,
            FilterSize size,
            Follower follower,
            LivingListener listener) {
        this.file = file;
        this.size = size;
        this.follower = follower;
        this.listener = listener;
    }

    /** Takes up the filters that were kept, if there are any that can be used. */
    void resume() {
        if (file == null) {
            return;
        }
        try {
            Kept found = file.read(size);
            if (found != null) {
                follower.resume(found);
                kept = found.filters();
                listener.resumed();
            }
        } catch (IOException e) {
            listener.notKept(e);
        } catch (RuntimeException e) {
            listener.notKept(new IOException("the filters cannot be read: " + e, e));
        }
    }

    /** Returns whether the filters are new, or have changed much or some time ago. */
    boolean mustKeep() {
        if (file == null) {
            return false;
        }
        boolean late = System.nanoTime() - triedAt > INTERVAL.toNanos();
        boolean much = isNew() || follower.changes() - keptChanges >= MANY_CHANGES;
        return late ? isChanged() : much && !failed;
    }

    /** Returns whether filters are in force that were never kept. */
    @SuppressWarnings("ReferenceEquality")
    private boolean isNew() {
        Kept now = follower.toKeep();
        return now != null && now.filters() != kept;
    }

    /** Returns whether the file lacks a change. */
    boolean isChanged() {
        return isNew() || follower.changes() > keptChanges;
    }

    /** Keeps the filters. If that fails, it is tried again some time later. */
    void keep() {
        long changes = follower.changes();
        Kept now = follower.toKeep();
        if (file == null || now == null) {
            return;
        }
        failed = true;
        try {
            file.write(now);
            kept = now.filters();
            keptChanges = changes;
            failed = false;
        } catch (IOException e) {
            tell(e);
        } catch (RuntimeException e) {
            tell(new IOException("the filters cannot be kept: " + e, e));
        }
        triedAt = System.nanoTime();
    }

    private void tell(IOException e) {
        // A thread is interrupted when the list is closed, and then another one keeps them.
        if (!Thread.currentThread().isInterrupted()) {
            listener.notKept(e);
        }
    }
}
