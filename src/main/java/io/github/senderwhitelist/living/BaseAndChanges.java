package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.living.EntryTable.Change;

import java.io.IOException;
import java.util.List;
import java.util.function.LongPredicate;

/** The base in force of a living list, and the changes that are laid over it. */
final class BaseAndChanges {
    private final Generation generation;
    private final Since since;

    /** Whether the feed goes on from the base; if not, it is only what was known last. */
    private volatile boolean followed = true;

    BaseAndChanges(Generation generation, Since since) {
        this.generation = generation;
        this.since = since;
    }

    /**
     * The changes since a position.
     *
     * @param position up to which a base has all changes
     * @param asOf the time at which that was read, in milliseconds since 1970
     * @param seen whether the position has seen a transaction
     * @param changes the changes since then, and perhaps some from before
     * @param seed the seed of the hashes of base and changes
     */
    record Since(FeedPosition position, long asOf, LongPredicate seen, Changes changes, long seed) {
        /**
         * Lays a change made by this server over the base. Returns false if the base has it
         * already, or there is a later one.
         */
        boolean layOwn(Change change) {
            return !seen.test(change.transaction()) && changes.put(change);
        }

        /** Lays an entry that no snapshot can hold over the base. */
        void layLarge(Entry entry) {
            for (Origin origin : Origin.values()) {
                List<Rule> rules = entry.rulesOf(origin);
                changes.put(new Change(entry.key(), entry.to(), origin, rules, 0, 0, 0, null));
            }
        }
    }

    Generation generation() {
        return generation;
    }

    Since since() {
        return since;
    }

    boolean isFollowed() {
        return followed;
    }

    /** Ends the following of the feed; base and changes stay in force as the last known state. */
    void endFollowing() {
        followed = false;
    }

    /** Lays a change made by this server over the base if the feed continues from it. */
    boolean layOwn(Change change) {
        return !followed || since.layOwn(change);
    }

    /** Lays a change over the base that a poll has read, so that the base cannot have seen it. */
    void layPolled(Change change) {
        if (followed) {
            since.changes().put(change);
        }
    }

    /** Reads all entries, in their order. */
    @FunctionalInterface
    interface Reading {
        void read(CurrentEntries entries) throws IOException;
    }

    /** Passes all entries to a consumer, with the changes that are there meanwhile. */
    void read(Reading reading) throws IOException, RetiredException {
        generation.read(walk -> reading.read(new CurrentEntries(walk, since.changes().iterator())));
    }
}
