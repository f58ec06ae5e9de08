package io.github.senderwhitelist.living;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A hash set of senders' hashes, which only grows. One thread adds at a time; any number of threads
 * look hashes up meanwhile, without locks and without allocation.
 *
 * <p>In front of the hashes is a Bloom filter with 16 to 32 bits per hash and k = 1. It stays in
 * the processor's cache, and answers nearly all lookups of strangers.
 */
final class SenderHashes {
    private static final int FIRST_ROOM = 1 << 10;

    /** The slots for hashes per word of bits. */
    private static final int SLOTS_PER_WORD = 8;

    /** Stands for zero, which marks a free slot. */
    private static final long FOR_ZERO = 0x9e3779b97f4a7c15L;

    private volatile Table table = new Table(FIRST_ROOM);
    private int size;

    /** Bits and hashes of one size. */
    private static final class Table {
        private final AtomicLongArray bits;
        private final AtomicLongArray slots;

        Table(int room) {
            this.bits = new AtomicLongArray(room / SLOTS_PER_WORD);
            this.slots = new AtomicLongArray(room);
        }

        void put(long hash) {
            int at = (int) hash & (slots.length() - 1);
            while (slots.get(at) != 0) {
                at = (at + 1) & (slots.length() - 1);
            }
            slots.set(at, hash);
            int word = word(hash);
            bits.set(word, bits.get(word) | bit(hash));
        }

        boolean contains(long hash) {
            if ((bits.get(word(hash)) & bit(hash)) == 0) {
                return false;
            }
            int at = (int) hash & (slots.length() - 1);
            for (long found = slots.get(at); found != 0; found = slots.get(at)) {
                if (found == hash) {
                    return true;
                }
                at = (at + 1) & (slots.length() - 1);
            }
            return false;
        }

        private int word(long hash) {
            return (int) (hash >>> Integer.SIZE) & (bits.length() - 1);
        }

        private static long bit(long hash) {
            return 1L << (hash >>> (Long.SIZE - 6));
        }
    }

    /** Adds a hash. */
    void add(long hash) {
        if (contains(hash)) {
            return;
        }
        if (2 * size >= table.slots.length()) {
            grow();
        }
        table.put(hash == 0 ? FOR_ZERO : hash);
        size++;
    }

    private void grow() {
        AtomicLongArray old = table.slots;
        Table larger = new Table(2 * old.length());
        for (int i = 0; i < old.length(); i++) {
            if (old.get(i) != 0) {
                larger.put(old.get(i));
            }
        }
        table = larger;
    }

    /** Returns whether a hash was added. */
    boolean contains(long hash) {
        return table.contains(hash == 0 ? FOR_ZERO : hash);
    }

    /** Returns the memory that it takes, in bytes. */
    long bytes() {
        Table now = table;
        return (long) (now.slots.length() + now.bits.length()) * Long.BYTES;
    }
}
