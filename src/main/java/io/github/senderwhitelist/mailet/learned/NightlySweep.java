package io.github.senderwhitelist.mailet.learned;

import io.github.senderwhitelist.learning.DeletedUsers;
import io.github.senderwhitelist.learning.DeletedUsers.Swept;
import io.github.senderwhitelist.mailet.server.Harmless;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The removal of what is kept of deleted users, each night between three and four o'clock. */
public final class NightlySweep implements AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(NightlySweep.class);
    private static final LocalTime NIGHT = LocalTime.of(3, 0);
    private static final Duration DAY = Duration.ofDays(1);

    private final String title;
    private final DeletedUsers users;
    private final ScheduledExecutorService thread;

    /**
     * Begins to wait for the night.
     *
     * @param title how the log names the list
     */
    public NightlySweep(String title, DeletedUsers users) {
        this.title = title;
        this.users = users;
        this.thread =
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().name("whitelist deleted users").daemon().factory());
        // Several servers must not all begin at once.
        long wait =
                untilNight(LocalTime.now(ZoneId.systemDefault())).toSeconds()
                        + ThreadLocalRandom.current().nextInt(3600);
        Future<?> unused =
                thread.scheduleAtFixedRate(this::run, wait, DAY.toSeconds(), TimeUnit.SECONDS);
    }

    /** Returns how long it is until the night begins. */
    static Duration untilNight(LocalTime now) {
        Duration wait = Duration.between(now, NIGHT);
        return wait.isNegative() ? wait.plus(DAY) : wait;
    }

    /** Looks for deleted users once. Never throws. */
    void run() {
        try {
            Swept swept = users.sweep();
            if (!swept.removed().isEmpty()) {
                LOGGER.info(
                        "Whitelist {}: {} entries of deleted users are removed: {}",
                        title,
                        swept.entries(),
                        String.join(", ", swept.removed()));
            }
            LOGGER.debug("Whitelist {}: {} users are missing", title, swept.missing());
        } catch (IOException e) {
            LOGGER.warn(
                    "Whitelist {}: deleted users could not be looked for: {}. Tried again tomorrow",
                    title,
                    e.getMessage());
        } catch (RuntimeException | Error e) {
            Harmless.log("Looking for deleted users", e);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
