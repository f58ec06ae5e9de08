package io.github.senderwhitelist.decision;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ValueType;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The removal of what mail systems wrap around a sender's address, to find the address that a list
 * holds. A quoted local part is left alone. The forms are taken off in the order of {@link Form},
 * each once, but for a second BATV signature in what SRS reveals.
 */
public final class Unwrapping {
    /** Leaves every address as it is written. */
    public static final Unwrapping NONE = new Unwrapping(Set.of(), List.of());

    /** The forms that people may choose. */
    public static final ValueType<Set<Form>> VALUES =
            new ValueType<>(
                    Unwrapping::parse,
                    "none, or one or more of batv, srs, verp, separated by commas");

    private static final ValueType<Form> FORM = ValueType.oneOf(Form.values());

    /** The forms of draft-levine-smtp-batv-01, section 4, of Barracuda, and of SparkPost. */
    private static final Pattern TAG_FIRST =
            Pattern.compile(
                    "(?:prvs=[0-9]{4}[0-9a-f]{6}|btv1==[0-9]{3}[0-9a-f]{8}="
                            + "|msprvs1=[0-9]{5}[0-9a-z_-]{8})=(.+)");

    /** The form of the draft's first version. */
    private static final Pattern TAG_LAST = Pattern.compile("prvs=(.+)=[0-9]{4}[0-9a-f]{6}");

    /** A list, and a recipient behind the first plus sign, or else behind the last hyphen. */
    private static final Pattern VERP =
            Pattern.compile("([^+]+)(?:\\+.+|-[^-+]+)=(?:[a-z0-9_-]{1,63}\\.)+[a-z0-9_-]{1,63}");

    private static final Pattern SRS0 =
            Pattern.compile("srs0[=+-]([^=]+)=([a-z2-7]{2})=([^=]+)=(.+)");
    private static final Pattern SRS1 = Pattern.compile("srs1[=+-]([^=]+)=([^=]+)=([=+-].+)");
    private static final String BASE32 = "abcdefghijklmnopqrstuvwxyz234567";
    private static final int MIN_HASH = 4;

    /** How long an SRS address is accepted, in days, as in libsrs2 and postsrsd. */
    private static final int MAX_DAYS = 21;

    /** A form of wrapping that can be taken off. */
    public enum Form implements ValueType.Word {
        /**
         * {@code prvs=KDDDSSSSSS=alice@d} → {@code alice@d}, and three more. Only the sender can
         * verify the signature. What can be read in two ways is left as it is.
         */
        BATV,
        /**
         * The Sender Rewriting Scheme (Shevek, "The Sender Rewriting Scheme", 2004) of the
         * administrator's own forwarders: {@code SRS0=HASH=TIMESTAMP=d=alice@forwarder} → {@code
         * alice@d}, and {@code SRS1=HASH=FORWARDER==HASH=TIMESTAMP=d=alice} if both hashes are
         * ours: made with one of the secrets, and of at least four characters. A timestamp counts
         * for {@value Unwrapping#MAX_DAYS} days, and never before its day.
         */
        SRS,
        /**
         * {@code news-4711-bob=here.example@d} → {@code news@d}: a recipient behind {@code +} or
         * {@code -}, and a message number before it.
         */
        VERP
    }

    private final Set<Form> forms;
    private final List<String> secrets;

    /**
     * Takes off these forms.
     *
     * @param secrets of SRS; white space around them and blank ones are ignored
     * @throws IllegalArgumentException if SRS has no secret, or secrets have no SRS
     */
    public Unwrapping(Set<Form> forms, List<String> secrets) {
        this.forms = Set.copyOf(forms);
        this.secrets = secrets.stream().map(String::strip).filter(s -> !s.isEmpty()).toList();
        if (forms.contains(Form.SRS) == this.secrets.isEmpty()) {
            throw new IllegalArgumentException(
                    (forms.contains(Form.SRS)
                                    ? "unwrap has srs, but srsSecret has no secret;"
                                    : "srsSecret is given, but unwrap has no srs;")
                            + " allowed: both or neither");
        }
    }

    private static Optional<Set<Form>> parse(String text) {
        Set<Form> forms = EnumSet.noneOf(Form.class);
        for (String each : text.equals("none") ? new String[0] : text.split(",", -1)) {
            Optional<Form> form = FORM.parse(each.strip());
            if (form.isEmpty()) {
                return Optional.empty();
            }
            forms.add(form.get());
        }
        return Optional.of(forms);
    }

    /** Returns the address that a written one stands for now, which may be itself. */
    public Address unwrap(Address written, Instant now) {
        if (forms.isEmpty() || written.key().bytes()[0] == '"') {
            return written;
        }
        Address address = withoutSignature(written);
        if (forms.contains(Form.SRS)) {
            Address original = original(address, now);
            // Forwarders sign what they rewrite, and rewrite what others have signed.
            address = original.equals(address) ? address : withoutSignature(original);
        }
        return forms.contains(Form.VERP) ? withoutRecipient(address) : address;
    }

    private Address withoutSignature(Address address) {
        Matcher first = TAG_FIRST.matcher(address.local());
        Matcher last = TAG_LAST.matcher(address.local());
        if (!forms.contains(Form.BATV) || first.matches() == last.matches()) {
            return address;
        }
        return parsed((first.matches() ? first : last).group(1), address.domain(), address);
    }

    private static Address withoutRecipient(Address address) {
        Matcher verp = VERP.matcher(address.local());
        return verp.matches() && !address.isForwarded()
                ? parsed(verp.group(1).replaceFirst("-[0-9]+$", ""), address.domain(), address)
                : address;
    }

    /** Takes off {@link Form#SRS}. */
    private Address original(Address address, Instant now) {
        String local = address.local();
        Matcher second = SRS1.matcher(local);
        if (second.matches() && isOurs(second.group(1), second.group(2) + second.group(3))) {
            local = "srs0" + second.group(3);
        }
        Matcher first = SRS0.matcher(local);
        return first.matches()
                        && isRecent(first.group(2), now)
                        && isOurs(first.group(1), first.group(2) + first.group(3) + first.group(4))
                ? parsed(first.group(4), first.group(3), address)
                : address;
    }

    private static boolean isRecent(String stamp, Instant now) {
        long today = Duration.between(Instant.EPOCH, now).toDays();
        int then = BASE32.indexOf(stamp.charAt(0)) << 5 | BASE32.indexOf(stamp.charAt(1));
        return Math.floorMod(today - then, 1 << 10) <= MAX_DAYS; // a timestamp has ten bits
    }

    /** Hashes are compared without regard to case, as the scheme asks. */
    private boolean isOurs(String hash, String data) {
        byte[] given = hash.getBytes(UTF_8);
        return hash.length() >= MIN_HASH
                && secrets.stream()
                        .map(secret -> hash(secret, data).toLowerCase(Locale.ROOT).getBytes(UTF_8))
                        .map(all -> Arrays.copyOf(all, Math.min(all.length, given.length)))
                        .anyMatch(right -> MessageDigest.isEqual(given, right));
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

    /** Returns the address of these parts, or the other one when they make no address. */
    private static Address parsed(String local, String domain, Address other) {
        return AddressSyntax.parse(local + "@" + domain) instanceof Address found ? found : other;
    }
}
