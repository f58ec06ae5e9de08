package io.github.senderwhitelist.store;

import io.github.senderwhitelist.address.Key;

import java.util.Arrays;

/**
 * A key as one string of bytes, {@code local 00 domain}, whose plain byte order is the order of
 * keys: no canonical local part or domain holds a zero byte, so the zero ends the shorter of two
 * local parts before the longer.
 */
public final class SortKey {
    private SortKey() {}

    /** The bytes {@code local 00 domain}. */
    public static byte[] of(Key key) {
        byte[] flat = new byte[key.localLength() + 1 + key.domainLength()];
        System.arraycopy(key.bytes(), 0, flat, 0, key.localLength());
        System.arraycopy(
                key.bytes(), key.domainStart(), flat, key.localLength() + 1, key.domainLength());
        return flat;
    }

    /**
     * The shortest prefix of {@code key} that is greater than {@code before}, which is less than
     * {@code key}.
     */
    static byte[] separator(byte[] before, byte[] key) {
        return Arrays.copyOf(key, Arrays.mismatch(before, key) + 1);
    }
}
