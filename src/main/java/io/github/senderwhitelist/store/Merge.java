package io.github.senderwhitelist.store;

import io.github.senderwhitelist.store.EntrySorter.Records;
import io.github.senderwhitelist.store.EntrySorter.Run;

import java.io.IOException;
import java.util.Arrays;

/**
 * Sorted runs as one, merged by a tree of losers: each inner node has the run that lost there, and
 * the record of the run that lost nowhere is next (Knuth, The Art of Computer Programming, volume
 * 3, 5.4.1). Of each record is known how many bytes it shares with the one that it lost to, and the
 * byte that comes then, as one number, so few comparisons look at records, which are seldom in the
 * processor's cache (Conner, Offset-value coding, IBM Technical Disclosure Bulletin, 1977).
 */
final class Merge extends Records {
    /** Numbers have the byte in so many lowest bits. */
    private static final int BYTE_BITS = 9;

    /** The lowest bits of a record that ends where another byte would come. */
    private static final int END = 0x100;

    private final Run[] runs;

    /**
     * For the next record of each run, how many bytes it shares with that to which it lost, or
     * which came before it, and the complement of the byte then: of two numbers after the same
     * record, the greater has the lesser record. -1 after the last record.
     */
    private final int[] codes;

    /** The runs at inner nodes 1 to n - 1. The children of node i are 2i and 2i + 1. */
    private final int[] losers;

    /** The run whose record is next; -1 before the first. */
    private int winner = -1;

    Merge(Run[] runs) {
        this.runs = runs;
        codes = new int[runs.length];
        losers = new int[runs.length];
    }

    private void advance(int run) throws IOException {
        codes[run] = runs[run].next() ? code(runs[run], runs[run].shared) : -1;
    }

    private static int code(Run run, int same) {
        return same << BYTE_BITS | (same < run.length ? ~run.bytes[same] & 0xff : END);
    }

    /** Lets the runs below a node play, and returns the one that wins there. */
    private int play(int node) throws IOException {
        if (node >= runs.length) {
            advance(node - runs.length);
            return node - runs.length;
        }
        int left = play(2 * node);
        int right = play(2 * node + 1);
        boolean wins = wins(left, right);
        losers[node] = wins ? right : left;
        return wins ? left : right;
    }

    private boolean wins(int run, int other) {
        int code = codes[run];
        if (code != codes[other] || code < 0) {
            return code > codes[other];
        }
        Run one = runs[run];
        Run two = runs[other];
        int from = code >>> BYTE_BITS;
        int mismatch = Arrays.mismatch(one.bytes, from, one.length, two.bytes, from, two.length);
        int same = mismatch < 0 ? one.length : from + mismatch;
        boolean wins = code(one, same) >= code(two, same);
        codes[wins ? other : run] = code(wins ? two : one, same);
        return wins;
    }

    @Override
    boolean next() throws IOException {
        if (winner < 0) {
            winner = play(1);
        } else {
            advance(winner);
            for (int node = (winner + runs.length) / 2; node > 0; node /= 2) {
                int loser = losers[node];
                if (wins(loser, winner)) {
                    losers[node] = winner;
                    winner = loser;
                }
            }
        }
        bytes = runs[winner].bytes;
        length = runs[winner].length;
        shared = codes[winner] >>> BYTE_BITS;
        return codes[winner] >= 0;
    }
}
