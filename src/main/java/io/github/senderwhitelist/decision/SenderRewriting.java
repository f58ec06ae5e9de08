package io.github.senderwhitelist.decision;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The reader of addresses that the administrator's own forwarders wrote by the Sender Rewriting
 * Scheme (Shevek, "The Sender Rewriting Scheme", 2004): {@code SRS0=HASH=TIMESTAMP=HOST=USER}, and
 * {@code SRS1=HASH=FORWARDER==HASH=TIMESTAMP=HOST=USER} if both hashes are ours.
 *
 * <p>An address is accepted if its hash was made with one of the secrets, for {@value #MAX_DAYS}
 * days from its timestamp, as in libsrs2 and postsrsd. A timestamp in the future is rejected.
 * Hashes are compared without regard to case, as the scheme asks. They need at least {@value
 * #LEAST_HASH} characters.
 */
final class SenderRewriting {
    /** How long an address is accepted, in days. */
    private static final int MAX_DAYS = 21;

    /** Accepts no address. */
    static final SenderRewriting NONE = new SenderRewriting(List.of());

    private static final int LEAST_HASH = 4;

    /** The number of timestamps: days modulo this, since a timestamp has ten bits. */
    private static final int TIMESTAMPS = 1024;

    private static final long SECONDS_PER_DAY = 86_400;

    private static final String BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
    private static final Pattern SRS0 =
            Pattern.compile("srs0[=+-]([^=]+)=([a-z2-7]{2})=([^=]+)=(.+)");
    private static final Pattern SRS1 = Pattern.compile("srs1[=+-]([^=]+)=([^=]+)=([=+-].+)");

    private final List<String> secrets;

    /** Accepts addresses whose hash was made with any of these secrets. */
    SenderRewriting(List<String> secrets) {
        this.secrets = List.copyOf(secrets);
    }

    /** The local part and the domain of the sender that was rewritten. */
    record Original(String user, String host) {}

    /** Returns the sender that was rewritten to a canonical local part; null when not accepted. */
    @Nullable Original original(String local, Instant now) {
        Matcher guarded = SRS1.matcher(local);
        String inner = local;
        if (guarded.matches()) {
            if (!verified(guarded.group(1), guarded.group(2) + guarded.group(3))) {
                return null;
            }
            inner = "srs0" + guarded.group(3);
        }
        Matcher shortcut = SRS0.matcher(inner);
        if (!shortcut.matches()) {
            return null;
        }
        String stamp = shortcut.group(2);
        String host = shortcut.group(3);
        String user = shortcut.group(4);
        return isRecent(stamp, now) && verified(shortcut.group(1), stamp + host + user)
                ? new Original(user, host)
                : null;
    }

    private static boolean isRecent(String stamp, Instant now) {
        long today = Math.floorDiv(now.getEpochSecond(), SECONDS_PER_DAY);
        int then = BASE32.indexOf(stamp.charAt(0)) << 5 | BASE32.indexOf(stamp.charAt(1));
        return Math.floorMod(today - then, (long) TIMESTAMPS) <= MAX_DAYS;
    }

    private boolean verified(String hash, String data) {
        return hash.length() >= LEAST_HASH
                && secrets.stream().anyMatch(secret -> matches(hash, hash(secret, data)));
    }

    private static boolean matches(String given, String right) {
        return given.length() <= right.length()
                && MessageDigest.isEqual(
                        given.getBytes(UTF_8),
                        right.substring(0, given.length())
                                .toLowerCase(Locale.ROOT)
                                .getBytes(UTF_8));
    }

    private static String hash(String secret, String data) {
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA1"));
            return Base64.getEncoder().encodeToString(mac.doFinal(data.getBytes(UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java has HmacSHA1", e);
        }
    }
}
