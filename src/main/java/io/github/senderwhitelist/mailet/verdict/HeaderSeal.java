package io.github.senderwhitelist.mailet.verdict;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;

import io.github.senderwhitelist.address.Address;

import java.security.MessageDigest;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.Base64;

import javax.crypto.SecretKey;

/**
 * The seal on what this server writes and reads again later: the header of a verdict, and the
 * change that a user is asked to confirm. So it can see then that it has written it itself, for
 * this mail and recipient, or for this user and day.
 *
 * <p>The seal is the first 128 bits of an HMAC-SHA256 (RFC 2104), in the alphabet of Base64 for
 * URLs (RFC 4648, section 5). That of a change is made over a byte 2, and the length and the UTF-8
 * of the user, the day (ISO 8601) and the change. A length is an int, the least significant byte
 * first. {@link VerdictHeader} says what that of a header is made over.
 *
 * @param key the key of this server, or of several
 */
public record HeaderSeal(SecretKey key) {
    private static final byte CHANGE = 2;
    private static final int SEAL_BYTES = 16;

    /** Returns the seal of a change that a user is asked on a day to confirm. */
    public String sign(Address user, LocalDate day, String change) {
        return sign(CHANGE, new byte[0], user.toString(), day.toString(), change);
    }

    /** Returns whether this seal was put on a change for this user on this day. */
    public boolean verify(String seal, Address user, LocalDate day, String change) {
        return isEqual(sign(user, day, change), seal);
    }

    /** Returns the seal over a byte, these fields and what follows them. */
    String sign(byte kind, byte[] end, String... fields) {
        Hasher mac = Hashing.hmacSha256(key).newHasher().putByte(kind);
        for (String field : fields) {
            put(mac, field.getBytes(UTF_8));
        }
        byte[] seal = Arrays.copyOf(mac.putBytes(end).hash().asBytes(), SEAL_BYTES);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(seal);
    }

    /** Puts bytes with their length. */
    static void put(Hasher hasher, byte[] bytes) {
        hasher.putInt(bytes.length).putBytes(bytes);
    }

    /** Compares seals. It takes the same time whatever has been found in place of the right one. */
    static boolean isEqual(String right, String found) {
        return MessageDigest.isEqual(right.getBytes(US_ASCII), found.getBytes(US_ASCII));
    }
}
