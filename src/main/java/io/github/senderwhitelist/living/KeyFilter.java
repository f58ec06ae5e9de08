package io.github.senderwhitelist.living;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
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
        this(shape(size, keys), Math.max(1, keys), 0);
    }

    /**
     * Makes an empty filter whose bits are then read from where they were kept.
     *
     * @param capacity how many keys it was made for
     * @param added how many hashes were added
     */
    KeyFilter(FilterShape shape, long capacity, long added) {
        this.capacity = capacity;
        this.added = added;
        this.filter = (UpdatableFilter) shape.create();
    }

    /** Returns the shape of a filter that has its rate with at most so many keys. */
    static FilterShape shape(FilterSize size, long keys) {
        return size.shape(FilterKind.BLOCKED, Math.max(1, keys));
    }

    boolean mightContain(long hash) {
        // Reading what the adding thread wrote last makes its bits visible.
        return added >= 0 && filter.mightContain(hash);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread adds at a time
    void add(long hash) {
        if (!filter.mightContain(hash)) {
            filter.add(hash);
            added++;
        }
    }

    /** Returns the bits, for reading and writing them. */
    UpdatableFilter filter() {
        return filter;
    }

    /** Returns how many keys it was made for. */
    long capacity() {
        return capacity;
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
