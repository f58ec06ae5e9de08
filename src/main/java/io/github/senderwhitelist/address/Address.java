package io.github.senderwhitelist.address;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * An email address in canonical form, and the keys by which a list can have it. From the most
 * specific to the widest, these are the address itself, the address without its tag, its domain,
 * and its parent domains from the nearest up.
 *
 * <p>Only the key of the address itself is made in advance. The others are made on demand, so
 * checking a sender that no filter knows allocates one array and two small objects.
 */
public final class Address {
    /**
     * What forwarders put into the envelope sender: Gmail {@code +caf_=}, Microsoft 365 {@code
     * +SRS=}, and others {@code SRS0} or {@code SRS1} with one of three separators (Shevek, "The
     * Sender Rewriting Scheme", 2004). It may be within a BATV signature.
     */
    private static final Pattern FORWARDED =
            Pattern.compile("\\+(?:caf_|srs)=|(?:^|[=+])srs[01][=+-]");

    private final Key key;

    Address(Key key) {
        this.key = key;
    }

    /** Returns the key of the whole address. */
    public Key key() {
        return key;
    }

    /**
     * Returns the key of the address without its tag ({@code user+tag@d} → {@code user@d}), or null
     * when it has no tag. An address that begins with the delimiter has no tag, and neither has a
     * quoted local part.
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

    /**
     * Returns whether a forwarder has written the address in place of the envelope sender. The mail
     * is then somebody else's, and not of the account that forwards it.
     */
    public boolean isForwarded() {
        return FORWARDED.matcher(local()).find();
    }

    /**
     * Returns the index in {@code key().bytes()} at which the first domain key begins, which is
     * that of the domain.
     */
    public int firstDomain() {
        return key.domainStart();
    }

    /**
     * Returns the index at which the domain key after the one at {@code domain} begins, which is
     * that of the next dot. Returns -1 when there is none, and always for an address literal, which
     * has no parent domains.
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

    /** Returns the domain key that begins at {@code domain}. */
    public Key domainKey(int domain) {
        return Key.ofDomain(key.bytes(), domain);
    }

    /** Returns the key of the address, and the key without its tag if it has one. */
    public List<Key> addressKeys(Subaddressing subaddressing) {
        Key untagged = keyWithoutTag(subaddressing);
        return untagged == null ? List.of(key) : List.of(key, untagged);
    }

    /**
     * Returns the keys of all entries that can apply to this address: {@link #addressKeys}, and
     * those of its domain and its parent domains.
     */
    public List<Key> keys(Subaddressing subaddressing) {
        List<Key> keys = new ArrayList<>(addressKeys(subaddressing));
        for (int domain = firstDomain(); domain >= 0; domain = nextDomain(domain)) {
            keys.add(domainKey(domain));
        }
        return keys;
    }

    /** Returns the canonical local part. */
    public String local() {
        return new String(key.bytes(), 0, key.localLength(), UTF_8);
    }

    /** Returns the canonical domain. */
    public String domain() {
        return new String(key.bytes(), key.domainStart(), key.domainLength(), UTF_8);
    }

    @Override
    public boolean equals(@Nullable Object object) {
        return this == object || (object instanceof Address other && key.equals(other.key));
    }

    @Override
    public int hashCode() {
        return key.hashCode();
    }

    /** Returns the canonical address. */
    @Override
    public String toString() {
        return new String(key.bytes(), UTF_8);
    }
}
