package io.github.senderwhitelist.living;

import io.github.senderwhitelist.living.Follower.State;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The schedule of merges of a living list's changes into a new base: when they are many, once an
 * hour if a merge takes under a minute, and once a day in any case. So erased entries are gone from
 * base and memory within a day. For use by any number of threads.
 */
final class MergeSchedule {
    /** The number of changes that are merged soon, or a twentieth of the base if that is more. */
    private static final int MANY = 10_000;

    private static final int SHARE = 20;
    private static final Duration SHORT = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofHours(1);
    private static final Duration LONG_INTERVAL = Duration.ofDays(1);

    /** When a base is written even without changes, since the log is kept for 90 days. */
    private static final Duration MAX_INTERVAL = Duration.ofDays(22);

    /** How long to wait after a merge that failed. */
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final LongSupplier nanos;
    private final AtomicLong merges = new AtomicLong();
    private volatile long lastBegan;
    private volatile long lastTook;
    private volatile boolean lastFailed;

    /** Takes a clock that never jumps, such as {@link System#nanoTime}. */
    MergeSchedule(LongSupplier nanos) {
        this.nanos = nanos;
        this.lastBegan = nanos.getAsLong();
    }

    /** Begins with a base of some age, which a server that starts often must not forget. */
    void resume(Duration age) {
        Duration known = age.compareTo(MAX_INTERVAL) < 0 ? age : MAX_INTERVAL;
        lastBegan = nanos.getAsLong() - Math.max(0, known.toNanos());
    }

    boolean isDue(State active) {
        int changes = active.changes().count();
        long age = nanos.getAsLong() - lastBegan;
        if (lastFailed) {
            return age >= PAUSE.toNanos();
        }
        if (changes == 0 && age < MAX_INTERVAL.toNanos()) {
            return false;
        }
        Duration interval = lastTook < SHORT.toNanos() ? INTERVAL : LONG_INTERVAL;
        return changes >= Math.max(MANY, active.base().header().entries() / SHARE)
                || active.changes().bytes() > Follower.MAX_BYTES / 2
                || age >= interval.toNanos();
    }

    void begin() {
        lastBegan = nanos.getAsLong();
    }

    /** Takes whether the merge that began last is active now. Called by one thread at a time. */
    void end(boolean done) {
        lastTook = nanos.getAsLong() - lastBegan;
        lastFailed = !done;
        merges.addAndGet(done ? 1 : 0);
    }

    /** Returns whether the last merge failed, so that the base may be damaged. */
    boolean hasFailed() {
        return lastFailed;
    }

    /** Returns how many times changes were merged. */
    long merges() {
        return merges.get();
    }
}
