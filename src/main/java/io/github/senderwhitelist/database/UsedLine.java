package io.github.senderwhitelist.database;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Pair;

import java.util.Comparator;

/**
 * What of a list is counted by itself: the lines of an origin for a sender and recipients. It is
 * comparable for the same reason as {@link Pair}.
 */
public record UsedLine(Pair pair, Origin origin) implements Comparable<UsedLine> {
    private static final Comparator<UsedLine> ORDER =
            Comparator.comparing(UsedLine::pair).thenComparing(UsedLine::origin);

    /** Returns what is counted of an entry, whose rules all have one origin. */
    public static UsedLine of(Entry entry) {
        return new UsedLine(entry.pair(), entry.rules().getFirst().origin());
    }

    @Override
    public int compareTo(UsedLine other) {
        return ORDER.compare(this, other);
    }

    /** Returns the sender and the recipients as a line of a list begins. */
    @Override
    public String toString() {
        return pair.toString();
    }
}
