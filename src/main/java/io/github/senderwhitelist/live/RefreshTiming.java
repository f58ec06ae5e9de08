package io.github.senderwhitelist.live;

import java.time.Duration;
import java.time.Instant;

/**
 * How long a refresh waits, and by which clock.
 *
 * @param patience how long a file that looks unfinished must stand still before it is taken
 * @param retry the time between attempts after a failure
 * @param clock tells the time and lets it pass
 */
record RefreshTiming(Duration patience, Duration retry, Clock clock) {
    /** What servers use. */
    static final RefreshTiming USUAL =
            new RefreshTiming(Duration.ofSeconds(10), Duration.ofMinutes(1), new SystemClock());

    /** Tells the time and lets it pass. */
    interface Clock {
        /** Returns the nanoseconds since some moment; they never go back. */
        long nanos();

        /** Returns the time by the calendar, to be compared with the times of files. */
        Instant now();

        /** Waits. */
        void sleep(Duration duration) throws InterruptedException;
    }

    private static final class SystemClock implements Clock {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public Instant now() {
            return Instant.now();
        }

        @Override
        public void sleep(Duration duration) throws InterruptedException {
            Thread.sleep(duration);
        }
    }
}
