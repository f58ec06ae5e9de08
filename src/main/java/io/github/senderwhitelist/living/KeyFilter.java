package io.github.senderwhitelist.living;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.filter.UpdatableFilter;

/**
 * A filter to which hashes are only added. A feed may deliver a change twice, and adding twice does
 * no harm, while removing twice from a filter that counts would make a false negative.
 *
 * <p>One thread adds at a time. Any number of threads may ask meanwhile. They find a hash from the
 * moment on at which {@link #add} returns.
 */
final class KeyFilter {
    private final UpdatableFilter filter;
    private final long capacity;

    /** How many hashes were added that the filter did not know. Publishes the bits, too. */
    private volatile long added;

    /** Makes an empty filter that has its rate with at most so many keys. */
    KeyFilter(FilterSize size, long keys) {
        this.capacity = Math.max(1, keys);
        this.filter = (UpdatableFilter) size.shape(FilterKind.BLOCKED, capacity).create();
    }

    boolean mightContain(long hash) {
        // Reading what the adding thread wrote last makes its bits visible.
        return added > 0 && filter.mightContain(hash);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread adds at a time
    void add(long hash) {
        if (!filter.mightContain(hash)) {
            filter.add(hash);
            added++;
        }
    }

    /** Returns about how many different keys were added, false positives apart. */
    long added() {
        return added;
    }

    /** Returns whether it holds more keys than it was made for. */
    boolean isFull() {
        return added > capacity;
    }

    /** Returns the bytes of memory that its bits take. */
    long bytes() {
        return filter.shape().bytes();
    }

    /** Returns the false-positive rate to expect. */
    double rate() {
        return added == 0 ? 0 : filter.shape().rate(added);
    }
}
