package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.ShortBytes;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Arrays;

/**
 * Sorted entries without duplicates: entries with equal keys are merged into one with all their
 * rules.
 */
public final class DistinctEntries implements SortedEntries {
    private final SortedEntries entries;
    private final SortedEntry current = new SortedEntry();
    private @Nullable SortedEntry ahead;
    private int aheadShared;
    private long duplicates;

    /** Merges sorted entries, which only this object may use from now on. */
    public DistinctEntries(SortedEntries entries) throws IOException {
        this.entries = entries;
        this.ahead = entries.next();
    }

    @Override
    public @Nullable SortedEntry next() throws IOException {
        SortedEntry next = ahead;
        if (next == null) {
            return null;
        }
        int shared = aheadShared;
        ShortBytes.copy(next.key, shared, current.key, shared, next.keyLength - shared);
        current.keyLength = next.keyLength;
        current.shared = shared;
        current.domain = next.domain;
        current.rules = next.rules;
        next = entries.next();
        while (next != null && hasSameKey(next)) {
            current.rules = RulesCodec.merge(current.rules, next.rules);
            duplicates++;
            next = entries.next();
        }
        ahead = next;
        return current;
    }

    /** Returns whether another key is the current one; if not, keeps how many bytes they share. */
    private boolean hasSameKey(SortedEntry other) {
        int mismatch =
                Arrays.mismatch(current.key, 0, current.keyLength, other.key, 0, other.keyLength);
        aheadShared = mismatch;
        return mismatch < 0;
    }

    /** Returns the entry after the current one, valid until the next call of {@link #next}. */
    @Nullable SortedEntry ahead() {
        return ahead;
    }

    /** Returns how many entries were merged into another one so far. */
    long duplicates() {
        return duplicates;
    }
}
