package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

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
 * @param last the last refreshes, the newest first
 */
public record ListStatus(
        SnapshotHeader header,
        Instant since,
        @Nullable String problem,
        long done,
        long heldBack,
        long failed,
        List<Refresh> last) {
    private static final int MAX_LAST = 5;

    /**
     * A refresh.
     *
     * @param at when it ended; of equal failures, the last one
     * @param entries how many entries were active then
     * @param problem why the content of the file was not taken; null if it was
     */
    public record Refresh(Instant at, long entries, @Nullable String problem) {}

    /** Returns when the active list was built, or when it was loaded if that is not recorded. */
    public Instant built() {
        return header.buildTime() == 0 ? since : Instant.ofEpochMilli(header.buildTime());
    }

    /** Describes the active content, for people. */
    String content() {
        return header.entries() + " entries" + (header.buildTime() == 0 ? "" : " of " + built());
    }

    ListStatus read(SnapshotHeader next, Instant now) {
        Instant from = next.equals(header) ? since : now;
        return new ListStatus(
                next, from, null, done + 1, heldBack, failed, with(now, next.entries(), null));
    }

    ListStatus refused(String reason, boolean isHeldBack, Instant now) {
        return new ListStatus(
                header,
                since,
                reason,
                done,
                heldBack + (isHeldBack ? 1 : 0),
                failed + (isHeldBack ? 0 : 1),
                with(now, header.entries(), reason));
    }

    private List<Refresh> with(Instant now, long entries, @Nullable String reason) {
        boolean isSame =
                reason != null && !last.isEmpty() && reason.equals(last.getFirst().problem);
        return Stream.concat(
                        Stream.of(new Refresh(now, entries, reason)),
                        last.stream().skip(isSame ? 1 : 0))
                .limit(MAX_LAST)
                .toList();
    }
}
