package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.List;

/**
 * The sort key of an entry, as bytes. For all recipients of a sender it is its key, {@code local 00
 * domain}. For some recipients it is {@code local 00 domain 00 kind local 00 domain}: the key of
 * the sender, a byte for the {@link RecipientKind} (1 address, 2 domain, 3 subdomains), and the key
 * of the recipients.
 *
 * <p>The order of entries is that of these bytes, as unsigned. No part contains a zero byte. So a
 * part sorts before all longer ones that begin with it, and all entries of a sender are next to
 * each other: the one for all recipients first, then those for addresses, domains, subdomains.
 */
public final class SortKey {
    /** The longest key of one side: a dot more than the longest address, for subdomains. */
    private static final int MAX_KEY = AddressSyntax.MAX_LOCAL + 1 + 1 + AddressSyntax.MAX_DOMAIN;

    /** The longest sort key, in bytes. */
    public static final int MAX_LENGTH = MAX_KEY + 2 + MAX_KEY;

    private SortKey() {}

    /** Returns the sort key of a sender and recipients. The array must not be changed. */
    public static byte[] of(Key key, @Nullable Key to) {
        byte[] sender = key.bytes();
        if (to == null) {
            return sender;
        }
        byte[] recipients = to.bytes();
        int at = recipientsStart(sender.length);
        byte[] flat = Arrays.copyOf(sender, at + recipients.length);
        flat[at - 1] = RecipientKind.of(to).code();
        System.arraycopy(recipients, 0, flat, at, recipients.length);
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

    /** Returns where the sender in {@code bytes[from, to)} ends: at {@code to} if for all. */
    public static int senderEnd(byte[] bytes, int from, int to) {
        int at = from + localLength(bytes, from) + 1;
        while (at < to && bytes[at] != 0) {
            at++;
        }
        return at;
    }

    /** Returns where the key of the recipients begins after a sender that ends here. */
    public static int recipientsStart(int senderEnd) {
        return senderEnd + 2;
    }

    /** Returns an entry with a sort key and no rules. */
    public static Entry entry(byte[] bytes) {
        int end = senderEnd(bytes, 0, bytes.length);
        int to = recipientsStart(end);
        return new Entry(
                new Key(Arrays.copyOf(bytes, end), localLength(bytes, 0)),
                end == bytes.length
                        ? null
                        : new Key(
                                Arrays.copyOfRange(bytes, to, bytes.length),
                                localLength(bytes, to)),
                List.of());
    }
}
