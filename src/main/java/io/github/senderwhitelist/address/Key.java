package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The key of an entry, by which lists are searched: an address ({@code local@domain}), a domain
 * ({@code @domain}), or the subdomains of a domain ({@code @.domain}). A key is in canonical form,
 * as UTF-8.
 *
 * <p>A key is a view of an array. Its local part is {@code bytes[0, localLength)}, and its domain
 * is {@code bytes[domainStart, bytes.length)}. So the domain keys of an address share the array of
 * the address, and making one copies nothing. The local part of a domain key is empty. The domain
 * of a subdomain key begins with a dot.
 *
 * <p>Keys are ordered by local part, then by domain, both as unsigned bytes. The exact store keeps
 * them in this order.
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
     * Returns the key of an address that is already in canonical form. The array is not copied.
     *
     * @param bytes the local part, an {@code @}, and the domain
     * @param localLength the length of the local part in bytes
     */
    public static Key ofAddress(byte[] bytes, int localLength) {
        return new Key(bytes, localLength, localLength + 1);
    }

    /**
     * Returns the domain key for {@code bytes[domainStart, bytes.length)}. The array is not copied.
     */
    static Key ofDomain(byte[] bytes, int domainStart) {
        return new Key(bytes, 0, domainStart);
    }

    /**
     * Returns the key with this local part and this domain, both copied. With an empty local part
     * it is a domain key.
     */
    public static Key of(byte[] local, byte[] domain) {
        byte[] bytes = Arrays.copyOf(local, local.length + 1 + domain.length);
        bytes[local.length] = '@';
        System.arraycopy(domain, 0, bytes, local.length + 1, domain.length);
        return new Key(bytes, local.length, local.length + 1);
    }

    /**
     * Returns whether this is the key of a domain or of its subdomains rather than of one address.
     */
    public boolean isDomain() {
        return localLength == 0;
    }

    /** Returns the array that this key is a view of. It must not be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns the length of the local part in bytes. The local part begins at index 0. */
    public int localLength() {
        return localLength;
    }

    /** Returns the index at which the domain begins. The domain ends with the array. */
    public int domainStart() {
        return domainStart;
    }

    /** Returns the index from which on a {@link KeyHasher} takes the array: 0 for an address. */
    public int hashedFrom() {
        return localLength == 0 ? domainStart : 0;
    }

    /** Returns the length of the domain in bytes. */
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
     * Returns the key as a list writes it: {@code local@domain}, {@code @domain} or
     * {@code @.domain}. A local part that would mean something else in a list is put in quotes.
     */
    @Override
    public String toString() {
        if (localLength > 0 && domainStart == localLength + 1 && isLetterOrDigit(bytes[0])) {
            return new String(bytes, StandardCharsets.UTF_8);
        }
        String local = new String(bytes, 0, localLength, StandardCharsets.UTF_8);
        String domain = new String(bytes, domainStart, domainLength(), StandardCharsets.UTF_8);
        boolean ambiguous = local.startsWith("!") || local.startsWith("#") || local.equals("*");
        return (ambiguous ? '"' + local + '"' : local) + '@' + domain;
    }

    private static boolean isLetterOrDigit(byte b) {
        return (b >= 'a' && b <= 'z') || (b >= '0' && b <= '9');
    }
}
