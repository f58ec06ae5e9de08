package io.github.senderwhitelist.address;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

/**
 * An address in canonical form, and the keys it is looked up by, the most specific first: the
 * address itself, the address without its tag, its domain, then its parent domains from the nearest
 * up.
 *
 * <p>Only the key of the address itself is made ahead; the others are made when they are asked for,
 * so that a stranger whom the filter turns away costs one array and two small objects.
 */
public final class Address {
    private final Key key;

    Address(Key key) {
        this.key = key;
    }

    /** The key of the whole address. */
    public Key key() {
        return key;
    }

    /**
     * The key of the address without its tag ({@code user+tag@d} → {@code user@d}), or null when it
     * has none. An address that begins with the delimiter has no tag; neither has a quoted local
     * part.
     */
    public @Nullable Key keyWithoutTag(Subaddressing subaddressing) {
        byte[] bytes = key.bytes();
        int tag = subaddressing.tagStart(bytes, key.localLength());
        if (tag < 0) {
            return null;
        }
        byte[] untagged = new byte[tag + 1 + key.domainLength()];
        System.arraycopy(bytes, 0, untagged, 0, tag);
        System.arraycopy(bytes, key.localLength(), untagged, tag, 1 + key.domainLength());
        return Key.ofAddress(untagged, tag);
    }

    /** Where the domain begins in {@code key().bytes()}: the start of the first domain key. */
    public int firstDomain() {
        return key.domainStart();
    }

    /**
     * The start of the domain key that follows the one at {@code domain}: the next dot, or -1 after
     * the last. An address literal has no parent domains.
     */
    public int nextDomain(int domain) {
        byte[] bytes = key.bytes();
        if (bytes[key.domainStart()] == '[') {
            return -1;
        }
        for (int i = domain + 1; i < bytes.length; i++) {
            if (bytes[i] == '.') {
                return i;
            }
        }
        return -1;
    }

    /** The domain key that begins at {@code domain}. */
    public Key domainKey(int domain) {
        return Key.ofDomain(key.bytes(), domain);
    }

    /** Whether a key is one of those that this address is looked up by. */
    public boolean hasKey(Key wanted, Subaddressing subaddressing) {
        if (!wanted.isDomain()) {
            return wanted.equals(key) || wanted.equals(keyWithoutTag(subaddressing));
        }
        for (int domain = firstDomain(); domain >= 0; domain = nextDomain(domain)) {
            if (wanted.equals(domainKey(domain))) {
                return true;
            }
        }
        return false;
    }

    /** The canonical local part. */
    public String local() {
        return new String(key.bytes(), 0, key.localLength(), UTF_8);
    }

    /** The canonical domain. */
    public String domain() {
        return new String(key.bytes(), key.domainStart(), key.domainLength(), UTF_8);
    }

    @Override
    public boolean equals(@Nullable Object object) {
        return object instanceof Address other && key.equals(other.key);
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    /** The canonical address. */
    @Override
    public String toString() {
        return new String(key.bytes(), UTF_8);
    }
}
