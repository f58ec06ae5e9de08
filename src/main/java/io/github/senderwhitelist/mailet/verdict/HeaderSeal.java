package io.github.senderwhitelist.mailet.verdict;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;

import jakarta.mail.MessagingException;
import jakarta.mail.internet.MimeMessage;

import org.jspecify.annotations.Nullable;

import java.security.MessageDigest;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;

import javax.crypto.SecretKey;

/**
 * The seal on what this server writes and reads again later: the header of a verdict, and the
 * change that a user is asked to confirm. So it can see then that it has written it itself, for
 * this mail and recipient, or for this user and day.
 *
 * <p>The seal is the first 128 bits of an HMAC-SHA256 (RFC 2104), in the alphabet of Base64 for
 * URLs (RFC 4648, section 5). A header's is made over a byte 1, the length and the UTF-8 of
 * verdict, reason, sender, confirmation and recipient in this order, and the mail's {@linkplain
 * #fingerprint fingerprint}. That of a change is made over a byte 2, and the length and the UTF-8
 * of the user, the day (ISO 8601) and the change. A length is an int, the least significant byte
 * first.
 *
 * @param key the key of this server, or of several
 */
public record HeaderSeal(SecretKey key) {
    private static final byte HEADER = 1;
    private static final byte CHANGE = 2;
    private static final int SEAL_BYTES = 16;

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

    /** Returns the seal of a change that a user is asked on a day to confirm. */
    public String sign(Address user, LocalDate day, String change) {
        return sign(CHANGE, List.of(user.toString(), day.toString(), change), new byte[0]);
    }

    private String sign(byte kind, List<String> fields, byte[] end) {
        Hasher mac = Hashing.hmacSha256(key).newHasher().putByte(kind);
        fields.forEach(field -> put(mac, field.getBytes(UTF_8)));
        byte[] seal = Arrays.copyOf(mac.putBytes(end).hash().asBytes(), SEAL_BYTES);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(seal);
    }

    private static void put(Hasher hasher, byte[] bytes) {
        hasher.putInt(bytes.length).putBytes(bytes);
    }

    /**
     * Returns whether this seal was put on the header for this recipient of this mail. It takes the
     * same time whatever the header has in its place.
     */
    public boolean verify(VerdictHeader header, byte[] mail, String recipient) {
        return isEqual(sign(header, mail, recipient), header.by());
    }

    /** Returns whether this seal was put on a change for this user on this day, as above. */
    public boolean verify(String seal, Address user, LocalDate day, String change) {
        return isEqual(sign(user, day, change), seal);
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
        Hasher hasher = Hashing.sha256().newHasher();
        for (String name : List.of("Message-ID", "From")) {
            String[] values = mail == null ? null : mail.getHeader(name);
            hasher.putInt(values == null ? 0 : values.length);
            for (String value : values == null ? new String[0] : values) {
                put(hasher, plain(value).getBytes(US_ASCII));
            }
        }
        return hasher.hash().asBytes();
    }

    /**
     * Returns a value with one space for white space, and one question mark for characters that are
     * not ASCII and for question marks: mail servers fold headers again, and James writes a
     * question mark for each byte over 127.
     */
    private static String plain(String value) {
        return value.replaceAll("[\\x00- ]+", " ").replaceAll("[\\x7f-\\x{10ffff}?]+", "?").strip();
    }
}
