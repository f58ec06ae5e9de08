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
 * The counts of domains, in a hash table that grows up to a bound. For one thread.
 *
 * <p>When the table is full, its counts are written out as a batch in the order of the hashes of
 * domains, and it is cleared but for the first domains, which keep their numbers. That order costs
 * only a sort of numbers, and lets the counts of all batches be added up for a range of hashes in a
 * small table.
 *
 * <p>Counts stop at the greatest int.
 */
final class DomainCounts {
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private static final int BYTES_PER_DOMAIN = DomainTable.BYTES_PER_DOMAIN + Integer.BYTES;
    private static final int LEAST = 1024;
    private static final int MOST = 1 << 24;
    private static final int MOST_LENGTH = 255;

    /**
     * The result for a domain that was counted, but whose number may be given to another one later.
     */
    static final int NOT_KEPT = -1;

    /** The result for a domain that was not counted, for lack of room. */
    static final int NO_ROOM = -2;

    private final DomainTable domains;

    /** The domains with a number below this keep it. They take half of the room at most. */
    private int kept;

    private int[] counts = {};

    /**
     * Creates an empty table.
     *
     * @param memory the most bytes that it may take
     * @param mostKept how many domains keep their numbers at most
     * @param firstId see {@link DomainTable}
     */
    DomainCounts(long memory, int mostKept, int firstId) {
        int most = Math.clamp(memory / BYTES_PER_DOMAIN, LEAST, MOST);
        this.domains = new DomainTable(most, firstId);
        this.kept = Math.min(most / 2, mostKept);
    }

    /** Creates an empty table without a bound in practice, in which no domain keeps its number. */
    DomainCounts() {
        this.domains = new DomainTable(MOST, 0);
        this.kept = 0;
    }

    /** Returns the table of domains by number. */
    DomainTable domains() {
        return domains;
    }

    /** Takes domains with their counts. */
    @FunctionalInterface
    interface Visitor {
        /** Takes the domain {@code text[from, to)}. */
        void visit(byte[] text, int from, int to, int count);
    }

    /**
     * Adds to the count of the domain {@code bytes[from, to)}. Returns the number that it keeps, or
     * {@link #NOT_KEPT}; or {@link #NO_ROOM}.
     */
    int add(byte[] bytes, int from, int to, int times) {
        int domain = domains.number(bytes, from, to);
        if (domain < 0) {
            return NO_ROOM;
        }
        if (domain >= counts.length) {
            counts = Arrays.copyOf(counts, 2 * domain + 1);
        }
        counts[domain] = (int) Math.min(Integer.MAX_VALUE, (long) counts[domain] + times);
        if (domain < kept && domains.start(domain + 1) > domains.mostText() / 2) {
            kept = domain;
        }
        return domain < kept ? domain : NOT_KEPT;
    }

    /** Passes all domains to a visitor. */
    void forEach(Visitor visitor) {
        for (int domain = 0; domain < domains.size(); domain++) {
            visitor.visit(
                    domains.text(),
                    domains.start(domain),
                    domains.start(domain + 1),
                    counts[domain]);
        }
    }

    void clear() {
        Arrays.fill(counts, 0, domains.size(), 0);
        domains.keep(kept);
    }

    /**
     * Writes the number of domains (u32) and the counts in the order of the hashes of domains, each
     * as length of the domain (u8), its bytes, count (u32). Clears the table but for those kept.
     */
    void drainTo(DataOutputStream out) throws IOException {
        long[] order = new long[domains.size()];
        int counted = 0;
        for (int domain = 0; domain < order.length; domain++) {
            if (counts[domain] > 0) {
                order[counted++] = (long) domains.hash(domain) << Integer.SIZE | domain;
            }
        }
        Arrays.sort(order, 0, counted);
        out.writeInt(counted);
        for (int i = 0; i < counted; i++) {
            int domain = (int) order[i];
            out.writeByte(domains.length(domain));
            out.write(domains.text(), domains.start(domain), domains.length(domain));
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
                if (table.add(buffer, from, from + length, getInt()) == NO_ROOM) {
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
