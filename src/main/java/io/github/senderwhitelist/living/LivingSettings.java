package io.github.senderwhitelist.living;

import io.github.senderwhitelist.filter.FilterSize;

import java.time.Duration;

/**
 * The settings of one living list.
 *
 * @param name the name of the list, also in the database
 * @param filter the size of its filters
 * @param cacheSize how many answers of the base are cached at most
 * @param cacheExpiry how long an answer is cached
 * @param exactMemory the bases whose exact store takes at most so many bytes are held in memory
 * @param pollInterval the time between two looks at the feed
 * @param maxStaleness how old what is known of the feed may be before the list is behind
 * @param believedWhenBehind whether the list still lists senders when it is behind; if not, it
 *     answers {@code unavailable} for those
 */
public record LivingSettings(
        String name,
        FilterSize filter,
        long cacheSize,
        Duration cacheExpiry,
        long exactMemory,
        Duration pollInterval,
        Duration maxStaleness,
        boolean believedWhenBehind) {}
