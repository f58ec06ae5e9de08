package io.github.senderwhitelist.sort;

import io.github.senderwhitelist.address.DomainHash;

import java.util.Arrays;

/**
 * A hash table that numbers domains from 0 on, in the order in which they come, and grows up to a
 * bound. For one thread.
 */
final class DomainTable {
    /** The approximate memory of a domain, in bytes. */
    static final int BYTES_PER_DOMAIN = 32;

    private static final int TEXT_PER_DOMAIN = 12;
    private static final int FIRST_ROOM = 1024;
    private static final int FREE = -1;

    private final int firstId;
    private final int most;
    private byte[] text;
    private int[] starts;
    private int[] table;
    private int domains;

    /**
     * Creates an empty table of at most {@code most} domains.
     *
     * @param firstId the id of domain 0; that of the next one is greater by one, and so on
     */
    DomainTable(int most, int firstId) {
        this.firstId = firstId;
        this.most = most;
        int room = Math.min(most, FIRST_ROOM);
        this.text = new byte[room * TEXT_PER_DOMAIN];
        this.starts = new int[room + 1];
        this.table = freeTable(Math.max(1, room));
    }

    /**
     * Returns the number of the domain {@code bytes[from, to)}, which gets one if it has none;
     * returns -1 if there is no room for that.
     */
    int number(byte[] bytes, int from, int to) {
        int slot = DomainHash.of(bytes, from, to) & (table.length - 1);
        while (table[slot] != FREE) {
            int domain = table[slot];
            if (Arrays.equals(bytes, from, to, text, starts[domain], starts[domain + 1])) {
                return domain;
            }
            slot = (slot + 1) & (table.length - 1);
        }
        int start = starts[domains];
        if (domains == starts.length - 1 || to - from > text.length - start) {
            return grow() ? number(bytes, from, to) : -1;
        }
        System.arraycopy(bytes, from, text, start, to - from);
        table[slot] = domains;
        starts[domains + 1] = start + to - from;
        return domains++;
    }

    private static int[] freeTable(int domains) {
        int[] table = new int[Integer.highestOneBit(domains) * 2];
        Arrays.fill(table, FREE);
        return table;
    }

    /** Makes more room; returns false if the table may not become larger. */
    private boolean grow() {
        if (starts.length - 1 == most) {
            return false;
        }
        int room = (int) Math.min(most, 2L * (starts.length - 1));
        text = Arrays.copyOf(text, room * TEXT_PER_DOMAIN);
        starts = Arrays.copyOf(starts, room + 1);
        table = freeTable(room);
        fill();
        return true;
    }

    /** Returns the id of the domain with this number. */
    int id(int number) {
        return firstId + number;
    }

    /** Returns the number of the domain with this id, or -1 if it is not in this table. */
    int ofId(int id) {
        int number = id - firstId;
        return number >= 0 && number < domains ? number : -1;
    }

    /** Returns the hash of the domain with this number. */
    int hash(int number) {
        return DomainHash.of(text, starts[number], starts[number + 1]);
    }

    /** Returns the bytes that the texts of all domains can have. */
    long mostText() {
        return (long) most * TEXT_PER_DOMAIN;
    }

    /** Returns the number of domains. */
    int size() {
        return domains;
    }

    /** Returns the array that holds the texts of all domains. */
    byte[] text() {
        return text;
    }

    /** Returns where in {@link #text} a domain begins; it ends where the next one begins. */
    int start(int number) {
        return starts[number];
    }

    /** Returns the length of a domain. */
    int length(int number) {
        return starts[number + 1] - starts[number];
    }

    /** Forgets all domains but the first ones. */
    void keep(int first) {
        domains = Math.min(domains, first);
        Arrays.fill(table, FREE);
        fill();
    }

    /** Frees the memory that only new domains need. None may be added after this call. */
    void end() {
        text = Arrays.copyOf(text, starts[domains]);
        starts = Arrays.copyOf(starts, domains + 1);
        table = new int[0];
    }

    private void fill() {
        for (int domain = 0; domain < domains; domain++) {
            int slot = hash(domain) & (table.length - 1);
            while (table[slot] != FREE) {
                slot = (slot + 1) & (table.length - 1);
            }
            table[slot] = domain;
        }
    }
}
