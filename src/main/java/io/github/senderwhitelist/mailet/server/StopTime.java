package io.github.senderwhitelist.mailet.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;

/** The time for which the lists may hold up the stop of James, in all. */
final class StopTime {
    private static final Logger LOGGER = LoggerFactory.getLogger(SharedLists.class);

    /** Containers are often killed after ten seconds, of which James needs some for itself. */
    private static final Duration MAX = Duration.ofSeconds(5);

    private volatile boolean stopping;

    /** The nanoseconds that are left. Used by the thread that stops James. */
    private long left = MAX.toNanos();

    void begin() {
        stopping = true;
    }

    boolean hasBegun() {
        return stopping;
    }

    /**
     * Runs a part of a stop, and returns when it has ended, or all of the time is used up. What is
     * not done then ends with the server. What is no part of a stop has all the time.
     */
    void run(Runnable part) {
        if (!stopping) {
            part.run();
            return;
        }
        long began = System.nanoTime();
        Thread thread = Thread.ofPlatform().daemon().name("whitelist stop").start(part);
        try {
            if (!thread.join(Duration.ofNanos(left))) {
                LOGGER.warn(
                        "The lists need more than the {} s that they may hold up the stop of James."
                                + " What they still do ends with it; every acknowledged change is"
                                + " in its database",
                        MAX.toSeconds());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        left -= System.nanoTime() - began;
    }
}
