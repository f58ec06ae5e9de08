package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Domains;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.ValueType;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The removal of what mail systems wrap around a sender's address, to find the address that a list
 * holds.
 *
 * <p>A quoted local part is left alone. The forms are taken off in the order of {@link Form}, each
 * once. Only what SRS reveals may have a second BATV signature, which is taken off, too. So a
 * written address stands for at most one other.
 */
public final class Unwrapping {
    /** Leaves every address as it is written. */
    public static final Unwrapping NONE = new Unwrapping(Set.of(), SenderRewriting.NONE);

    /** K, DDD and SSSSSS of draft-levine-smtp-batv-01, section 4. */
    private static final String PRVS_TAG = "[0-9]{4}[0-9a-f]{6}";

    /** The forms of the draft, of Barracuda, and of SparkPost. */
    private static final Pattern TAG_FIRST =
            Pattern.compile(
                    "(?:prvs="
                            + PRVS_TAG
                            + "|btv1==[0-9]{3}[0-9a-f]{8}=|msprvs1=[0-9]{5}[0-9a-z_-]{8})=(.+)");

    /** The form of the draft's first version. */
    private static final Pattern TAG_LAST = Pattern.compile("prvs=(.+)=" + PRVS_TAG);

    private static final Pattern MESSAGE_NUMBER = Pattern.compile("-[0-9]+$");

    /** A form of wrapping that can be taken off. */
    public enum Form {
        /**
         * {@code prvs=KDDDSSSSSS=alice@d} → {@code alice@d}, and three more. The signature is not
         * verified, since only the sender knows the key. What can be read in two ways is left as it
         * is.
         */
        BATV,
        /**
         * {@code SRS0=HHHH=TT=d=alice@forwarder} → {@code alice@d}; see {@link SenderRewriting}.
         */
        SRS,
        /**
         * {@code news-4711-bob=here.example@d} → {@code news@d}: a recipient behind {@code +} or
         * {@code -}, and a message number before it.
         */
        VERP;

        /** Returns the name that people write. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Set<Form> forms;
    private final SenderRewriting srs;

    /**
     * Takes off these forms.
     *
     * @param srs verifies the addresses of {@link Form#SRS}
     */
    Unwrapping(Set<Form> forms, SenderRewriting srs) {
        this.forms = Set.copyOf(forms);
        this.srs = srs;
    }

    /**
     * Returns the unwrapping that two options ask for, which both the mailet and the command line
     * have.
     *
     * @param secrets the lines of the option with the secrets that verify SRS addresses, one secret
     *     each; white space around it is ignored. Null when the option is absent
     * @param formsOption the caller's name of the option with the forms, for messages
     * @param secretsOption the caller's name of the option with the secrets, for messages
     * @throws IllegalArgumentException when SRS is asked for without secrets, or secrets are given
     *     without SRS; the message never shows a secret
     */
    public static Unwrapping of(
            Set<Form> forms,
            @Nullable List<String> secrets,
            String formsOption,
            String secretsOption) {
        boolean srs = forms.contains(Form.SRS);
        if (srs && secrets == null) {
            throw new IllegalArgumentException(
                    formsOption
                            + " has srs, but "
                            + secretsOption
                            + " is missing; allowed: both or neither");
        }
        if (!srs && secrets != null) {
            throw new IllegalArgumentException(
                    secretsOption
                            + " is given, but "
                            + formsOption
                            + " has no srs; allowed: both or neither");
        }
        if (secrets == null) {
            return new Unwrapping(forms, SenderRewriting.NONE);
        }
        List<String> found =
                secrets.stream().map(String::strip).filter(each -> !each.isEmpty()).toList();
        if (found.isEmpty()) {
            throw new IllegalArgumentException(
                    secretsOption + " holds no secret; allowed: one or more secrets, one a line");
        }
        return new Unwrapping(forms, new SenderRewriting(found));
    }

    /** Returns whether nothing is ever taken off. */
    boolean isNone() {
        return forms.isEmpty();
    }

    /** The forms that people may choose. */
    public static final ValueType<Set<Form>> VALUES =
            new ValueType<>(
                    Unwrapping::parse,
                    "none, or one or more of batv, srs, verp, separated by commas",
                    "`none`, or some of `batv,srs,verp`");

    private static Optional<Set<Form>> parse(String text) {
        if (text.equals("none")) {
            return Optional.of(Set.of());
        }
        Map<String, Form> known =
                Stream.of(Form.values()).collect(Collectors.toMap(Form::label, form -> form));
        List<String> words = Stream.of(text.split(",", -1)).map(String::strip).toList();
        return known.keySet().containsAll(words)
                ? Optional.of(words.stream().map(known::get).collect(Collectors.toSet()))
                : Optional.empty();
    }

    /**
     * Returns the address that a written one stands for, or the written one when nothing can be
     * taken off.
     *
     * @param now the time, asked only for {@link Form#SRS}
     */
    public Address unwrap(Address written, Supplier<Instant> now) {
        if (forms.isEmpty() || written.key().bytes()[0] == '"') {
            return written;
        }
        Address address = withoutSignature(written);
        if (forms.contains(Form.SRS)) {
            SenderRewriting.Original original = srs.original(address.local(), now.get());
            if (original != null) {
                // Forwarders sign what they rewrite, and rewrite what others have signed.
                address = withoutSignature(parsed(original.user(), original.host(), address));
            }
        }
        return forms.contains(Form.VERP) ? withoutRecipient(address) : address;
    }

    /** Takes off {@link Form#BATV}. */
    private Address withoutSignature(Address address) {
        Matcher first = TAG_FIRST.matcher(address.local());
        Matcher last = TAG_LAST.matcher(address.local());
        if (!forms.contains(Form.BATV) || first.matches() == last.matches()) {
            return address;
        }
        return parsed((first.matches() ? first : last).group(1), address.domain(), address);
    }

    /** Takes off {@link Form#VERP}. */
    private static Address withoutRecipient(Address address) {
        String local = address.local();
        int equals = local.lastIndexOf('=');
        if (equals < 0 || address.isForwarded()) {
            return address;
        }
        String head = local.substring(0, equals);
        String host = local.substring(equals + 1);
        int plus = head.indexOf('+');
        int cut = plus >= 0 ? plus : head.lastIndexOf('-');
        if (cut <= 0
                || cut == head.length() - 1
                || host.indexOf('.') < 0
                || !Domains.isAsciiDomain(host)) {
            return address;
        }
        String list = MESSAGE_NUMBER.matcher(head.substring(0, cut)).replaceFirst("");
        return list.isEmpty() ? address : parsed(list, address.domain(), address);
    }

    /** Returns the address of these parts, or the other one when they make no address. */
    private static Address parsed(String local, String domain, Address otherwise) {
        return switch (AddressSyntax.parse(local + "@" + domain)) {
            case WellFormed(Address address) -> address;
            case Malformed malformed -> otherwise;
        };
    }
}
