package io.github.senderwhitelist.sort;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * A merge of several rows of sorted entries by a tree of losers (D. E. Knuth, "The Art of Computer
 * Programming", volume 3, section 5.4.1). Each entry costs one comparison per level.
 */
final class MergedEntries implements SortedEntries {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** The head of a row that has ended. It is above all others: no key begins with 0xFF. */
    private static final long ENDED = -1;

    private final SortedEntries[] rows;

    /** The entry that each row has come to. */
    private final @Nullable SortedEntry[] entries;

    /** The first eight bytes of the key of each entry, filled up with zeros. */
    private final long[] heads;

    /** The row that lost at each node, from node 1 on; at 0, the row that won. */
    private final int[] losers;

    private boolean started;

    MergedEntries(List<SortedEntries> rows) {
        this.rows = rows.toArray(new SortedEntries[0]);
        this.entries = new @Nullable SortedEntry[this.rows.length];
        this.heads = new long[this.rows.length];
        this.losers = new int[Math.max(1, this.rows.length)];
    }

    @Override
    public @Nullable SortedEntry next() throws IOException {
        if (rows.length == 0) {
            return null;
        }
        if (!started) {
            start();
        } else {
            advance(losers[0]);
            replay(losers[0]);
        }
        return entries[losers[0]];
    }

    private void start() throws IOException {
        started = true;
        for (int row = 0; row < rows.length; row++) {
            advance(row);
        }
        Arrays.fill(losers, -1);
        for (int row = 0; row < rows.length; row++) {
            enter(row);
        }
    }

    /** Lets a row climb to a free node, where it waits for the row of the other side. */
    private void enter(int row) {
        int winner = row;
        for (int node = (row + rows.length) / 2; node > 0; node /= 2) {
            if (losers[node] < 0) {
                losers[node] = winner;
                return;
            }
            winner = play(node, winner);
        }
        losers[0] = winner;
    }

    /** Lets a row with a new entry climb to the top, against the rows that wait on its way. */
    private void replay(int row) {
        int winner = row;
        for (int node = (row + rows.length) / 2; node > 0; node /= 2) {
            winner = play(node, winner);
        }
        losers[0] = winner;
    }

    /**
     * Returns the row with the smaller key: the one that waits at a node, or the challenger. The
     * other one waits there from now on.
     */
    private int play(int node, int challenger) {
        int waiting = losers[node];
        if (compare(waiting, challenger) < 0) {
            losers[node] = challenger;
            return waiting;
        }
        return challenger;
    }

    private int compare(int a, int b) {
        int heads = Long.compareUnsigned(this.heads[a], this.heads[b]);
        if (heads != 0 || this.heads[a] == ENDED) {
            return heads;
        }
        SortedEntry first = Objects.requireNonNull(entries[a]);
        SortedEntry second = Objects.requireNonNull(entries[b]);
        return Arrays.compareUnsigned(
                first.key, 0, first.keyLength, second.key, 0, second.keyLength);
    }

    /** Takes a row to its next entry. */
    private void advance(int row) throws IOException {
        SortedEntry entry = rows[row].next();
        entries[row] = entry;
        if (entry == null) {
            heads[row] = ENDED;
            return;
        }
        long head = (long) LONGS.get(entry.key, 0);
        int missing = Long.BYTES - entry.keyLength;
        heads[row] = missing <= 0 ? head : head >>> (8 * missing) << (8 * missing);
    }
}
