package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * What a list is asked for: an address ({@code local@domain}), a domain ({@code @domain}) or the
 * subdomains of one ({@code @.domain}), in canonical form, as UTF-8.
 *
 * <p>A key is a view: its local part is {@code bytes[0, localLength)}, its domain {@code
 * bytes[domainStart, bytes.length)}. So the domain keys of an address are views of that address and
 * cost no copy. The local part of a domain key is empty; the domain of a subdomain key begins with
 * a dot.
 *
 * <p>The order of keys is the order of the exact store: by local part, then by domain, both as
 * unsigned bytes.
 */
public final class Key implements Comparable<Key> {
    private final byte[] bytes;
    private final int localLength;
    private final int domainStart;

    private Key(byte[] bytes, int localLength, int domainStart) {
        this.bytes = bytes;
        this.localLength = localLength;
        this.domainStart = domainStart;
    }

    /**
     * The key whose bytes these are; {@code localLength} of them, an {@code @}, then the domain.
     * Takes no copy.
     */
    public static Key ofAddress(byte[] bytes, int localLength) {
        return new Key(bytes, localLength, localLength + 1);
    }

    /** The domain key for {@code bytes[domainStart, bytes.length)}. Takes no copy. */
    static Key ofDomain(byte[] bytes, int domainStart) {
        return new Key(bytes, 0, domainStart);
    }

    /** The key made of these two parts, copied. An empty local part makes a domain key. */
    public static Key of(byte[] local, byte[] domain) {
        byte[] bytes = Arrays.copyOf(local, local.length + 1 + domain.length);
        bytes[local.length] = '@';
        System.arraycopy(domain, 0, bytes, local.length + 1, domain.length);
        return new Key(bytes, local.length, local.length + 1);
    }

    /**
     * Whether this key stands for a domain or the subdomains of one rather than for one address.
     */
    public boolean isDomain() {
        return localLength == 0;
    }

    /** The array this key is a view of; not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** The length of the local part in bytes; it begins at 0. */
    public int localLength() {
        return localLength;
    }

    /** Where the domain begins; it ends with the array. */
    public int domainStart() {
        return domainStart;
    }

    /** The length of the domain in bytes. */
    int domainLength() {
        return bytes.length - domainStart;
    }

    @Override
    public int compareTo(Key other) {
        int local =
                Arrays.compareUnsigned(bytes, 0, localLength, other.bytes, 0, other.localLength);
        return local != 0
                ? local
                : Arrays.compareUnsigned(
                        bytes,
                        domainStart,
                        bytes.length,
                        other.bytes,
                        other.domainStart,
                        other.bytes.length);
    }

    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof Key other && compareTo(other) == 0;
    }

    @Override
    public int hashCode() {
        int hash = localLength;
        for (int i = 0; i < localLength; i++) {
            hash = 31 * hash + bytes[i];
        }
        for (int i = domainStart; i < bytes.length; i++) {
            hash = 31 * hash + bytes[i];
        }
        return hash;
    }

    /**
     * The key as a list writes it: {@code local@domain}, {@code @domain}, {@code @.domain}; in
     * quotes where a local part without them would mean something else there.
     */
    @Override
    public String toString() {
        String local = new String(bytes, 0, localLength, StandardCharsets.UTF_8);
        String domain = new String(bytes, domainStart, domainLength(), StandardCharsets.UTF_8);
        boolean ambiguous = local.startsWith("!") || local.startsWith("#") || local.equals("*");
        return (ambiguous ? '"' + local + '"' : local) + '@' + domain;
    }
}
