package io.github.senderwhitelist.sort;

import java.util.Arrays;

/**
 * A buffer of records that are sorted together in memory. It grows up to a bound. For one thread.
 *
 * <p>Records lie in one array, each after its length (u16). Sorted are longs: the number of a
 * record in the low bits, and above it four bytes of the record, in nine bits each so that the end
 * of a record has a code of its own. Records that agree in these bytes are sorted again by the next
 * four. So the runtime's sort of primitive numbers does the work, and records are hardly touched.
 */
final class RecordBuffer {
    private static final int NUMBER_BITS = 27;
    private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;
    private static final int AT_ONCE = 4;
    private static final int CODE_BITS = 9;
    private static final int HEADER = 2;

    /** The memory of a record beside its bytes: where it begins, and its place in the order. */
    private static final int BESIDE = Integer.BYTES + Long.BYTES;

    private static final int MIN_RECORDS = 1 << 10;

    /** For each record room for so many bytes; that is more than most take. */
    private static final int BYTES_EACH = 32;

    private static final int MAX_ARRAY = 1 << 30;

    /** Groups up to this size are sorted by comparing records. */
    private static final int SMALL = 12;

    private final int maxRecords;
    private byte[] records = {};
    private int[] starts = {};
    private int count;
    private int end;

    /** The numbers of records in order, if they are sorted. */
    private long[] order = {};

    /** Creates a buffer that takes about this many bytes of memory at most. */
    RecordBuffer(long memory) {
        this.maxRecords = (int) Math.min(memory / (BYTES_EACH + BESIDE), MAX_ARRAY / BYTES_EACH);
    }

    /** Adds a record; returns false and adds nothing if there is no room. */
    boolean add(byte[] key, int from, int length, byte[] rule) {
        int size = HEADER + length + 2 + rule.length;
        while (count == starts.length || records.length - end < size) {
            if (starts.length == maxRecords) {
                return false;
            }
            int room =
                    Math.clamp(2L * starts.length, Math.min(MIN_RECORDS, maxRecords), maxRecords);
            starts = Arrays.copyOf(starts, room);
            records = Arrays.copyOf(records, room * BYTES_EACH);
        }
        starts[count++] = end;
        int record = size - HEADER;
        records[end] = (byte) record;
        records[end + 1] = (byte) (record >>> Byte.SIZE);
        int at = end + HEADER;
        System.arraycopy(key, from, records, at, length);
        records[at + length] = 0;
        records[at + length + 1] = 0;
        System.arraycopy(rule, 0, records, at + length + 2, rule.length);
        end += size;
        return true;
    }

    void clear() {
        order = new long[0];
        count = 0;
        end = 0;
    }

    /** Returns the records in order. They can be read until the buffer is cleared. */
    Records sorted() {
        if (order.length < count) {
            order = new long[count];
            for (int i = 0; i < count; i++) {
                order[i] = i;
            }
            sort(0, count, 0);
        }
        return new Records() {
            private int next;

            @Override
            boolean next() {
                if (next == order.length) {
                    return false;
                }
                int number = (int) order[next++] & NUMBER_MASK;
                length = lengthOf(number);
                System.arraycopy(records, start(number), record, 0, length);
                return true;
            }
        };
    }

    /** Sorts {@code order[low, high)}, whose records agree in their first {@code depth} bytes. */
    private void sort(int low, int high, int depth) {
        if (high - low <= SMALL) {
            insertionSort(low, high, depth);
            return;
        }
        for (int i = low; i < high; i++) {
            int number = (int) order[i] & NUMBER_MASK;
            order[i] = code(number, depth) << NUMBER_BITS | number;
        }
        Arrays.sort(order, low, high);
        for (int from = low; from < high; ) {
            long code = order[from] >>> NUMBER_BITS;
            int to = from + 1;
            while (to < high && order[to] >>> NUMBER_BITS == code) {
                to++;
            }
            // If the last of the bytes is the end, the records are the same.
            if (to - from > 1 && (code & ((1 << CODE_BITS) - 1)) != 0) {
                sort(from, to, depth + AT_ONCE);
            }
            from = to;
        }
    }

    private long code(int number, int depth) {
        int at = start(number) + depth;
        int stop = start(number) + lengthOf(number);
        long code = 0;
        for (int i = 0; i < AT_ONCE; i++) {
            code = code << CODE_BITS | (at < stop ? (records[at++] & 0xff) + 1 : 0);
        }
        return code;
    }

    private void insertionSort(int low, int high, int depth) {
        for (int i = low + 1; i < high; i++) {
            long moving = order[i];
            int j = i - 1;
            while (j >= low && compare(order[j], moving, depth) > 0) {
                order[j + 1] = order[j];
                j--;
            }
            order[j + 1] = moving;
        }
    }

    private int compare(long a, long b, int depth) {
        int first = (int) a & NUMBER_MASK;
        int second = (int) b & NUMBER_MASK;
        return Arrays.compareUnsigned(
                records,
                start(first) + depth,
                start(first) + lengthOf(first),
                records,
                start(second) + depth,
                start(second) + lengthOf(second));
    }

    private int start(int number) {
        return starts[number] + HEADER;
    }

    private int lengthOf(int number) {
        int at = starts[number];
        return (records[at] & 0xff) | (records[at + 1] & 0xff) << Byte.SIZE;
    }
}
