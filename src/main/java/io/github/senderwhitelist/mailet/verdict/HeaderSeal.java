package io.github.senderwhitelist.mailet.verdict;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.mailet.mail.Fingerprint;

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
 * verdict, reason, sender, confirmation and recipient in this order, and the mail's {@link
 * Fingerprint}. That of changes is made over a byte 2, and the length and the UTF-8 of the user,
 * the day (ISO 8601) and each change. A length is an int, the most significant byte first.
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
    public String sign(VerdictHeader header, Fingerprint mail, String recipient) {
        return sign(
                HEADER,
                List.of(
                        header.verdict(),
                        header.reason(),
                        header.sender(),
                        header.confirmed(),
                        canonical(recipient)),
                mail.bytes());
    }

    private String sign(byte kind, List<String> fields, byte[] end) {
        Mac mac = mac();
        mac.update(kind);
        for (String field : fields) {
            byte[] bytes = field.getBytes(UTF_8);
            mac.update(Fingerprint.length(bytes.length));
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
    public boolean verify(VerdictHeader header, Fingerprint mail, String recipient) {
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
