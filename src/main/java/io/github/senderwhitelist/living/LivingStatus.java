package io.github.senderwhitelist.living;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/**
 * The state of a living list.
 *
 * @param entries the entries that are active, in base and changes
 * @param asOf when the base was made; null if there is none
 * @param changes the changes since the base
 * @param changeBytes about the memory that they take
 * @param merges how often changes were merged into a new base since the list was opened
 * @param behind whether this server may not know the latest changes
 * @param degraded whether the list is behind, no new base can be made, or changes are refused
 * @param tableRead when all entries were read from the table last; null if they were not
 * @param problem why the database cannot be read or changed, or no base be made; null when all is
 *     well
 */
public record LivingStatus(
        long entries,
        @Nullable Instant asOf,
        long changes,
        long changeBytes,
        long merges,
        boolean behind,
        boolean degraded,
        @Nullable Instant tableRead,
        @Nullable String problem) {}
