package io.github.senderwhitelist.living;

import io.github.senderwhitelist.filter.FilterSize;

import java.time.Duration;

/**
 * The settings of one living list.
 *
 * @param name the name of the list, also in the database
 * @param filter the size of its filters
 * @param cacheSize how many answers of the base are cached at most
 * @param exactMemory the largest exact store of a base that is held in memory, in bytes
 * @param pollInterval the time between two looks at the feed
 * @param maxStaleness the age of the last poll from which on the list is behind
 * @param believedWhenBehind whether the list still lists senders when it is behind; if not, it
 *     answers {@code unavailable} for those
 */
public record LivingSettings(
        String name,
        FilterSize filter,
        long cacheSize,
        long exactMemory,
        Duration pollInterval,
        Duration maxStaleness,
        boolean believedWhenBehind) {}
