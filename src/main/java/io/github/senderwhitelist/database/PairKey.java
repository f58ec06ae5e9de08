package io.github.senderwhitelist.database;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.SortKey;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;

/**
 * A sender and recipients as the columns of a database: the sender's {@link SortKey}, and the rest
 * of the pair's, which is empty for all recipients. Their order as bytes is that of entries.
 */
final class PairKey {
    /** No pair. */
    static final PairKey NONE = new PairKey(new byte[0], new byte[0]);

    private final byte[] sender;
    private final byte[] recipient;

    private PairKey(byte[] sender, byte[] recipient) {
        this.sender = sender;
        this.recipient = recipient;
    }

    /** Returns the columns of a sender and some recipients, or all if {@code to} is null. */
    static PairKey of(Key sender, @Nullable Key to) {
        byte[] key = SortKey.of(sender);
        return new PairKey(key, to == null ? NONE.sender : recipient(to));
    }

    /** Returns the column of some recipients. */
    static byte[] recipient(Key to) {
        byte[] pair = SortKey.of(to, to);
        return Arrays.copyOfRange(pair, SortKey.of(to).length + 1, pair.length);
    }

    /** Reads the columns {@code sender} and {@code recipient}. */
    static PairKey read(ResultSet row) throws SQLException {
        return new PairKey(row.getBytes("sender"), row.getBytes("recipient"));
    }

    byte[] sender() {
        return sender;
    }

    byte[] recipient() {
        return recipient;
    }

    Key senderKey() throws IOException {
        return key(sender);
    }

    /** Returns the key of the recipients, or null if it is for all. */
    @Nullable Key recipientKey() throws IOException {
        return recipient.length == 0 ? null : key(withoutKind(recipient));
    }

    private static byte[] withoutKind(byte[] recipient) {
        return Arrays.copyOfRange(recipient, 1, recipient.length);
    }

    boolean isSameAs(PairKey other) {
        return Arrays.equals(sender, other.sender) && Arrays.equals(recipient, other.recipient);
    }

    /** Returns the key whose {@link SortKey} this is. */
    private static Key key(byte[] bytes) throws IOException {
        int zero = 0;
        while (zero < bytes.length && bytes[zero] != 0) {
            zero++;
        }
        if (zero + 1 >= bytes.length) {
            throw new IOException("the database holds '" + text(bytes) + "', which is no key");
        }
        return Key.of(
                Arrays.copyOf(bytes, zero), Arrays.copyOfRange(bytes, zero + 1, bytes.length));
    }

    /** Returns the pair as a line of a list begins. */
    @Override
    public String toString() {
        return text(sender) + (recipient.length == 0 ? "" : " to=" + text(withoutKind(recipient)));
    }

    private static String text(byte[] key) {
        return new String(key, UTF_8).replace('\0', '@');
    }
}
