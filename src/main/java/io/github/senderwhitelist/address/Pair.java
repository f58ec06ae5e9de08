package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;

/**
 * A sender and some recipients, or all if {@code to} is null: what an entry is about.
 *
 * <p>Whoever sends a mail chooses its recipients, and can choose thousands with the same hash code.
 * Maps find such pairs fast because they can be compared.
 */
public record Pair(Key sender, @Nullable Key to) implements Comparable<Pair> {
    private static final Comparator<Pair> ORDER =
            Comparator.comparing(Pair::sender)
                    .thenComparing(Pair::to, Comparator.nullsFirst(Comparator.naturalOrder()));

    @Override
    public int compareTo(Pair other) {
        return ORDER.compare(this, other);
    }
}
