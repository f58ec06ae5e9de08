package io.github.senderwhitelist.address;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;

/**
 * A search for all senders at a domain, or at its subdomains if it begins with a dot, and for the
 * domains in a list that begin as it was written.
 */
public final class DomainSearch {
    private final byte[] begin;
    private final byte[] end;

    /** Makes a search for what was written after the {@code @}, and the canonical domain of it. */
    public DomainSearch(String written, String domain) {
        this.begin = ("\0" + written).getBytes(UTF_8);
        this.end = (domain.startsWith(".") ? domain : "\0" + domain).getBytes(UTF_8);
    }

    /** Returns what the bytes of the {@link Key} of a sender begin with that is searched for. */
    public byte[] begin() {
        return begin.clone();
    }

    /** Returns what they end with, if they do not begin so. */
    public byte[] end() {
        return end.clone();
    }

    /** Returns whether a sender is searched for. */
    public boolean matches(Key sender) {
        byte[] key = sender.bytes();
        int from = key.length - end.length;
        return (from >= 0 && Arrays.equals(key, from, key.length, end, 0, end.length))
                || (key.length >= begin.length
                        && Arrays.equals(key, 0, begin.length, begin, 0, begin.length));
    }
}
