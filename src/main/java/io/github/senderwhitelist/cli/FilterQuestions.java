package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.filter.Filter;

import org.jspecify.annotations.Nullable;

/** Queries to a filter in batches, which are faster than one by one. */
final class FilterQuestions {
    private static final int AT_ONCE = 256;

    private final Filter filter;
    private final Entry[] entries = new Entry[AT_ONCE];
    private final long[] hashes = new long[AT_ONCE];
    private final boolean[] answers = new boolean[AT_ONCE];
    private int count;

    FilterQuestions(Filter filter) {
        this.filter = filter;
    }

    /**
     * Adds an entry with the hash of its key. When there are enough, asks for all of them, and
     * returns the first that is certainly not in the filter, or null.
     */
    @Nullable Entry add(Entry entry, long hash) {
        entries[count] = entry;
        hashes[count++] = hash;
        return count == AT_ONCE ? ask() : null;
    }

    /** Asks for what is left, and returns the first entry that is certainly not in the filter. */
    @Nullable Entry ask() {
        filter.mightContain(hashes, count, answers);
        int asked = count;
        count = 0;
        for (int i = 0; i < asked; i++) {
            if (!answers[i]) {
                return entries[i];
            }
        }
        return null;
    }
}
