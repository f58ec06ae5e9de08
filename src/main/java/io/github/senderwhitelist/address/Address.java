package io.github.senderwhitelist.address;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * An email address in canonical form, and the keys by which a list can have it: the address itself,
 * the address without its tag, its domain, and its parent domains from the nearest up. Only the
 * first is made in advance, since no filter knows most senders.
 */
public record Address(Key key) implements ParsedAddress {
    /**
     * What forwarders put into the envelope sender: Gmail {@code +caf_=}, Microsoft 365 {@code
     * +SRS=}, and others {@code SRS0} or {@code SRS1} with one of three separators (Shevek, "The
     * Sender Rewriting Scheme", 2004). It may be within a BATV signature.
     */
    private static final Pattern FORWARDED =
            Pattern.compile("\\+(?:caf_|srs)=|(?:^|[=+])srs[01][=+-]");

    /**
     * Returns the key of the address without its tag ({@code user+tag@d} → {@code user@d}), or null
     * without one. A quoted local part has none, nor one that begins with the delimiter.
     */
    public @Nullable Key keyWithoutTag(Subaddressing subaddressing) {
        byte[] bytes = key.bytes();
        int local = key.localLength();
        byte delimiter = subaddressing.delimiter();
        int tag = delimiter == 0 || bytes[0] == delimiter || bytes[0] == '"' ? local : 1;
        while (tag < local && bytes[tag] != delimiter) {
            tag++;
        }
        if (tag == local) {
            return null;
        }
        byte[] untagged = Arrays.copyOf(bytes, tag + bytes.length - local);
        System.arraycopy(bytes, local, untagged, tag, untagged.length - tag);
        return new Key(untagged, tag);
    }

    /**
     * Returns whether a forwarder has written the address in place of the envelope sender. The mail
     * is then somebody else's, and not of the account that forwards it.
     */
    public boolean isForwarded() {
        return FORWARDED.matcher(local()).find();
    }

    /**
     * Returns where in the bytes of the key the parent of the domain at {@code domain} begins,
     * which is at the next dot; -1 if it has none, as an address literal.
     */
    public int nextDomain(int domain) {
        byte[] bytes = key.bytes();
        int at = bytes[key.domainStart()] == '[' ? bytes.length : domain + 1;
        while (at < bytes.length && bytes[at] != '.') {
            at++;
        }
        return at < bytes.length ? at : -1;
    }

    /** Returns the key of the address, and the key without its tag if it has one. */
    public List<Key> addressKeys(Subaddressing subaddressing) {
        Key untagged = keyWithoutTag(subaddressing);
        return untagged == null ? List.of(key) : List.of(key, untagged);
    }

    /** Returns the keys of the domain and of its parent domains, from the nearest up. */
    public List<Key> domainKeys() {
        List<Key> keys = new ArrayList<>();
        for (int domain = key.domainStart(); domain >= 0; domain = nextDomain(domain)) {
            byte[] bytes = Arrays.copyOfRange(key.bytes(), domain, key.bytes().length);
            keys.add(Key.of(new byte[0], bytes));
        }
        return keys;
    }

    /** Returns the keys of all entries that can apply to this address, in their order. */
    public List<Key> keys(Subaddressing subaddressing) {
        List<Key> keys = new ArrayList<>(addressKeys(subaddressing));
        keys.addAll(domainKeys());
        return keys;
    }

    /** Returns the canonical local part. */
    public String local() {
        return new String(key.bytes(), 0, key.localLength(), UTF_8);
    }

    /** Returns the canonical domain. */
    public String domain() {
        int from = key.domainStart();
        return new String(key.bytes(), from, key.bytes().length - from, UTF_8);
    }

    /** Returns the canonical address. */
    @Override
    public String toString() {
        return new String(key.bytes(), UTF_8).replace('\0', '@');
    }
}
