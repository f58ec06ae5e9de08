package io.github.senderwhitelist.living;

import static io.github.senderwhitelist.living.SimTable.KEPT;
import static io.github.senderwhitelist.living.SimTable.LONGEST;

import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.EntryTable.Change;
import io.github.senderwhitelist.living.EntryTable.Target;
import io.github.senderwhitelist.living.Truth.Commit;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Reads a feed, which must have all changes since a position, each once, with what it made of its
 * entry. If a change that was visible at a position was lost, the feed must not go on from there.
 */
final class FeedCheck {
    private final EntryTable table;
    private final Truth truth;
    private final LongSupplier nanos;
    private boolean reading;

    /** Where the feed was read to. Null if it must be asked for. */
    private @Nullable Read last;

    /** Whether what was lost by a restore since the last read cannot be found out any more. */
    private boolean isTooOld;

    /**
     * What was read.
     *
     * @param began the moment before it was read
     * @param ended the moment after it
     * @param seen the last change before it, or null
     * @param restores how often the table had been put back
     * @param at the time before it, in nanoseconds
     */
    private record Read(
            FeedPosition position,
            long began,
            long ended,
            @Nullable Commit seen,
            int restores,
            long at) {}

    FeedCheck(EntryTable table, Truth truth, LongSupplier nanos) {
        this.table = table;
        this.truth = truth;
        this.nanos = nanos;
    }

    /**
     * Changes were removed from the feed. If the last read is older than the feed is kept beside a
     * long transaction, what was lost by a restore since then may have been among them.
     */
    void forget() {
        Read read = last;
        isTooOld |=
                read != null
                        && read.restores != truth.restores()
                        && nanos.getAsLong() - read.at > KEPT.minus(LONGEST).toNanos();
    }

    /** Reads on. */
    void read() throws IOException {
        if (reading) {
            return;
        }
        reading = true;
        try {
            last = readOn(last);
            isTooOld = false;
        } finally {
            reading = false;
        }
    }

    private @Nullable Read readOn(@Nullable Read from) throws IOException {
        int restores = truth.restores();
        long began = truth.next();
        long at = nanos.getAsLong();
        Commit seen = truth.feed().isEmpty() ? null : truth.feed().getLast();
        if (from == null) {
            FeedPosition position = table.position();
            return restores == truth.restores()
                    ? new Read(position, began, truth.moment(), seen, restores, at)
                    : null;
        }
        Feed read = Feed.of(table, from.position);
        if (restores != truth.restores() || isTooOld) {
            return null;
        }
        if (read == null) {
            require(truth.broken() >= from.began, "the feed did not go on", from);
            return null;
        }
        require(
                from.seen == null || truth.feed().contains(from.seen),
                "the feed went on, though a change was lost",
                from);
        require(
                !truth.mustReadAgain(from.ended, began),
                "the feed went on, though entries were imported",
                from);
        Read next = new Read(read.next(), began, truth.moment(), seen, restores, at);
        compare(from, next, read.changes());
        return next;
    }

    private void compare(Read from, Read to, List<Change> changes) {
        for (Change change : changes) {
            Target about = new Target(change.origin(), change.sender(), change.to());
            Timeline<List<Rule>> rules = truth.timeline(about);
            require(
                    rules.mayBe(change.rules(), to.began, Long.MAX_VALUE),
                    change + " in the feed, where " + rules,
                    to);
            require(
                    !table.seen(from.position).test(change.transaction()),
                    change + " in the feed, though it was seen",
                    from);
            require(
                    count(changes, about) <= commits(about, from.began, to.ended),
                    change + " too often in the feed",
                    to);
        }
        for (Commit commit : truth.feed()) {
            require(
                    count(changes, commit.about()) >= commits(commit.about(), from.ended, to.began),
                    commit + " missing in the feed",
                    to);
        }
    }

    private static long count(List<Change> changes, Target about) {
        return changes.stream()
                .filter(each -> new Target(each.origin(), each.sender(), each.to()).equals(about))
                .count();
    }

    private long commits(Target about, long after, long upTo) {
        return truth.feed().stream()
                .filter(each -> each.about().equals(about))
                .filter(each -> each.moment() > after && each.moment() <= upTo)
                .count();
    }

    private static void require(boolean holds, String what, Read read) {
        if (!holds) {
            throw new AssertionError(what + ": " + read);
        }
    }
}
