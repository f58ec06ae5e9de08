package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.DomainHash;

import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Counts how often each domain occurs, in a hash table that grows up to a bound. For one thread.
 *
 * <p>When the table is full, its counts are written out as a batch in the order of the hashes of
 * domains, and it is cleared. That order costs a sort of numbers only, and all that batches have of
 * a range of hashes can be put together in a table that is small.
 *
 * <p>Counts stop at the greatest int.
 */
final class DomainCounts {
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private static final int BYTES_PER_DOMAIN = 36;
    private static final int TEXT_PER_DOMAIN = 12;
    private static final int LEAST = 1024;
    private static final int MOST = 1 << 24;
    private static final int FREE = -1;
    private static final int MOST_LENGTH = 255;

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

    /** Creates an empty table without a bound in practice. */
    DomainCounts() {
        this.most = MOST;
    }

    /** Takes domains, each with how often it occurred. */
    @FunctionalInterface
    interface Visitor {
        /** Takes the domain {@code text[from, to)}. */
        void visit(byte[] text, int from, int to, int count);
    }

    private static int[] freeTable(int domains) {
        int[] table = new int[Integer.highestOneBit(domains) * 2];
        Arrays.fill(table, FREE);
        return table;
    }

    /**
     * Counts the domain {@code bytes[from, to)} so many times; returns false and counts nothing if
     * there is no room.
     */
    boolean add(byte[] bytes, int from, int to, int times) {
        int slot = DomainHash.of(bytes, from, to) & (table.length - 1);
        while (table[slot] != FREE) {
            int domain = table[slot];
            if (Arrays.equals(bytes, from, to, text, starts[domain], starts[domain + 1])) {
                counts[domain] = (int) Math.min(Integer.MAX_VALUE, (long) counts[domain] + times);
                return true;
            }
            slot = (slot + 1) & (table.length - 1);
        }
        int start = starts[domains];
        if (domains == counts.length || to - from > text.length - start) {
            return grow() && add(bytes, from, to, times);
        }
        System.arraycopy(bytes, from, text, start, to - from);
        table[slot] = domains;
        counts[domains++] = times;
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
        int slot = hash(domain) & (table.length - 1);
        while (table[slot] != FREE) {
            slot = (slot + 1) & (table.length - 1);
        }
        return slot;
    }

    private int hash(int domain) {
        return DomainHash.of(text, starts[domain], starts[domain + 1]);
    }

    int size() {
        return domains;
    }

    /** Hands out all domains. */
    void forEach(Visitor visitor) {
        for (int domain = 0; domain < domains; domain++) {
            visitor.visit(text, starts[domain], starts[domain + 1], counts[domain]);
        }
    }

    void clear() {
        domains = 0;
        Arrays.fill(table, FREE);
    }

    /**
     * Writes the number of domains (u32) and the counts in the order of the hashes of domains, each
     * as length of the domain (u8), its bytes, count (u32). Clears the table.
     */
    void drainTo(DataOutputStream out) throws IOException {
        long[] order = new long[domains];
        for (int domain = 0; domain < domains; domain++) {
            order[domain] = (long) hash(domain) << Integer.SIZE | domain;
        }
        Arrays.sort(order);
        out.writeInt(domains);
        for (long numbered : order) {
            int domain = (int) numbered;
            out.writeByte(starts[domain + 1] - starts[domain]);
            out.write(text, starts[domain], starts[domain + 1] - starts[domain]);
            out.writeInt(counts[domain]);
        }
        clear();
    }

    /** Reads a batch of counts that was written out. */
    static final class Reader {
        private static final int MOST_RECORD = 1 + MOST_LENGTH + Integer.BYTES;
        private static final int BUFFER = 1 << 13;

        private final InputStream in;
        private final byte[] buffer = new byte[BUFFER];
        private int at;
        private int limit;
        private int left;

        /** The length of the next domain, which begins at {@link #at}, and its hash. */
        private int length;

        private int hash;

        Reader(InputStream in) throws IOException {
            this.in = in;
            refill();
            require(Integer.BYTES);
            this.left = getInt();
            next();
        }

        /** Returns the number of domains that are left. */
        int left() {
            return left;
        }

        /** Moves all domains whose hash is not above {@code last} to a table. */
        void moveTo(DomainCounts table, int last) throws IOException {
            while (left > 0 && hash <= last) {
                int from = at;
                at += length;
                if (!table.add(buffer, from, from + length, getInt())) {
                    throw new IOException("more domains of one hash than there is room for");
                }
                left--;
                next();
            }
        }

        private void next() throws IOException {
            if (left == 0) {
                return;
            }
            if (limit - at < MOST_RECORD) {
                refill();
            }
            require(1);
            length = buffer[at++] & 0xff;
            require(length + Integer.BYTES);
            hash = DomainHash.of(buffer, at, at + length);
        }

        private void require(int bytes) throws EOFException {
            if (limit - at < bytes) {
                throw new EOFException("a temporary file ends within the counts of domains");
            }
        }

        private void refill() throws IOException {
            System.arraycopy(buffer, at, buffer, 0, limit - at);
            limit -= at;
            at = 0;
            limit += in.readNBytes(buffer, limit, BUFFER - limit);
        }

        private int getInt() {
            int value = (int) INTS.get(buffer, at);
            at += Integer.BYTES;
            return value;
        }
    }
}
