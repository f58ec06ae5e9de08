package io.github.senderwhitelist.living;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The schedule of folds of a living list's changes into a new base: when they are many, once an
 * hour if a fold takes under a minute, and once a day in any case. So erased entries are gone from
 * base and memory within a day. For use by any number of threads.
 */
final class FoldSchedule {
    /** The number of changes that are folded soon, or a twentieth of the base if that is more. */
    private static final int MANY = 10_000;

    private static final int SHARE = 20;
    private static final Duration SHORT = Duration.ofMinutes(1);
    private static final Duration INTERVAL = Duration.ofHours(1);
    private static final Duration LONG_INTERVAL = Duration.ofDays(1);

    /**
     * The time after which a base is written even without changes: the feed is kept for 90 days.
     */
    private static final Duration LONGEST_INTERVAL = Duration.ofDays(22);

    /** How long to wait after a fold that failed. */
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final LongSupplier nanos;
    private final AtomicLong folds = new AtomicLong();
    private volatile long lastBegan;
    private volatile long lastTook;
    private volatile boolean lastFailed;

    /** Takes the clock of the server, such as {@link System#nanoTime}. */
    FoldSchedule(LongSupplier nanos) {
        this.nanos = nanos;
        this.lastBegan = nanos.getAsLong();
    }

    /** Begins with a base of some age, which a server that starts often must not forget. */
    void resume(Duration age) {
        Duration most = age.compareTo(LONGEST_INTERVAL) < 0 ? age : LONGEST_INTERVAL;
        lastBegan = nanos.getAsLong() - Math.max(0, most.toNanos());
    }

    boolean mustFold(BaseAndChanges inForce) {
        Changes changes = inForce.since().changes();
        long base = inForce.generation().header().entries();
        long age = nanos.getAsLong() - lastBegan;
        if (changes.count() == 0 && age < LONGEST_INTERVAL.toNanos()) {
            return false;
        }
        if (lastFailed) {
            return age >= PAUSE.toNanos();
        }
        Duration interval = lastTook < SHORT.toNanos() ? INTERVAL : LONG_INTERVAL;
        return changes.count() >= Math.max(MANY, base / SHARE)
                || changes.bytes() > Follower.MOST_BYTES / 2
                || age >= interval.toNanos();
    }

    void begin() {
        lastBegan = nanos.getAsLong();
    }

    void end(boolean done) {
        lastTook = nanos.getAsLong() - lastBegan;
        lastFailed = !done;
        if (done) {
            folds.incrementAndGet();
        }
    }

    /** Returns whether the last fold failed. */
    boolean hasFailed() {
        return lastFailed;
    }

    /** Returns how many times changes were folded. */
    long folds() {
        return folds.get();
    }
}
