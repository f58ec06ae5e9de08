package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.refresh.RefreshTiming.Clock;

import java.time.Duration;
import java.time.Instant;

/** A clock that stands still until somebody waits for it. */
final class TestClock implements Clock {
    private long nanos;

    @Override
    public long nanos() {
        return nanos;
    }

    /**
     * Returns the real time plus what was waited, because files have times of the real calendar.
     */
    @Override
    public Instant now() {
        return Instant.now().plusNanos(nanos);
    }

    @Override
    public void sleep(Duration duration) {
        nanos += duration.toNanos();
    }
}
