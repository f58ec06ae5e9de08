package io.github.senderwhitelist.mailet.server;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/**
 * A quota for each hour, which begins with the first use. Counts for each user, or for each of
 * other things. What it has no room for begins again.
 *
 * @param <K> whose uses are counted. Keys can be compared, so equal hash codes do no harm
 */
public final class HourlyQuota<K extends Comparable<K>> {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final long MAX_KEYS = 100_000;

    private final int max;
    private final InstantSource clock;

    private final Cache<K, Used> hours =
            Caffeine.newBuilder()
                    .maximumSize(MAX_KEYS)
                    .expireAfterWrite(HOUR)
                    .executor(Runnable::run)
                    .build();

    /**
     * How much of a quota is used.
     *
     * @param times how often, this time included
     * @param end when the hour ends
     */
    public record Used(int times, Instant end) {}

    /**
     * Makes a quota.
     *
     * @param max how many uses an hour has
     */
    public HourlyQuota(int max, InstantSource clock) {
        this.max = max;
        this.clock = clock;
    }

    /** Counts one more time, and returns what is used with it. */
    public Used use(K key) {
        Instant now = clock.instant();
        return hours.asMap()
                .merge(
                        key,
                        new Used(1, now.plus(HOUR)),
                        (old, first) ->
                                isIn(old, now) ? new Used(old.times() + 1, old.end()) : first);
    }

    /** Returns how long it is until there is another use. Zero if there is one now. */
    public Duration untilFree(K key) {
        Instant now = clock.instant();
        Used used = hours.getIfPresent(key);
        return used == null || used.times() < max || !isIn(used, now)
                ? Duration.ZERO
                : Duration.between(now, used.end());
    }

    /** Returns whether now is in an hour that has begun. It is not if that is ahead. */
    private static boolean isIn(Used used, Instant now) {
        return used.end().isAfter(now) && !used.end().isAfter(now.plus(HOUR));
    }

    /** Returns whether this time is one too many. */
    public boolean isOver(Used used) {
        return used.times() > max;
    }

    /** Returns whether this time is the first that is too many. */
    public boolean isFirstOver(Used used) {
        return used.times() == max + 1;
    }

    /** Returns whether this time is the last that is allowed in the hour. */
    public boolean isLast(Used used) {
        return used.times() == max;
    }
}
