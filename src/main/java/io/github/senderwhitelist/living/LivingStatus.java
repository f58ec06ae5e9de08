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
 * @param problem why the database cannot be read, or no base be made; null when all is well
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
        @Nullable String problem) {
    static LivingStatus of(
            @Nullable BaseAndChanges inForce,
            long folds,
            boolean behind,
            @Nullable String problem) {
        if (inForce == null) {
            return new LivingStatus(0, 0, 0, null, 0, 0, folds, behind, problem);
        }
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
                problem);
    }
}
