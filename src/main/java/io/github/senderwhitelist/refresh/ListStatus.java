package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.time.Instant;

/**
 * The state of a list and of its refreshes so far.
 *
 * @param header the header of the active snapshot
 * @param since when it has been active
 * @param problem why the content of the file is not active, and what to do; null when it is
 * @param done how many times the file was read with success, the start included: its content became
 *     active, or was so already
 * @param heldBack how many times the content was refused because it was damaged, empty or much
 *     shorter
 * @param failed how many times the file could not be read, or its snapshot not be built
 */
public record ListStatus(
        SnapshotHeader header,
        Instant since,
        @Nullable String problem,
        long done,
        long heldBack,
        long failed) {

    /** Returns when the active list was built, or when it was loaded if that is not recorded. */
    public Instant built() {
        return header.buildTime() == 0 ? since : Instant.ofEpochMilli(header.buildTime());
    }

    /** Describes the active content, for people. */
    String content() {
        String entries = header.entries() + " entries";
        return header.buildTime() == 0 ? entries : entries + " of " + built();
    }

    ListStatus read(SnapshotHeader next, Instant now) {
        Instant from = next.equals(header) ? since : now;
        return new ListStatus(next, from, null, done + 1, heldBack, failed);
    }

    ListStatus refused(String reason, boolean isHeldBack) {
        return new ListStatus(
                header,
                since,
                reason,
                done,
                heldBack + (isHeldBack ? 1 : 0),
                failed + (isHeldBack ? 0 : 1));
    }
}
