package io.github.senderwhitelist.refresh;

import java.time.Duration;
import java.time.Instant;

/**
 * The waiting times of a refresh, and the clock that they are measured by.
 *
 * @param patience how long a file that looks unfinished must stand still before it is taken
 * @param retry the time between attempts after a failure
 * @param clock measures all times; tests have their own
 */
record RefreshTiming(Duration patience, Duration retry, Clock clock) {
    /** The timing in servers. */
    static final RefreshTiming OF_SERVERS =
            new RefreshTiming(Duration.ofSeconds(10), Duration.ofMinutes(1), new Clock() {});

    /** A clock that can also wait: the system's, unless a method is overridden. */
    interface Clock {
        /** Returns nanoseconds since an arbitrary moment, as {@link System#nanoTime} does. */
        default long nanos() {
            return System.nanoTime();
        }

        /** Returns the calendar time, for comparing with the times of files. */
        default Instant now() {
            return Instant.now();
        }

        /** Waits for a time. */
        default void sleep(Duration duration) throws InterruptedException {
            Thread.sleep(duration);
        }
    }
}
