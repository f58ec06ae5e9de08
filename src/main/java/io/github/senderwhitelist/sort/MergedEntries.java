package io.github.senderwhitelist.sort;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * Several rows of sorted entries as one: a tree of losers (D. E. Knuth, "The Art of Computer
 * Programming", volume 3, section 5.4.1), so that each entry costs one comparison per level.
 */
final class MergedEntries implements SortedEntries {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** Above every key: the head of a row that has ended. No key begins with a byte of 0xFF. */
    private static final long ENDED = -1;

    private final SortedEntries[] rows;

    /** The first eight bytes of the key of each row, zeros after a shorter key. */
    private final long[] heads;

    /** At 1 and above, the row that lost at each node; at 0, the row that won them all. */
    private final int[] losers;

    private boolean started;

    MergedEntries(List<SortedEntries> rows) {
        this.rows = rows.toArray(new SortedEntries[0]);
        this.heads = new long[this.rows.length];
        this.losers = new int[Math.max(1, this.rows.length)];
    }

    @Override
    public boolean next() throws IOException {
        if (!started) {
            start();
        } else if (rows.length > 0) {
            advance(losers[0]);
            replay(losers[0]);
        }
        return rows.length > 0 && heads[losers[0]] != ENDED;
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

    /** Lets a row climb until it meets a free node, where it waits for the other side. */
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

    private void replay(int row) {
        int winner = row;
        for (int node = (row + rows.length) / 2; node > 0; node /= 2) {
            winner = play(node, winner);
        }
        losers[0] = winner;
    }

    /** The smaller of the row waiting at a node and the challenger; the other one waits there. */
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
        SortedEntries first = rows[a];
        SortedEntries second = rows[b];
        return Arrays.compareUnsigned(
                first.key(), 0, first.keyLength(), second.key(), 0, second.keyLength());
    }

    private void advance(int row) throws IOException {
        SortedEntries entries = rows[row];
        if (!entries.next()) {
            heads[row] = ENDED;
            return;
        }
        long head = (long) LONGS.get(entries.key(), 0);
        int missing = Long.BYTES - entries.keyLength();
        heads[row] = missing <= 0 ? head : head >>> (8 * missing) << (8 * missing);
    }

    @Override
    public byte[] key() {
        return rows[losers[0]].key();
    }

    @Override
    public int keyLength() {
        return rows[losers[0]].keyLength();
    }

    @Override
    public byte[] rules() {
        return rows[losers[0]].rules();
    }
}
