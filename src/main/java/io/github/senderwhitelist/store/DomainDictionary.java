package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.DomainHash;
import io.github.senderwhitelist.address.ShortBytes;
import io.github.senderwhitelist.coding.BitReader;
import io.github.senderwhitelist.coding.BitWriter;
import io.github.senderwhitelist.coding.ContextCode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The domains that many keys share. Each has a rank; 0 is the commonest. In memory they are one
 * array of bytes, and the offsets of the domains in it.
 *
 * <p>Serial form: number of domains (u32), then bits as in {@link BlockFormat}: for each rank 0 and
 * its characters and the end by the code of {@link Field#DOMAIN_NEXT}, or 1, its length (8 bits),
 * and its bytes (8 bits each).
 *
 * <p>The domains have no more than {@value #MOST_RATIO} times the bytes of the serial form, or
 * {@value #ALWAYS_ALLOWED}. So a reader allocates no more than its length allows.
 */
final class DomainDictionary {
    private static final int MOST_LENGTH = 255;
    private static final int MOST_RATIO = 64;
    private static final int ALWAYS_ALLOWED = 1 << 20;

    private final byte[] text;
    private final int[] offsets;

    private DomainDictionary(byte[] text, int[] offsets) {
        this.text = text;
        this.offsets = offsets;
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
     * Reads the serial form, which is all of a buffer.
     *
     * @param code the code of {@link Field#DOMAIN_NEXT}
     * @throws IOException if it is not valid
     */
    static DomainDictionary read(ByteBuffer serial, ContextCode code) throws IOException {
        int size = serial.remaining() < Integer.BYTES ? -1 : serial.getInt();
        int bytes = serial.remaining();
        if (size < 0 || size > (long) Byte.SIZE * bytes || bytes > Integer.MAX_VALUE / Byte.SIZE) {
            throw new IOException(
                    "domain dictionary of " + size + " domains in " + bytes + " bytes");
        }
        byte[] padded = new byte[bytes + BitReader.PADDING];
        serial.get(padded, 0, bytes);
        BitReader in = new BitReader(padded);
        int[] offsets = new int[size + 1];
        byte[] text = new byte[1 << 10];
        byte[] domain = new byte[MOST_LENGTH + 1];
        try {
            for (int rank = 0; rank < size; rank++) {
                int length = readDomain(in, code, domain);
                int end = offsets[rank] + length;
                if (length == 0 || end > mostText(bytes) || in.position() > Byte.SIZE * bytes) {
                    throw new IndexOutOfBoundsException(end);
                }
                if (end > text.length) {
                    text = Arrays.copyOf(text, Math.max(end, 2 * text.length));
                }
                System.arraycopy(domain, 0, text, offsets[rank], length);
                offsets[rank + 1] = end;
            }
        } catch (IndexOutOfBoundsException e) {
            throw new IOException("domain dictionary of " + size + " domains makes no sense", e);
        }
        return new DomainDictionary(Arrays.copyOf(text, offsets[size]), offsets);
    }

    private static int readDomain(BitReader in, ContextCode code, byte[] domain) {
        if (in.bits(1) == 0) {
            return Characters.read(in, code, domain, 0);
        }
        int length = in.bits(Byte.SIZE);
        in.bytes(domain, 0, length);
        return length;
    }

    private static long mostText(int bytes) {
        return Math.max(ALWAYS_ALLOWED, (long) MOST_RATIO * bytes);
    }

    /** Counts the characters of all domains. */
    void count(FieldCounts counts) {
        for (int rank = 0; rank < size(); rank++) {
            Characters.write(counts, Field.DOMAIN_NEXT, text, offsets[rank], offsets[rank + 1], 0);
        }
    }

    /** Returns the serial form, given codes for all that {@link #count} counted. */
    byte[] serial(EntryCodes codes) {
        byte[] coded = serial(codes, true);
        return text.length > mostText(coded.length - Integer.BYTES) ? serial(codes, false) : coded;
    }

    private byte[] serial(EntryCodes codes, boolean coded) {
        // A code has at most a byte; a domain has an end or a length, and a bit before it.
        BitWriter bits = new BitWriter(Math.addExact(text.length, 3 * size() + Integer.BYTES));
        FieldBits sink = new FieldBits(codes, bits);
        bits.put(size() & 0xffff, Short.SIZE);
        bits.put(size() >>> Short.SIZE, Short.SIZE);
        for (int rank = 0; rank < size(); rank++) {
            int mark = bits.position();
            bits.put(0, 1);
            if (!coded
                    || !Characters.write(
                            sink, Field.DOMAIN_NEXT, text, offsets[rank], offsets[rank + 1], 0)) {
                bits.truncate(mark);
                bits.put(1, 1);
                bits.put(length(rank), Byte.SIZE);
                sink.bytes(text, offsets[rank], offsets[rank + 1]);
            }
        }
        return bits.bytes();
    }

    int size() {
        return offsets.length - 1;
    }

    int length(int rank) {
        return offsets[rank + 1] - offsets[rank];
    }

    byte[] domain(int rank) {
        return Arrays.copyOfRange(text, offsets[rank], offsets[rank + 1]);
    }

    /** Copies the domain of that rank to {@code to[at …)}, and returns its length. */
    int copy(int rank, byte[] to, int at) {
        ShortBytes.copy(text, offsets[rank], to, at, length(rank));
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

    /** Returns the hash of the domain of that rank. */
    int hash(int rank) {
        return DomainHash.of(text, offsets[rank], offsets[rank + 1]);
    }

    /** Returns the memory of the dictionary, in bytes. */
    long memory() {
        return text.length + 4L * offsets.length;
    }
}
