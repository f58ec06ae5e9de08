package io.github.senderwhitelist.sort;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * A merge of several rows of records: a heap of the records that the rows have come to. The first
 * eight bytes of each are compared as a number, which mostly decides.
 */
final class MergedRecords {
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

    /** The rows that have not ended, the one with the least record first. */
    private final Records[] heap;

    private final long[] heads;
    private int size;

    /** Makes a merge of rows, and moves to the first record. */
    MergedRecords(List<Records> rows) throws IOException {
        heap = new Records[rows.size()];
        heads = new long[rows.size()];
        for (Records row : rows) {
            if (row.next()) {
                heap[size] = row;
                heads[size++] = head(row);
            }
        }
        for (int place = size / 2 - 1; place >= 0; place--) {
            sink(place);
        }
    }

    /** Returns whether there is no record any more. */
    boolean isEnded() {
        return size == 0;
    }

    /** Returns the row whose record is the least of all. */
    Records first() {
        return heap[0];
    }

    /** Moves to the next record. */
    void next() throws IOException {
        if (heap[0].next()) {
            heads[0] = head(heap[0]);
        } else {
            size--;
            heap[0] = heap[size];
            heads[0] = heads[size];
        }
        sink(0);
    }

    /** Moves a row down until none below has a lesser record. */
    private void sink(int from) {
        int place = from;
        Records row = heap[place];
        long head = heads[place];
        for (int child = 2 * place + 1; child < size; child = 2 * place + 1) {
            if (child + 1 < size && isBefore(heap[child + 1], heads[child + 1], child)) {
                child++;
            }
            if (isBefore(row, head, child)) {
                break;
            }
            heap[place] = heap[child];
            heads[place] = heads[child];
            place = child;
        }
        heap[place] = row;
        heads[place] = head;
    }

    private boolean isBefore(Records row, long head, int other) {
        int order = Long.compareUnsigned(head, heads[other]);
        if (order != 0) {
            return order < 0;
        }
        Records records = heap[other];
        return Arrays.compareUnsigned(row.record, 0, row.length, records.record, 0, records.length)
                < 0;
    }

    /** Returns the first eight bytes, filled up with zeros. */
    private static long head(Records row) {
        long head = (long) LONGS.get(row.record, 0);
        int missing = Long.BYTES - row.length;
        return missing <= 0 ? head : head >>> (Byte.SIZE * missing) << (Byte.SIZE * missing);
    }
}
