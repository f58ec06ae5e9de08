package io.github.senderwhitelist.address;

import java.util.Arrays;

/**
 * A key as one string of bytes, {@code local 00 domain}, whose plain byte order is the order of
 * keys: no canonical local part or domain holds a zero byte, so the zero ends the shorter of two
 * local parts before the longer.
 */
public final class SortKey {
    /** The longest there is: a leading dot makes a domain one byte longer. */
    public static final int MAX_LENGTH = AddressSyntax.MAX_LOCAL + 1 + 1 + Domains.MAX_LENGTH;

    private SortKey() {}

    /** The bytes {@code local 00 domain}. */
    public static byte[] of(Key key) {
        byte[] flat = new byte[key.localLength() + 1 + key.domainLength()];
        System.arraycopy(key.bytes(), 0, flat, 0, key.localLength());
        System.arraycopy(
                key.bytes(), key.domainStart(), flat, key.localLength() + 1, key.domainLength());
        return flat;
    }

    /** The length of the local part of the sort key that begins at {@code from}. */
    public static int localLength(byte[] bytes, int from) {
        int at = from;
        while (bytes[at] != 0) {
            at++;
        }
        return at - from;
    }

    /** The shortest prefix of {@code key[0, length)} that is greater than {@code before}. */
    public static byte[] separator(byte[] before, int beforeLength, byte[] key, int length) {
        return Arrays.copyOf(key, Arrays.mismatch(before, 0, beforeLength, key, 0, length) + 1);
    }
}
