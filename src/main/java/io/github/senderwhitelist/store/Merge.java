package io.github.senderwhitelist.store;

import io.github.senderwhitelist.store.EntrySorter.Records;
import io.github.senderwhitelist.store.EntrySorter.Run;

import java.io.IOException;
import java.util.Arrays;

/**
 * Sorted runs as one, merged by a tree of losers: each inner node has the run that lost there, and
 * the record of the run that lost nowhere is next (Knuth, The Art of Computer Programming, volume
 * 3, 5.4.1). Of each record is known how many bytes it shares with the one that it lost to, so most
 * comparisons look at two numbers, and the others only at what comes after those bytes.
 */
final class Merge extends Records {
    private final Run[] runs;

    /**
     * How many bytes the next record of each run shares with that to which it lost, or which came
     * before it; -1 after its last one.
     */
    private final int[] same;

    /** The runs at inner nodes 1 to n - 1. The children of node i are 2i and 2i + 1. */
    private final int[] losers;

    private int winner;
    private boolean isStarted;

    Merge(Run[] runs) throws IOException {
        this.runs = runs;
        same = new int[runs.length];
        losers = new int[runs.length];
        for (int i = 0; i < runs.length; i++) {
            advance(i);
        }
        winner = play(1);
    }

    private void advance(int run) throws IOException {
        same[run] = runs[run].next() ? runs[run].shared : -1;
    }

    /** Lets the runs below a node play, and returns the one that wins there. */
    private int play(int node) {
        if (node >= runs.length) {
            return node - runs.length;
        }
        int left = play(2 * node);
        int right = play(2 * node + 1);
        boolean wins = wins(left, right);
        losers[node] = wins ? right : left;
        return wins ? left : right;
    }

    private boolean wins(int run, int other) {
        int from = same[run];
        if (from != same[other] || from < 0) {
            return from > same[other];
        }
        byte[] bytes = runs[run].bytes;
        byte[] others = runs[other].bytes;
        int end = runs[run].length;
        int otherEnd = runs[other].length;
        int mismatch = Arrays.mismatch(bytes, from, end, others, from, otherEnd);
        int at = mismatch < 0 ? end : from + mismatch;
        boolean wins = at == end || (at < otherEnd && (bytes[at] & 0xff) < (others[at] & 0xff));
        same[wins ? other : run] = at;
        return wins;
    }

    @Override
    boolean next() throws IOException {
        if (isStarted && same[winner] >= 0) {
            advance(winner);
            for (int node = (winner + runs.length) / 2; node > 0; node /= 2) {
                int loser = losers[node];
                if (wins(loser, winner)) {
                    losers[node] = winner;
                    winner = loser;
                }
            }
        }
        isStarted = true;
        bytes = runs[winner].bytes;
        length = runs[winner].length;
        shared = same[winner];
        return shared >= 0;
    }
}
