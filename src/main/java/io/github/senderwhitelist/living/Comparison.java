package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The comparison of a table's entries with those in force, while they are read for a new base. An
 * entry that changes meanwhile looks different at first, and is compared again when both sides are
 * complete.
 */
final class Comparison {
    /** The most entries that are compared again. Of more, each counts as different. */
    private static final int MOST = 10_000;

    private static final int SHOWN = 3;

    private final CurrentEntries inForce;
    private final List<Both> different = new ArrayList<>();
    private @Nullable Entry next;
    private long more;

    /**
     * An entry that looks different.
     *
     * @param where the sender and the recipients
     * @param ofTable the entry of the table, or null if it has none
     */
    private record Both(Entry where, @Nullable Entry ofTable) {}

    /**
     * The entries that were different in the end.
     *
     * @param entries how many entries
     * @param first the first of them, for people
     */
    record Differences(long entries, List<String> first) {}

    /** Takes the entries in force, at their beginning. */
    Comparison(CurrentEntries inForce) throws IOException {
        this.inForce = inForce;
        this.next = inForce.next();
    }

    /** Takes the next entry of the table, in the order of {@link Entry#ORDER}. */
    void take(Entry ofTable) throws IOException {
        Entry other = next;
        while (other != null && Entry.ORDER.compare(other, ofTable) < 0) {
            differs(other, null);
            next = inForce.next();
            other = next;
        }
        boolean isThere = other != null && Entry.ORDER.compare(other, ofTable) == 0;
        if (!isThere || !isSame(ofTable, other)) {
            differs(ofTable, ofTable);
        }
        if (isThere) {
            next = inForce.next();
        }
    }

    /** Ends after the last entry of the table. */
    void end() throws IOException {
        for (Entry other = next; other != null; other = inForce.next()) {
            differs(other, null);
        }
        next = null;
    }

    private void differs(Entry where, @Nullable Entry ofTable) {
        if (different.size() < MOST) {
            different.add(new Both(new Entry(where.key(), where.to(), List.of()), ofTable));
        } else {
            more++;
        }
    }

    /** Compares rules only: an entry may name more kinds of recipients than there are. */
    private static boolean isSame(@Nullable Entry some, @Nullable Entry other) {
        return rules(some).equals(rules(other));
    }

    private static List<Rule> rules(@Nullable Entry entry) {
        return entry == null ? List.of() : RulesCodec.ordered(entry.rules());
    }

    /**
     * Compares again the entries that looked different. No change may be laid over either side
     * meanwhile.
     *
     * @param before what is in force
     * @param since the changes that lie over what the table says
     */
    Differences differences(Generation before, Changes since) throws IOException, RetiredException {
        long count = more;
        List<String> first = new ArrayList<>();
        for (Both each : different) {
            Entry at = each.where;
            Entry after = since.over(each.ofTable, at.key(), at.to());
            if (!isSame(before.find(at.key(), at.to()), after)) {
                count++;
                if (first.size() < SHOWN) {
                    first.add(at.key() + (at.to() == null ? "" : " to=" + at.to()));
                }
            }
        }
        return new Differences(count, first);
    }
}
