package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.refresh.RefreshTiming.Clock;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;

/** A clock that stands still until somebody waits for it. Waiting ends at once. */
final class TestClock implements Clock {
    private final @Nullable Instant start;
    private long nanos;

    /** Makes a clock that adds what was waited to the real time, which files have. */
    TestClock() {
        this(null);
    }

    /** Makes a clock that starts at this time by the calendar. */
    TestClock(@Nullable Instant start) {
        this.start = start;
    }

    @Override
    public long nanos() {
        return nanos;
    }

    @Override
    public Instant now() {
        return (start == null ? Instant.now() : start).plusNanos(nanos);
    }

    /** Lets time pass. */
    void pass(Duration time) {
        nanos += time.toNanos();
    }

    @Override
    public void sleep(Duration duration) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        pass(duration);
    }
}
