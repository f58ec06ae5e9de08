package io.github.senderwhitelist.live;

import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/**
 * How a list fares.
 *
 * @param generation the generation in force
 * @param since when it came into force
 * @param problem why the list's file is not what is in force, and what to do; null when it is
 * @param done how many times the file was read and its content came into force, the start included
 * @param heldBack how many times its content was refused: damaged, empty, much shorter
 * @param failed how many times it could not be read or built
 */
public record ListStatus(
        SnapshotHeader generation,
        Instant since,
        @Nullable String problem,
        long done,
        long heldBack,
        long failed) {

    /** When the list in force was built, or when it was loaded where its snapshot does not tell. */
    public Instant built() {
        return generation.buildTime() == 0 ? since : Instant.ofEpochMilli(generation.buildTime());
    }

    ListStatus loaded(SnapshotHeader next, Instant now) {
        return new ListStatus(next, now, null, done + 1, heldBack, failed);
    }

    ListStatus unchanged() {
        return new ListStatus(generation, since, null, done + 1, heldBack, failed);
    }

    ListStatus heldBack(String reason) {
        return new ListStatus(generation, since, reason, done, heldBack + 1, failed);
    }

    ListStatus failed(String reason) {
        return new ListStatus(generation, since, reason, done, heldBack, failed + 1);
    }
}
