package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.DomainHash;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * How often each domain occurred, in a hash table of bounded memory. For one thread.
 *
 * <p>When it is full its counts are written out in the order of domains, and it starts afresh.
 */
final class DomainCounts {
    private static final int BYTES_PER_DOMAIN = 36;
    private static final int TEXT_PER_DOMAIN = 12;
    private static final int FREE = -1;

    private final byte[] text;
    private final int[] starts;
    private final int[] counts;
    private final int[] table;
    private int domains;

    /** Counts in that many bytes of memory. */
    DomainCounts(long memory) {
        int most = (int) Math.min(1 << 24, Math.max(1024, memory / BYTES_PER_DOMAIN));
        this.text = new byte[most * TEXT_PER_DOMAIN];
        this.starts = new int[most + 1];
        this.counts = new int[most];
        this.table = new int[Integer.highestOneBit(most) * 2];
        Arrays.fill(table, FREE);
    }

    /**
     * Counts the domain {@code bytes[from, to)}; false, and nothing counted, when there is no room.
     */
    boolean add(byte[] bytes, int from, int to) {
        int slot = DomainHash.of(bytes, from, to) & (table.length - 1);
        while (table[slot] != FREE) {
            int domain = table[slot];
            if (Arrays.equals(bytes, from, to, text, starts[domain], starts[domain + 1])) {
                if (counts[domain] == Integer.MAX_VALUE) {
                    return false;
                }
                counts[domain]++;
                return true;
            }
            slot = (slot + 1) & (table.length - 1);
        }
        int start = starts[domains];
        if (domains == counts.length || to - from > text.length - start) {
            return false;
        }
        System.arraycopy(bytes, from, text, start, to - from);
        table[slot] = domains;
        counts[domains++] = 1;
        starts[domains] = start + to - from;
        return true;
    }

    int size() {
        return domains;
    }

    /**
     * Writes the counts in the order of domains, each domain as length (u8), bytes, count (u32),
     * and starts afresh.
     */
    void drainTo(DataOutputStream out) throws IOException {
        Integer[] order = new Integer[domains];
        for (int i = 0; i < domains; i++) {
            order[i] = i;
        }
        Arrays.sort(
                order,
                (a, b) ->
                        Arrays.compareUnsigned(
                                text, starts[a], starts[a + 1], text, starts[b], starts[b + 1]));
        out.writeInt(domains);
        for (int domain : order) {
            out.writeByte(starts[domain + 1] - starts[domain]);
            out.write(text, starts[domain], starts[domain + 1] - starts[domain]);
            out.writeInt(counts[domain]);
        }
        domains = 0;
        Arrays.fill(table, FREE);
    }

    /** Reads counts that were written out. */
    static final class Reader {
        private final DataInputStream in;
        private int left;
        byte[] domain = {};
        long count;

        Reader(DataInputStream in) throws IOException {
            this.in = in;
            this.left = in.readInt();
        }

        /** Comes to the next domain; false after the last. */
        boolean next() throws IOException {
            if (left == 0) {
                return false;
            }
            left--;
            domain = in.readNBytes(in.readUnsignedByte());
            count = in.readInt();
            return true;
        }
    }
}
