package io.github.senderwhitelist.address;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;

/**
 * The key of an entry, by which lists are searched: an address ({@code local@domain}), a domain
 * ({@code @domain}), or the subdomains of a domain ({@code @.domain}). Its bytes are the canonical
 * form in UTF-8, with a zero byte for the {@code @}, which is in no part. So the local part of a
 * domain key is empty, and the domain of a subdomain key begins with a dot. Keys are ordered by
 * these bytes, as unsigned: by local part, and then by domain.
 *
 * @param bytes the local part, a zero byte, and the domain; not copied, and not to be changed
 * @param localLength the length of the local part in bytes
 */
@SuppressWarnings("ArrayRecordComponent") // compared by its content
public record Key(byte[] bytes, int localLength) implements Comparable<Key> {
    /** Returns the key with this local part, which a domain key has empty, and this domain. */
    public static Key of(byte[] local, byte[] domain) {
        byte[] bytes = Arrays.copyOf(local, local.length + 1 + domain.length);
        System.arraycopy(domain, 0, bytes, local.length + 1, domain.length);
        return new Key(bytes, local.length);
    }

    /** Returns whether this is the key of a domain or of its subdomains. */
    public boolean isDomain() {
        return localLength == 0;
    }

    /** Returns the index at which the domain begins. It ends with the array. */
    public int domainStart() {
        return localLength + 1;
    }

    /** Returns the index from which on a {@link KeyHasher} takes the array: 0 for an address. */
    public int hashedFrom() {
        return localLength == 0 ? 1 : 0;
    }

    @Override
    public int compareTo(Key other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof Key other && Arrays.equals(bytes, other.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    /**
     * Returns the key as a list writes it: {@code local@domain}, {@code @domain} or
     * {@code @.domain}. A local part that would mean something else in a list is put in quotes.
     */
    @Override
    public String toString() {
        String text = new String(bytes, UTF_8).replace('\0', '@');
        return text.startsWith("!") || text.startsWith("#") || text.startsWith("*@")
                ? '"' + text.replaceFirst("@", "\"@")
                : text;
    }
}
