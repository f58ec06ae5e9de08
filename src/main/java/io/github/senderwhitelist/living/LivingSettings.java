package io.github.senderwhitelist.living;

import io.github.senderwhitelist.filter.FilterSize;

import java.time.Duration;

/**
 * The settings of one living list.
 *
 * @param name the name of the list, also in the database
 * @param filter the size of its filters
 * @param cacheSize how many answers of the database are cached at most
 * @param cacheExpiry how long an answer is cached
 * @param pollInterval the time between two looks at the feed
 * @param maxStaleness how old what is known of the feed may be; when it is older, the filters are
 *     not believed
 * @param lookupTimeout how long a mail waits for the database at most
 */
public record LivingSettings(
        String name,
        FilterSize filter,
        long cacheSize,
        Duration cacheExpiry,
        Duration pollInterval,
        Duration maxStaleness,
        Duration lookupTimeout) {}
