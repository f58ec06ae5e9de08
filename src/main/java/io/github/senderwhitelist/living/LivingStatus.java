package io.github.senderwhitelist.living;

import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/**
 * The state of a living list.
 *
 * @param addresses the senders given by an address in the base
 * @param domains the senders given by a domain in the base
 * @param entries the entries in the base
 * @param asOf the time that the base is known of; null if there is none
 * @param changes the changes since the base
 * @param changeBytes about the memory that they take
 * @param folds how often changes were folded into a new base since the list was opened
 * @param behind whether this server may not know the latest changes
 * @param degraded whether the list is behind, no new base can be made, or changes are refused
 * @param read when all entries were read from the table last; null if they were not
 * @param differences how many entries in force were not those of the table when they were compared
 *     last
 * @param problem why the database cannot be read or changed, or no base be made; null when all is
 *     well
 */
public record LivingStatus(
        long addresses,
        long domains,
        long entries,
        @Nullable Instant asOf,
        long changes,
        long changeBytes,
        long folds,
        boolean behind,
        boolean degraded,
        @Nullable Instant read,
        long differences,
        @Nullable String problem) {
    /** Returns the state of a list with nothing in force. */
    static LivingStatus none(@Nullable String problem) {
        return new LivingStatus(0, 0, 0, null, 0, 0, 0, true, true, null, 0, problem);
    }

    static LivingStatus of(
            BaseAndChanges inForce,
            long folds,
            boolean behind,
            boolean degraded,
            @Nullable Instant read,
            long differences,
            @Nullable String problem) {
        SnapshotHeader header = inForce.generation().header();
        Changes changes = inForce.since().changes();
        return new LivingStatus(
                header.addresses(),
                header.domains(),
                header.entries(),
                Instant.ofEpochMilli(header.buildTime()),
                changes.count(),
                changes.bytes(),
                folds,
                behind,
                degraded,
                read,
                differences,
                problem);
    }
}
