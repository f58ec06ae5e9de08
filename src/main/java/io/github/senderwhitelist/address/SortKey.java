package io.github.senderwhitelist.address;

import java.util.Arrays;

/**
 * A key as the bytes {@code local 00 domain}. The order of these bytes, compared as unsigned, is
 * the order of keys: neither part contains a zero byte, so a local part sorts before all longer
 * ones that begin with it.
 */
public final class SortKey {
    /**
     * The longest sort key, in bytes. The domain of a subdomain key has a leading dot, which is one
     * more byte.
     */
    public static final int MAX_LENGTH = AddressSyntax.MAX_LOCAL + 1 + 1 + Domains.MAX_LENGTH;

    private SortKey() {}

    /** Returns the sort key of a key, as a new array. */
    public static byte[] of(Key key) {
        byte[] flat = new byte[key.localLength() + 1 + key.domainLength()];
        System.arraycopy(key.bytes(), 0, flat, 0, key.localLength());
        System.arraycopy(
                key.bytes(), key.domainStart(), flat, key.localLength() + 1, key.domainLength());
        return flat;
    }

    /** Returns the length of the local part of the sort key that begins at {@code from}. */
    public static int localLength(byte[] bytes, int from) {
        int at = from;
        while (bytes[at] != 0) {
            at++;
        }
        return at - from;
    }

    /** Returns the shortest prefix of {@code key[0, length)} that sorts after {@code before}. */
    public static byte[] separator(byte[] before, int beforeLength, byte[] key, int length) {
        return Arrays.copyOf(key, Arrays.mismatch(before, 0, beforeLength, key, 0, length) + 1);
    }
}
