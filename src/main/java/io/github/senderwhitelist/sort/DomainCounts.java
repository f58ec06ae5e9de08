package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.DomainHash;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Arrays;

/**
 * Counts how often each domain occurs, in a hash table that grows up to a bound. For one thread.
 *
 * <p>When the table is full, its counts are written out in the order of domains, and it is cleared.
 */
final class DomainCounts {
    private static final int BYTES_PER_DOMAIN = 36;
    private static final int TEXT_PER_DOMAIN = 12;
    private static final int LEAST = 1024;
    private static final int MOST = 1 << 24;
    private static final int FREE = -1;

    private final int most;
    private byte[] text = new byte[LEAST * TEXT_PER_DOMAIN];
    private int[] starts = new int[LEAST + 1];
    private int[] counts = new int[LEAST];
    private int[] table = freeTable(LEAST);
    private int domains;

    /** Creates an empty table that takes so many bytes at most. */
    DomainCounts(long memory) {
        this.most = Math.clamp(memory / BYTES_PER_DOMAIN, LEAST, MOST);
    }

    private static int[] freeTable(int domains) {
        int[] table = new int[Integer.highestOneBit(domains) * 2];
        Arrays.fill(table, FREE);
        return table;
    }

    /**
     * Counts the domain {@code bytes[from, to)}; returns false and counts nothing if there is no
     * room.
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
            return grow() && add(bytes, from, to);
        }
        System.arraycopy(bytes, from, text, start, to - from);
        table[slot] = domains;
        counts[domains++] = 1;
        starts[domains] = start + to - from;
        return true;
    }

    /** Makes more room; returns false if the table may not become larger. */
    private boolean grow() {
        if (counts.length == most) {
            return false;
        }
        int room = (int) Math.min(most, 2L * counts.length);
        text = Arrays.copyOf(text, room * TEXT_PER_DOMAIN);
        starts = Arrays.copyOf(starts, room + 1);
        counts = Arrays.copyOf(counts, room);
        table = freeTable(room);
        for (int domain = 0; domain < domains; domain++) {
            table[freeSlot(domain)] = domain;
        }
        return true;
    }

    private int freeSlot(int domain) {
        int slot = DomainHash.of(text, starts[domain], starts[domain + 1]) & (table.length - 1);
        while (table[slot] != FREE) {
            slot = (slot + 1) & (table.length - 1);
        }
        return slot;
    }

    /**
     * Writes the number of domains (u32) and the counts in the order of domains, each as length of
     * the domain (u8), its bytes, count (u32). Clears the table.
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

    /** Reads a batch of counts that was written out. */
    static final class Reader {
        private final DataInputStream in;
        private int left;
        byte[] domain = {};
        long count;

        Reader(DataInputStream in) throws IOException {
            this.in = in;
            this.left = in.readInt();
        }

        /** Reads the next domain and its count; returns false after the last one. */
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
