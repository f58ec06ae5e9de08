package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.tools.Mix;

/**
 * Deals numbers out to ranks by Zipf's law: the first 2^{@code low} ranks together get as many as
 * the next 2^{@code low}, as the next 2^({@code low}+1), and so on up to 2^{@code high}. Each rank
 * counts its numbers from 0 without a gap: number and {@link #rank()} with {@link #count()} stand
 * for each other.
 */
final class ZipfRanks {
    private final int low;
    private final int buckets;
    private int rank;
    private long count;

    ZipfRanks(int low, int high) {
        this.low = low;
        this.buckets = high - low + 1;
    }

    /** Deals a number out. With another salt the same number goes elsewhere. */
    void deal(long number, long salt) {
        long round = number / buckets;
        int turn = (int) Long.remainderUnsigned(Mix.of(salt + round), buckets);
        int bucket = (int) ((number % buckets + turn) % buckets);
        int bits = low + Math.max(0, bucket - 1);
        int start = bucket == 0 ? 0 : 1 << bits;
        rank = start + permuted((int) (round + salt), bits);
        count = round >>> bits;
    }

    /** Permutes the numbers below 2^{@code bits}; higher bits of the number are left out. */
    private static int permuted(int number, int bits) {
        int mask = (1 << bits) - 1;
        int x = (number * 0x9e3779b1) & mask;
        x ^= x >>> ((bits + 1) / 2);
        return (x * 0x85ebca6b) & mask;
    }

    /** Returns the rank that got the last number. */
    int rank() {
        return rank;
    }

    /** Returns how many numbers the rank got before. */
    long count() {
        return count;
    }
}
