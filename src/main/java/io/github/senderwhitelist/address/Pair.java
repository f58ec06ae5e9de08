package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;

/**
 * The sender and the recipients of an entry; all recipients if {@code to} is null. They are in
 * order by sender, the one for all recipients first, then those for one address, for a domain, and
 * for subdomains.
 *
 * <p>Pairs are comparable so that maps stay fast: the sender of a mail chooses its recipients, and
 * can choose thousands with the same hash code.
 */
public record Pair(Key sender, @Nullable Key to) implements Comparable<Pair> {
    private static final Comparator<Pair> ORDER =
            Comparator.comparing(Pair::sender)
                    .thenComparing(
                            Pair::to,
                            Comparator.nullsFirst(
                                    Comparator.comparing(RecipientKind::of)
                                            .thenComparing(Comparator.naturalOrder())));

    @Override
    public int compareTo(Pair other) {
        return ORDER.compare(this, other);
    }

    /** Returns the pair as a line of a list begins. */
    @Override
    public String toString() {
        return sender + (to == null ? "" : " to=" + to);
    }
}
