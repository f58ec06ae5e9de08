package io.github.senderwhitelist.mailet.mail;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.senderwhitelist.snapshot.Sha256;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.List;

/**
 * The SHA-256 of a mail's headers Message-ID and From:, which distinguishes it from other mails. A
 * mail may lack them or have several.
 *
 * <p>What mail servers do to headers on the way does not count: they fold them again, and James
 * writes a question mark for each byte over 127.
 */
public final class Fingerprint {
    private static final String MESSAGE_ID = "Message-ID";
    private static final String FROM = "From";

    private final byte[] digest;

    private Fingerprint(byte[] digest) {
        this.digest = digest;
    }

    /** Returns the fingerprint of a mail. */
    public static Fingerprint of(@Nullable MimeMessage message) throws MessagingException {
        return of(values(message, MESSAGE_ID), values(message, FROM));
    }

    /**
     * Returns the fingerprint of a mail with these headers.
     *
     * @param messageIds the values of its headers Message-ID
     * @param froms the values of its headers From:
     */
    public static Fingerprint of(List<String> messageIds, List<String> froms) {
        MessageDigest digest = Sha256.start();
        for (List<String> values : List.of(messageIds, froms)) {
            digest.update(length(values.size()));
            for (String value : values) {
                byte[] bytes = plain(value).getBytes(US_ASCII);
                digest.update(length(bytes.length));
                digest.update(bytes);
            }
        }
        return new Fingerprint(digest.digest());
    }

    private static List<String> values(@Nullable MimeMessage message, String name)
            throws MessagingException {
        String[] values = message == null ? null : message.getHeader(name);
        return values == null ? List.of() : List.of(values);
    }

    /**
     * Returns a value with one space for white space, and one question mark for characters that are
     * not ASCII and for question marks.
     */
    private static String plain(String value) {
        StringBuilder plain = new StringBuilder(value.length());
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            char shown = c <= ' ' ? ' ' : c < 0x7f ? c : '?';
            char before = plain.isEmpty() ? ' ' : plain.charAt(plain.length() - 1);
            if (shown != before || (shown != ' ' && shown != '?')) {
                plain.append(shown);
            }
        }
        return plain.toString().stripTrailing();
    }

    /** Returns a length as four bytes, the most significant first. */
    public static byte[] length(int length) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(length).array();
    }

    /** Returns the digest. */
    public byte[] bytes() {
        return digest.clone();
    }
}
