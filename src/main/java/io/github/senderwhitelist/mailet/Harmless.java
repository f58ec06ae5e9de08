package io.github.senderwhitelist.mailet;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does what no mail depends on: marks, counts, logs. Whatever that throws ends here. */
final class Harmless {
    private static final Logger LOGGER = LoggerFactory.getLogger(Harmless.class);

    private Harmless() {}

    /**
     * Does it, or logs that it failed.
     *
     * @param what what is done, for the log
     */
    static void run(String what, Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            log(what, e);
        }
    }

    /** Logs a failure that no mail suffers from. */
    static void log(String what, Throwable failure) {
        try {
            LOGGER.warn("{} failed, the mail goes on: {}", what, failure.toString());
            LOGGER.debug("{} failed", what, failure);
        } catch (Throwable e) {
            // There may be no memory left even for a line in the log.
        }
    }
}
