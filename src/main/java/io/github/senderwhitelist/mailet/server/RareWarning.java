package io.github.senderwhitelist.mailet.server;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A warning that is logged at most once a minute, with how many times it was due since. So nobody
 * can fill the log with it.
 */
public final class RareWarning {
    private static final Logger LOGGER = LoggerFactory.getLogger(RareWarning.class);

    private final String what;
    private final ScheduledExecutorService thread;
    private long times;
    private String last = "";
    private boolean isPausing;

    /**
     * Makes a warning.
     *
     * @param what what has happened
     * @param thread waits for the minute to end
     */
    public RareWarning(String what, ScheduledExecutorService thread) {
        this.what = what;
        this.thread = thread;
    }

    /**
     * Warns, now or when the minute is over.
     *
     * @param detail to whom it has happened, and why; logged if it is the last one
     */
    public synchronized void add(String detail) {
        times++;
        last = detail;
        if (!isPausing) {
            log();
        }
    }

    /** Logs what is not logged yet. */
    public synchronized void log() {
        isPausing = times > 0;
        if (isPausing) {
            LOGGER.warn("{} ({} since the last such line; the last: {})", what, times, last);
            times = 0;
            try {
                Future<?> unused = thread.schedule(this::log, 1, TimeUnit.MINUTES);
            } catch (RejectedExecutionException e) {
                LOGGER.debug("The server stops, so there are no more warnings of this kind");
            }
        }
    }
}
