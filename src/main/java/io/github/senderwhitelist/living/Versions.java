package io.github.senderwhitelist.living;

import io.github.senderwhitelist.address.Key;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Numbers that change whenever the entries of a sender do. An answer of the database is cached with
 * the number that was read before the question. So an answer that was read before a change is never
 * used after it, whenever it comes to be cached.
 *
 * <p>Senders share numbers, which costs a lookup more at times.
 */
final class Versions {
    private static final int BITS = 14;
    private static final int COUNT = 1 << BITS;

    private final AtomicLongArray numbers = new AtomicLongArray(COUNT);

    long of(Key sender) {
        return numbers.get(index(sender));
    }

    /** Ends all answers about a sender. */
    void change(Key sender) {
        numbers.incrementAndGet(index(sender));
    }

    /** Ends all answers. */
    void changeAll() {
        for (int i = 0; i < COUNT; i++) {
            numbers.incrementAndGet(i);
        }
    }

    private static int index(Key sender) {
        int hash = sender.hashCode() * 0x9e3779b9;
        return hash >>> (Integer.SIZE - BITS);
    }
}
