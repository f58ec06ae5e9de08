package io.github.senderwhitelist.living;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Remembers that a database fails. After five failures in a row it lets one question a second
 * through, until one is answered. See M. Nygard, "Release It!" (circuit breaker).
 */
final class Breaker {
    private static final int FAILURES = 5;
    private static final long PAUSE = Duration.ofSeconds(1).toNanos();

    private final LongSupplier nanos;
    private int failures;
    private long lastTry;
    private @Nullable IOException failure;

    Breaker() {
        this(System::nanoTime);
    }

    /** Takes the clock of a test. */
    Breaker(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Returns why a question must not be asked now, or null when it may. */
    synchronized @Nullable IOException failure() {
        if (failures < FAILURES) {
            return null;
        }
        long now = nanos.getAsLong();
        if (now - lastTry < PAUSE) {
            return failure;
        }
        lastTry = now;
        return null;
    }

    synchronized void succeeded() {
        failures = 0;
        failure = null;
    }

    synchronized void failed(IOException why) {
        failures = Math.min(FAILURES, failures + 1);
        failure = why;
        lastTry = nanos.getAsLong();
    }
}
