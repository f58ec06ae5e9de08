package io.github.senderwhitelist.living;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A set of hashes of senders, which only grows. One thread adds at a time; any number of threads
 * look hashes up meanwhile, without locks and without allocation.
 *
 * <p>In front of the hashes there are 16 to 32 bits for each, of which it sets one. They are so few
 * that they stay in the processor's cache, and answer nearly all questions about strangers.
 */
final class SenderHashes {
    private static final int FIRST_ROOM = 1 << 10;

    /** How many hashes there is room for, for each word of bits. */
    private static final int PLACES_A_WORD = 8;

    /** Stands for zero, which marks a free place. */
    private static final long FOR_ZERO = 0x9e3779b97f4a7c15L;

    private volatile Table table = new Table(FIRST_ROOM);
    private int size;

    /** Bits and hashes of one size. */
    private static final class Table {
        private final AtomicLongArray bits;
        private final AtomicLongArray places;

        Table(int room) {
            this.bits = new AtomicLongArray(room / PLACES_A_WORD);
            this.places = new AtomicLongArray(room);
        }

        void put(long hash) {
            int at = (int) hash & (places.length() - 1);
            while (places.get(at) != 0) {
                at = (at + 1) & (places.length() - 1);
            }
            places.set(at, hash);
            int word = word(hash);
            bits.set(word, bits.get(word) | bit(hash));
        }

        boolean contains(long hash) {
            if ((bits.get(word(hash)) & bit(hash)) == 0) {
                return false;
            }
            int at = (int) hash & (places.length() - 1);
            for (long found = places.get(at); found != 0; found = places.get(at)) {
                if (found == hash) {
                    return true;
                }
                at = (at + 1) & (places.length() - 1);
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
        if (2 * size >= table.places.length()) {
            grow();
        }
        table.put(hash == 0 ? FOR_ZERO : hash);
        size++;
    }

    private void grow() {
        AtomicLongArray old = table.places;
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
        return (long) (now.places.length() + now.bits.length()) * Long.BYTES;
    }
}
