package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.address.ShortBytes;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * A buffer of entries that are sorted together in memory. For one thread.
 *
 * <p>Each entry is a record in one array: length of the key (u16), length of its rules (u16), key,
 * rules. An array of longs is sorted. Each long has the number of a record in its low bits, and
 * above them the code of a few bytes of the key: six bytes in six bits each if they are bytes that
 * addresses mostly have, else four bytes in nine bits each. Keys that agree in these bytes are
 * sorted again by the next ones. So primitive longs are sorted, and the records are hardly touched.
 */
final class RunBuffer {
    private static final int NUMBER_BITS = 27;
    private static final int NUMBER_MASK = (1 << NUMBER_BITS) - 1;
    private static final int HEADER = 4;

    /** The bytes of records that there is room for, per entry. */
    private static final int BYTES_PER_ENTRY = 32;

    /** The number of entries that the first one makes room for. */
    private static final int LEAST = 1 << 10;

    /** Groups up to this size are sorted by comparing keys. */
    private static final int SMALL = 12;

    private static final int COMMON_BYTES = 6;
    private static final int COMMON_BITS = 6;
    private static final int ANY_BYTES = 4;
    private static final int ANY_BITS = 9;

    /**
     * The six-bit code of each byte. Codes keep the order of bytes; 0 stands for the end of the
     * key.
     */
    private static final byte[] COMMON = new byte[256];

    /** Whether each of these codes stands for several bytes. */
    private static final boolean[] SHARED = new boolean[1 << COMMON_BITS];

    static {
        String exact = "\0+-./0123456789=_`abcdefghijklmnopqrstuvwxyz";
        int code = 0;
        for (int b = 0; b < COMMON.length; b++) {
            boolean known = exact.indexOf(b) >= 0;
            if (known || exact.indexOf(b - 1) >= 0) {
                code++;
            }
            COMMON[b] = (byte) code;
            SHARED[code] = !known;
        }
    }

    private final int most;
    private byte[] records = {};
    private int[] starts = {};

    /** The id of the last domain of each entry, see {@link SortedEntry#domain}. */
    private int[] domains = {};

    private long[] order = {};
    private int end;
    private int count;

    /** Creates a buffer of at most {@code most} entries. */
    RunBuffer(int most) {
        this.most = most;
    }

    /**
     * Adds an entry; returns false and adds nothing if there is no room.
     *
     * @param domain the id of its last domain, or negative
     */
    boolean add(byte[] bytes, int from, int length, int domain, byte[] rules) {
        int size = HEADER + length + rules.length;
        if (count == starts.length || records.length - end < size) {
            return grow() && add(bytes, from, length, domain, rules);
        }
        domains[count] = domain;
        starts[count++] = end;
        records[end] = (byte) length;
        records[end + 1] = (byte) (length >>> 8);
        records[end + 2] = (byte) rules.length;
        records[end + 3] = (byte) (rules.length >>> 8);
        ShortBytes.copy(bytes, from, records, end + HEADER, length);
        if (rules.length > 0) {
            System.arraycopy(rules, 0, records, end + HEADER + length, rules.length);
        }
        end += size;
        return true;
    }

    /** Makes more room; returns false if the buffer may not become larger. */
    private boolean grow() {
        if (starts.length == most) {
            return false;
        }
        int room = Math.clamp(2L * starts.length, Math.min(LEAST, most), most);
        records = Arrays.copyOf(records, room * BYTES_PER_ENTRY);
        starts = Arrays.copyOf(starts, room);
        domains = Arrays.copyOf(domains, room);
        order = Arrays.copyOf(order, room);
        return true;
    }

    int count() {
        return count;
    }

    /** Returns the length of all keys and rules together. */
    int bytes() {
        return end - HEADER * count;
    }

    void clear() {
        count = 0;
        end = 0;
    }

