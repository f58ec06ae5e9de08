package io.github.senderwhitelist.living;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A set of hashes of senders, which only grows. One thread adds at a time; any number of threads
 * look hashes up meanwhile, without locks and without allocation.
 */
final class SenderHashes {
    private static final int FIRST_ROOM = 1 << 10;

    /** Stands for zero, which marks a free place. */
    private static final long FOR_ZERO = 0x9e3779b97f4a7c15L;

    private volatile AtomicLongArray table = new AtomicLongArray(FIRST_ROOM);
    private int size;

    /** Adds a hash. */
    void add(long hash) {
        if (contains(hash)) {
            return;
        }
        if (2 * size >= table.length()) {
            grow();
        }
        put(table, hash == 0 ? FOR_ZERO : hash);
        size++;
    }

    private void grow() {
        AtomicLongArray old = table;
        AtomicLongArray larger = new AtomicLongArray(2 * old.length());
        for (int i = 0; i < old.length(); i++) {
            if (old.get(i) != 0) {
                put(larger, old.get(i));
            }
        }
        table = larger;
    }

    private static void put(AtomicLongArray to, long hash) {
        int at = (int) hash & (to.length() - 1);
        while (to.get(at) != 0) {
            at = (at + 1) & (to.length() - 1);
        }
        to.set(at, hash);
    }

    /** Returns whether a hash was added. */
    boolean contains(long hash) {
        AtomicLongArray in = table;
        long wanted = hash == 0 ? FOR_ZERO : hash;
        int at = (int) wanted & (in.length() - 1);
        for (long found = in.get(at); found != 0; found = in.get(at)) {
            if (found == wanted) {
                return true;
            }
            at = (at + 1) & (in.length() - 1);
        }
        return false;
    }

    /** Returns the memory that it takes, in bytes. */
    long bytes() {
        return (long) table.length() * Long.BYTES;
    }
}
