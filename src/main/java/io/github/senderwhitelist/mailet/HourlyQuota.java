package io.github.senderwhitelist.mailet;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import io.github.senderwhitelist.address.Key;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Counts what each user does in an hour that begins with the first time. Whom it has no room for
 * begins anew.
 */
final class HourlyQuota {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final long MOST_USERS = 100_000;

    private final int most;
    private final InstantSource clock;

    /** By the key of the user. Keys can be compared, so equal hash codes do no harm. */
    private final Cache<Key, Used> hours =
            Caffeine.newBuilder()
                    .maximumSize(MOST_USERS)
                    .expireAfterWrite(HOUR)
                    .executor(Runnable::run)
                    .build();

    /**
     * How much a user has used.
     *
     * @param times how often, this time included
     * @param end when the hour ends
     */
    record Used(int times, Instant end) {}

    /**
     * Makes a quota.
     *
     * @param most how often a user may do it in an hour
     */
    HourlyQuota(int most, InstantSource clock) {
        this.most = most;
        this.clock = clock;
    }

    /** Counts one more time, and returns what the user has used with it. */
    Used use(Key user) {
        Instant now = clock.instant();
        return hours.asMap()
                .merge(
                        user,
                        new Used(1, now.plus(HOUR)),
                        (old, first) ->
                                isIn(old, first) ? new Used(old.times() + 1, old.end()) : first);
    }

    /** Returns whether a first time is in an hour that has begun. It is not if that is ahead. */
    private static boolean isIn(Used old, Used first) {
        return old.end().isAfter(first.end().minus(HOUR)) && !old.end().isAfter(first.end());
    }

    /** Returns whether this time is one too many. */
    boolean isOver(Used used) {
        return used.times() > most;
    }

    /** Returns whether this time is the last that is allowed in the hour. */
    boolean isLast(Used used) {
        return used.times() == most;
    }
}