    /** Returns the entries in order. They can be read until the buffer is cleared. */
    SortedEntries sorted() {
        for (int i = 0; i < count; i++) {
            order[i] = i;
        }
        sort(0, count, 0, true);
        return new Sorted();
    }

    /** Sorts {@code order[low, high)}, whose keys agree in their first {@code depth} bytes. */
    private void sort(int low, int high, int depth, boolean common) {
        if (high - low <= SMALL) {
            insertionSort(low, high, depth);
            return;
        }
        for (int i = low; i < high; i++) {
            int number = (int) order[i] & NUMBER_MASK;
            long code = common ? commonCode(number, depth) : anyCode(number, depth);
            order[i] = code << NUMBER_BITS | number;
        }
        Arrays.sort(order, low, high);
        for (int start = low; start < high; ) {
            long code = order[start] >>> NUMBER_BITS;
            int next = start + 1;
            while (next < high && order[next] >>> NUMBER_BITS == code) {
                next++;
            }
            if (next - start > 1) {
                sortGroup(start, next, depth, common, code);
            }
            start = next;
        }
    }

    /** Sorts {@code order[low, high)}, whose keys have the same code at {@code depth}. */
    private void sortGroup(int low, int high, int depth, boolean common, long code) {
        int bytes = common ? COMMON_BYTES : ANY_BYTES;
        int bits = common ? COMMON_BITS : ANY_BITS;
        for (int i = 0; i < bytes; i++) {
            int one = (int) (code >>> (bits * (bytes - 1 - i))) & ((1 << bits) - 1);
            if (one == 0) {
                // The keys end here, so they are equal.
                return;
            }
            if (common && SHARED[one]) {
                sort(low, high, depth + i, false);
                return;
            }
        }
        sort(low, high, depth + bytes, true);
    }

    private long commonCode(int number, int depth) {
        int at = keyStart(number) + depth;
        int stop = keyStart(number) + lengthOf(number);
        long code = 0;
        for (int i = 0; i < COMMON_BYTES; i++) {
            int one = at < stop ? COMMON[records[at++] & 0xff] : 0;
            code = code << COMMON_BITS | one;
            if (SHARED[one]) {
                // The bytes that follow must not decide before this byte is known exactly.
                return code << (COMMON_BITS * (COMMON_BYTES - 1 - i));
            }
        }
        return code;
    }

    private long anyCode(int number, int depth) {
        int at = keyStart(number) + depth;
        int stop = keyStart(number) + lengthOf(number);
        long code = 0;
        for (int i = 0; i < ANY_BYTES; i++) {
            code = code << ANY_BITS | (at < stop ? (records[at++] & 0xff) + 1 : 0);
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
                keyStart(first) + depth,
                keyStart(first) + lengthOf(first),
                records,
                keyStart(second) + depth,
                keyStart(second) + lengthOf(second));
    }

    private int keyStart(int number) {
        return starts[number] + HEADER;
    }

    private int lengthOf(int number) {
        return getShort(starts[number]);
    }

    private byte[] rulesOf(int number) {
        int length = getShort(starts[number] + 2);
        int at = keyStart(number) + lengthOf(number);
        return length == 0 ? RulesCodec.PLAIN : Arrays.copyOfRange(records, at, at + length);
    }

    private int getShort(int at) {
        return (records[at] & 0xff) | (records[at + 1] & 0xff) << 8;
    }

    /** The entries in the order found. */
    private final class Sorted implements SortedEntries {
        private final SortedEntry entry = new SortedEntry();
        private int next;

        @Override
        public @Nullable SortedEntry next() {
            if (next == count) {
                return null;
            }
            int number = (int) order[next++] & NUMBER_MASK;
            entry.keyLength = lengthOf(number);
            ShortBytes.copy(records, keyStart(number), entry.key, 0, entry.keyLength);
            entry.domain = domains[number];
            entry.rules = rulesOf(number);
            return entry;
        }
    }
}
