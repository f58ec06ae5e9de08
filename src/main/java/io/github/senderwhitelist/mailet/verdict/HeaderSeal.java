package io.github.senderwhitelist.mailet.verdict;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.snapshot.Sha256;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

import javax.crypto.Mac;
import javax.crypto.SecretKey;

/**
 * The seal on what this server writes and reads again later: the header of a verdict, and the
 * changes that a user is asked to confirm. So it can see then that it has written it itself, for
 * this mail and recipient, or for this user and day.
 *
 * <p>The seal is the first 128 bits of an HMAC-SHA256 (RFC 2104), in the alphabet of Base64 for
 * URLs (RFC 4648, section 5). A header's is made over a byte 1, the length and the UTF-8 of
 * verdict, reason, sender, confirmation and recipient in this order, and the mail's {@linkplain
 * #fingerprint fingerprint}. That of changes is made over a byte 2, and the length and the UTF-8 of
 * the user, the day (ISO 8601) and each change. A length is an int, the most significant byte
 * first.
 */
public final class HeaderSeal {
    private static final byte HEADER = 1;
    private static final byte CHANGES = 2;
    private static final int SEAL_BYTES = 16;

    private final SecretKey key;

    /** Makes a seal with this key. */
    public HeaderSeal(SecretKey key) {
        this.key = key;
    }

    /** Returns the seal of a header for a recipient of a mail. */
    public String sign(VerdictHeader header, byte[] mail, String recipient) {
        return sign(
                HEADER,
                List.of(
                        header.verdict(),
                        header.reason(),
                        header.sender(),
                        header.confirmed(),
                        canonical(recipient)),
                mail);
    }

    private String sign(byte kind, List<String> fields, byte[] end) {
        Mac mac = mac();
        mac.update(kind);
        for (String field : fields) {
            byte[] bytes = field.getBytes(UTF_8);
            mac.update(length(bytes.length));
            mac.update(bytes);
        }
        byte[] seal = Arrays.copyOf(mac.doFinal(end), SEAL_BYTES);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(seal);
    }

    /** Returns the seal of changes that a user is asked on a day to confirm. */
    public String sign(Address user, LocalDate day, List<String> changes) {
        List<String> fields = new ArrayList<>(List.of(user.toString(), day.toString()));
        fields.addAll(changes);
        return sign(CHANGES, fields, new byte[0]);
    }

    /**
     * Returns whether this seal was put on the header for this recipient of this mail. It takes the
     * same time whatever the header has in its place.
     */
    public boolean verify(VerdictHeader header, byte[] mail, String recipient) {
        return isEqual(sign(header, mail, recipient), header.by());
    }

    /** Returns whether this seal was put on changes for this user on this day, as above. */
    public boolean verify(String seal, Address user, LocalDate day, List<String> changes) {
        return isEqual(sign(user, day, changes), seal);
    }

    private static boolean isEqual(String right, String found) {
        return MessageDigest.isEqual(right.getBytes(US_ASCII), found.getBytes(US_ASCII));
    }

    private static String canonical(String recipient) {
        return switch (AddressSyntax.parse(recipient)) {
            case WellFormed(Address address) -> address.toString();
            case Malformed malformed -> recipient.toLowerCase(Locale.ROOT);
        };
    }

    /**
     * Returns the fingerprint of a mail, which distinguishes it from others: the SHA-256 of its
     * headers Message-ID and From:, of which it may lack or have several.
     */
    static byte[] fingerprint(@Nullable MimeMessage mail) throws MessagingException {
        return fingerprint(values(mail, "Message-ID"), values(mail, "From"));
    }

    /** Returns the fingerprint of a mail with these values of its headers Message-ID and From:. */
    static byte[] fingerprint(List<String> messageIds, List<String> froms) {
        MessageDigest digest = Sha256.start();
        for (List<String> values : List.of(messageIds, froms)) {
            digest.update(length(values.size()));
            for (String value : values) {
                byte[] bytes = plain(value).getBytes(US_ASCII);
                digest.update(length(bytes.length));
                digest.update(bytes);
            }
        }
        return digest.digest();
    }

    private static List<String> values(@Nullable MimeMessage mail, String name)
            throws MessagingException {
        String[] values = mail == null ? null : mail.getHeader(name);
        return values == null ? List.of() : List.of(values);
    }

    /**
     * Returns a value with one space for white space, and one question mark for characters that are
     * not ASCII and for question marks: mail servers fold headers again, and James writes a
     * question mark for each byte over 127.
     */
    private static String plain(String value) {
        return value.replaceAll("[\\x00- ]+", " ").replaceAll("[\\x7f-\\x{10ffff}?]+", "?").strip();
    }

    private static byte[] length(int length) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(length).array();
    }

    private Mac mac() {
        try {
            Mac mac = Mac.getInstance(key.getAlgorithm());
            mac.init(key);
            return mac;
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException("every Java has " + key.getAlgorithm(), e);
        }
    }
}
