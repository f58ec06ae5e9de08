package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The sender and the recipients of an entry; all recipients if {@code to} is null. They are in the
 * order of their {@link SortKey}.
 *
 * <p>Pairs are comparable so that maps stay fast: the sender of a mail chooses its recipients, and
 * can choose thousands with the same hash code.
 */
public record Pair(Key sender, @Nullable Key to) implements Comparable<Pair> {
    @Override
    public int compareTo(Pair other) {
        return Arrays.compareUnsigned(SortKey.of(sender, to), SortKey.of(other.sender, other.to));
    }

    /** Returns the pair as a line of a list begins. */
    @Override
    public String toString() {
        return sender + (to == null ? "" : " to=" + to);
    }
}
