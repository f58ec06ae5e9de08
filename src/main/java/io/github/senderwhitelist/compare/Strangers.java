package io.github.senderwhitelist.compare;

import io.github.senderwhitelist.address.KeyHasher;

/**
 * The hashes of generated addresses that no filter holds. The first are kept, since making them
 * takes longer than querying filters for them, and every filter is queried.
 */
final class Strangers {
    /** How many hashes are kept. Few filters are queried for more. */
    private static final int KEPT = 1_000_000;

    private final KeyHasher hasher;
    private final long[] kept = new long[KEPT];
    private int known;

    Strangers(KeyHasher hasher) {
        this.hasher = hasher;
    }

    /** Puts the hashes of {@code count} strangers, from number {@code first} on, into an array. */
    void hashes(long first, long[] into, int count) {
        for (int i = 0; i < count; i++) {
            long number = first + i;
            into[i] = number < KEPT ? kept((int) number) : hash(number);
        }
    }

    private long kept(int number) {
        for (; known <= number; known++) {
            kept[known] = hash(known);
        }
        return kept[number];
    }

    private long hash(long number) {
        return hasher.hash(GeneratedAddresses.stranger(number));
    }
}
