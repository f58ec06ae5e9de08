package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.DomainHash;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The domains that many keys share. Each has a rank; 0 is the commonest. In memory they are one
 * array of bytes, the offsets of the domains in it, and a hash table of ranks.
 *
 * <p>Serial form: number of domains (u32), then for each rank its length (u8) and bytes.
 */
final class DomainDictionary {
    /** A slot of the table without a domain; also the rank of other domains. */
    private static final int FREE = -1;

    /** The table of more would be too large. */
    private static final int MOST = (1 << 29) - 1;

    private final byte[] text;
    private final int[] offsets;
    private final int[] table;

    private DomainDictionary(byte[] text, int[] offsets) {
        this.text = text;
        this.offsets = offsets;
        this.table = new int[Integer.highestOneBit(Math.max(4, size() * 2)) * 2];
        Arrays.fill(table, FREE);
        for (int rank = 0; rank < size(); rank++) {
            int slot = slot(text, offsets[rank], offsets[rank + 1]);
            if (table[slot] == FREE) {
                table[slot] = rank;
            }
        }
    }

    /** Creates the dictionary of these domains, the commonest first. */
    static DomainDictionary of(List<byte[]> domains) {
        int[] offsets = new int[domains.size() + 1];
        for (int i = 0; i < domains.size(); i++) {
            offsets[i + 1] = Math.addExact(offsets[i], domains.get(i).length);
        }
        byte[] text = new byte[offsets[domains.size()]];
        for (int i = 0; i < domains.size(); i++) {
            System.arraycopy(domains.get(i), 0, text, offsets[i], domains.get(i).length);
        }
        return new DomainDictionary(text, offsets);
    }

    /**
     * Reads the serial form. No more is allocated than its length allows.
     *
     * @throws IOException if it makes no sense
     */
    static DomainDictionary read(ByteBuffer serial) throws IOException {
        int size = serial.remaining() < Integer.BYTES ? -1 : serial.getInt();
        if (size < 0 || size > Math.min(MOST, serial.remaining() / 2)) {
            throw new IOException(
                    "domain dictionary of "
                            + size
                            + " domains in "
                            + serial.remaining()
                            + " bytes");
        }
        int[] offsets = new int[size + 1];
        byte[] text = new byte[serial.remaining() - size];
        for (int i = 0; i < size; i++) {
            int length = serial.hasRemaining() ? serial.get() & 0xff : Integer.MAX_VALUE;
            if (length > serial.remaining() || length > text.length - offsets[i]) {
                throw new IOException("domain dictionary ends within domain " + i);
            }
            if (length == 0) {
                throw new IOException("domain dictionary has no text for domain " + i);
            }
            serial.get(text, offsets[i], length);
            offsets[i + 1] = offsets[i] + length;
        }
        return new DomainDictionary(text, offsets);
    }

    byte[] serial() {
        ByteBuffer serial =
                ByteBuffer.allocate(Math.addExact(Integer.BYTES + size(), text.length))
                        .order(Serial.ORDER);
        serial.putInt(size());
        for (int rank = 0; rank < size(); rank++) {
            serial.put((byte) length(rank));
            serial.put(text, offsets[rank], length(rank));
        }
        return serial.array();
    }

    int size() {
        return offsets.length - 1;
    }

    int length(int rank) {
        return offsets[rank + 1] - offsets[rank];
    }

    /** Returns the first byte of the domain of that rank, which is not empty. */
    byte first(int rank) {
        return text[offsets[rank]];
    }

    byte[] domain(int rank) {
        return Arrays.copyOfRange(text, offsets[rank], offsets[rank + 1]);
    }

    /** Copies the domain of that rank to {@code to[at …)}, and returns its length. */
    int copy(int rank, byte[] to, int at) {
        System.arraycopy(text, offsets[rank], to, at, length(rank));
        return length(rank);
    }

    /** Returns whether {@code bytes[from, to)} is the domain of that rank. */
    boolean isDomain(int rank, byte[] bytes, int from, int to) {
        return Arrays.equals(bytes, from, to, text, offsets[rank], offsets[rank + 1]);
    }

    /** Compares {@code bytes[from, to)} with the domain of that rank, as unsigned bytes. */
    int compare(byte[] bytes, int from, int to, int rank) {
        return Arrays.compareUnsigned(bytes, from, to, text, offsets[rank], offsets[rank + 1]);
    }

    /** Returns the rank of the domain {@code bytes[from, to)}, or -1 if it has none. */
    int rank(byte[] bytes, int from, int to) {
        return table[slot(bytes, from, to)];
    }

    /** Returns the slot of the domain {@code bytes[from, to)}, or a free one if it has no rank. */
    private int slot(byte[] bytes, int from, int to) {
        int slot = DomainHash.of(bytes, from, to) & (table.length - 1);
        while (table[slot] != FREE && !isDomain(table[slot], bytes, from, to)) {
            slot = (slot + 1) & (table.length - 1);
        }
        return slot;
    }

    /** Returns the memory it takes, in bytes. */
    long memory() {
        return text.length + 4L * offsets.length + 4L * table.length;
    }
}
