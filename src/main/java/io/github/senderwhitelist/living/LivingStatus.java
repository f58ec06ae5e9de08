package io.github.senderwhitelist.living;

import org.jspecify.annotations.Nullable;

/**
 * The state of a living list.
 *
 * @param addresses about how many addresses its filter holds, removed ones among them
 * @param domains about how many domain entries
 * @param bytes the memory that the filters take
 * @param rate the false-positive rate to expect of the filter of addresses
 * @param behind whether this server does not know the latest changes, and asks the database for
 *     every sender
 * @param problem why the database cannot be read; null when it can
 */
public record LivingStatus(
        long addresses,
        long domains,
        long bytes,
        double rate,
        boolean behind,
        @Nullable String problem) {}
