package io.github.senderwhitelist.mailet.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A guard for work that no mail depends on: whatever it throws is logged and goes no further. */
public final class Harmless {
    private static final Logger LOGGER = LoggerFactory.getLogger(Harmless.class);

    private Harmless() {}

    /** Runs a task, which has a name in the log, and logs what it throws. */
    public static void run(String what, Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            log(what, e);
        }
    }

    /** Logs a failure that does not stop the mail. */
    public static void log(String what, Throwable failure) {
        try {
            LOGGER.warn("{} failed, the mail goes on: {}", what, failure.toString());
            LOGGER.debug("{} failed", what, failure);
        } catch (Throwable e) {
            // Logging fails, too, for example when no memory is left.
        }
    }
}
