package io.github.senderwhitelist.sort;

import java.util.Arrays;

/**
 * A buffer of records that are sorted together in memory. It grows up to a bound. For one thread.
 *
 * <p>Records lie in one array, each after its length (u16). Sorted are longs: where a record begins
 * in the low half, and four bytes of it in the high half. Records that agree in these bytes are
 * sorted again by the next four. So the runtime's sort of primitive numbers does the work, and
 * records are hardly touched. Zeros stand for bytes after the end: no record is another with zeros
 * appended, since no rule and no kind of recipients begins with one.
 */
final class RecordBuffer {
    private static final int AT_ONCE = Integer.BYTES;
    private static final int HEADER = Short.BYTES;
    private static final int MIN_RECORDS = 1 << 10;

    /** For each record room for so many bytes; that is more than most take. */
    private static final int BYTES_EACH = 32;

    private static final int MAX_ARRAY = 1 << 30;

    private final int maxRecords;
    private byte[] records = {};
    private int end;

    /** Where each record begins; in order, if they are sorted. */
    private long[] order = {};

    private int count;
    private boolean isSorted;

    /** Creates a buffer that takes about this many bytes of memory at most. */
    RecordBuffer(long memory) {
        this.maxRecords =
                (int) Math.min(memory / (BYTES_EACH + Long.BYTES), MAX_ARRAY / BYTES_EACH);
    }

    /** Adds a record; returns false and adds nothing if there is no room. */
    boolean add(byte[] key, int from, int length, byte[] rule) {
        int size = length + 2 + rule.length;
        while (count == order.length || records.length - end < HEADER + size) {
            if (order.length == maxRecords) {
                return false;
            }
            int room = Math.clamp(2L * order.length, Math.min(MIN_RECORDS, maxRecords), maxRecords);
            order = Arrays.copyOf(order, room);
            records = Arrays.copyOf(records, room * BYTES_EACH);
        }
        records[end] = (byte) size;
        records[end + 1] = (byte) (size >>> Byte.SIZE);
        int start = end + HEADER;
        order[count++] = start;
        System.arraycopy(key, from, records, start, length);
        records[start + length] = 0;
        records[start + length + 1] = 0;
        System.arraycopy(rule, 0, records, start + length + 2, rule.length);
        end = start + size;
        return true;
    }

    void clear() {
        isSorted = false;
        count = 0;
        end = 0;
    }

    /** Returns the records in order. They can be read until the buffer is cleared. */
    Records sorted() {
        if (!isSorted) {
            isSorted = true;
            sort(0, count, 0);
        }
        return new Records() {
            private int next;

            @Override
            boolean next() {
                if (next == count) {
                    return false;
                }
                int start = (int) order[next++];
                length = length(start);
                System.arraycopy(records, start, record, 0, length);
                return true;
            }
        };
    }

    /** Sorts {@code order[low, high)}, whose records agree in their first {@code depth} bytes. */
    private void sort(int low, int high, int depth) {
        for (int i = low; i < high; i++) {
            int start = (int) order[i];
            order[i] = (long) fourBytes(start, depth) << Integer.SIZE | start;
        }
        Arrays.sort(order, low, high);
        for (int from = low; from < high; ) {
            int four = (int) (order[from] >>> Integer.SIZE);
            int to = from;
            int longest = 0;
            while (to < high && (int) (order[to] >>> Integer.SIZE) == four) {
                longest = Math.max(longest, length((int) order[to++]));
            }
            if (to - from > 1 && longest > depth + AT_ONCE) {
                sort(from, to, depth + AT_ONCE);
            }
            from = to;
        }
    }

    /** Returns four bytes of a record, in the order of signed numbers. */
    private int fourBytes(int start, int depth) {
        int at = start + depth;
        int stop = start + length(start);
        int four = 0;
        for (int i = 0; i < AT_ONCE; i++) {
            four = four << Byte.SIZE | (at < stop ? records[at++] & 0xff : 0);
        }
        return four ^ Integer.MIN_VALUE;
    }

    private int length(int start) {
        return (records[start - 2] & 0xff) | (records[start - 1] & 0xff) << Byte.SIZE;
    }
}
