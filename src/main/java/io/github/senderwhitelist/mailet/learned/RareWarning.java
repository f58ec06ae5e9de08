package io.github.senderwhitelist.mailet.learned;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * A warning that is logged at most once a minute, with how many times it was due since. So nobody
 * can fill the log with it. The server's metrics count all.
 */
public final class RareWarning {
    private static final Logger LOGGER = LoggerFactory.getLogger(RareWarning.class);
    private static final Duration PAUSE = Duration.ofMinutes(1);

    private final String what;
    private final InstantSource clock;
    private @Nullable Instant logged;
    private long times;

    /** Makes a warning of what has happened. */
    public RareWarning(String what) {
        this(what, InstantSource.system());
    }

    /** Takes the clock of a test. */
    RareWarning(String what, InstantSource clock) {
        this.what = what;
        this.clock = clock;
    }

    /**
     * Warns, unless that was done within the last minute.
     *
     * @param detail to whom it has happened, and why
     */
    public synchronized void add(String detail) {
        times++;
        Instant now = clock.instant();
        // A clock that was set back ends the pause, too.
        if (logged == null || Duration.between(logged, now).abs().compareTo(PAUSE) >= 0) {
            LOGGER.warn("{} ({} since the last such line; the last: {})", what, times, detail);
            logged = now;
            times = 0;
        }
    }
}
