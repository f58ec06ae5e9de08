package io.github.senderwhitelist.store;

import io.github.senderwhitelist.store.EntrySorter.Records;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Sorted runs as one, merged by a tree of losers: each inner node has the run that lost there, and
 * the record of the run that lost nowhere is next (Knuth, The Art of Computer Programming, volume
 * 3, 5.4.1). Of each record is known how many bytes it shares with the one that it lost to, so most
 * comparisons look at two numbers, and the others only at what comes after those bytes.
 */
final class Merge implements Records {
    private final Records[] runs;

    /** The next record of each run; null after its last one. */
    private final byte[] @Nullable [] heads;

    /** How many bytes each head shares with that to which it lost, or which came before it. */
    private final int[] shared;

    /** The runs at inner nodes 1 to n - 1. The children of node i are 2i and 2i + 1. */
    private final int[] losers;

    private int winner;
    private boolean isStarted;

    Merge(List<Records> all) throws IOException {
        runs = all.toArray(Records[]::new);
        heads = new byte[runs.length][];
        shared = new int[runs.length];
        losers = new int[runs.length];
        for (int i = 0; i < runs.length; i++) {
            heads[i] = runs[i].next();
        }
        winner = play(1);
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
        byte[] record = heads[run];
        byte[] others = heads[other];
        if (record == null || others == null) {
            return others == null;
        }
        if (shared[run] != shared[other]) {
            return shared[run] > shared[other];
        }
        int from = shared[run];
        int mismatch = Arrays.mismatch(record, from, record.length, others, from, others.length);
        int at = mismatch < 0 ? record.length : from + mismatch;
        boolean wins =
                at == record.length
                        || (at < others.length && (record[at] & 0xff) < (others[at] & 0xff));
        shared[wins ? other : run] = at;
        return wins;
    }

    @Override
    public byte @Nullable [] next() throws IOException {
        byte[] before = heads[winner];
        if (isStarted && before != null) {
            byte[] next = runs[winner].next();
            heads[winner] = next;
            if (next != null) {
                int mismatch = Arrays.mismatch(before, next);
                shared[winner] = mismatch < 0 ? next.length : mismatch;
            }
            for (int node = (winner + runs.length) / 2; node > 0; node /= 2) {
                int loser = losers[node];
                if (wins(loser, winner)) {
                    losers[node] = winner;
                    winner = loser;
                }
            }
        }
        isStarted = true;
        return heads[winner];
    }
}
