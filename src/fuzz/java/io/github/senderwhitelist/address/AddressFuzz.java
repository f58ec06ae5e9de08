package io.github.senderwhitelist.address;

import static io.github.senderwhitelist.FuzzText.require;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.ibm.icu.text.Normalizer2;

import io.github.senderwhitelist.FuzzText;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.decision.Unwrapping;
import io.github.senderwhitelist.decision.Unwrapping.Form;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.EnumSet;
import java.util.List;

/**
 * The canonical form: it is its own canonical form, and what means the same sender has the same
 * one. First byte: even, UTF-8 follows; odd, UTF-16.
 */
public final class AddressFuzz {
    private static final Subaddressing PLUS = new Subaddressing((byte) '+');
    private static final Unwrapping UNWRAPPING =
            new Unwrapping(EnumSet.allOf(Form.class), List.of("secret"));
    private static final Normalizer2 NFC = Normalizer2.getNFCInstance();
    private static final Normalizer2 NFD = Normalizer2.getNFDInstance();

    /** Leaves room for what the variants add, so that they are not refused as too long. */
    private static final int LONGEST = 500;

    private AddressFuzz() {}

    /** Checks one input. */
    public static void fuzzerTestOneInput(byte[] data) {
        if (data.length == 0) {
            return;
        }
        String text = FuzzText.of(data, 1, data.length, (data[0] & 1) != 0);
        String canonical = canonical(text);
        if (canonical != null) {
            checkCanonical(canonical);
        }
        if (text.length() <= LONGEST) {
            requireSame(text, canonical, otherCase(text));
            requireSame(text, canonical, NFC.normalize(text));
            requireSame(text, canonical, NFD.normalize(text));
        }
        checkDomain(text);
    }

    private static @Nullable String canonical(String text) {
        return switch (AddressSyntax.parse(text)) {
            case Address address -> {
                Key key = address.key();
                require(key.localLength() > 0, "no local part");
                require(key.localLength() <= AddressSyntax.MAX_LOCAL, "a long local part");
                require(
                        key.bytes().length - key.domainStart() <= AddressSyntax.MAX_DOMAIN,
                        "a long domain");
                for (int i = 0; i < key.bytes().length; i++) {
                    byte b = key.bytes()[i];
                    require(
                            i == key.localLength() ? b == 0 : b < 0 || b >= ' ',
                            "a control character in " + address);
                }
                yield address.toString();
            }
            case Malformed(String reason) -> {
                FuzzText.requireOneLine(reason);
                yield null;
            }
        };
    }

    private static void requireSame(String text, @Nullable String canonical, String variant) {
        String other = canonical(variant);
        require(
                canonical == null ? other == null : canonical.equals(other),
                "'" + text + "' is " + canonical + ", but '" + variant + "' is " + other);
    }

    private static void checkCanonical(String canonical) {
        requireSame(canonical, canonical, canonical);
        Address address = (Address) AddressSyntax.parse(canonical);
        Key key = address.key();
        String local = new String(key.bytes(), 0, key.localLength(), UTF_8);
        String domain = canonical.substring(local.length() + 1);
        if (!local.startsWith("\"")) {
            requireSame(canonical, canonical, '"' + local + "\"@" + domain);
        }
        if (!domain.startsWith("[")) {
            requireSame(canonical, canonical, canonical + ".");
        }
        checkKeys(address, domain);
        String meant = UNWRAPPING.unwrap(address, Instant.EPOCH).toString();
        require(meant.equals(canonical(meant)), meant + ", unwrapped, is not canonical");
    }

    /** Checks that the domain keys are the domain and each of its parents. */
    private static void checkKeys(Address address, String domain) {
        String rest = domain;
        for (Key key : address.domainKeys()) {
            byte[] bytes = key.bytes();
            String found = new String(bytes, 1, bytes.length - 1, UTF_8);
            require(found.equals(rest), found + " is no domain key of " + address);
            int dot = rest.startsWith("[") ? -1 : rest.indexOf('.', 1);
            rest = dot < 0 ? "" : rest.substring(dot);
        }
        require(rest.isEmpty(), "no key for " + rest + " of " + address);
        Key untagged = address.keyWithoutTag(PLUS);
        if (untagged != null) {
            String text = new String(untagged.bytes(), UTF_8).replace('\0', '@');
            require(text.equals(canonical(text)), "untagged " + text + " is not canonical");
            String local = new String(untagged.bytes(), 0, untagged.localLength(), UTF_8);
            require(address.toString().startsWith(local + "+"), text + " of " + address);
        }
    }

    private static void checkDomain(String text) {
        String domain = AddressSyntax.parseDomain(text);
        String address = canonical("x@" + text);
        require(
                domain == null
                        ? address == null || text.length() > LONGEST
                        : ("x@" + domain).equals(address),
                "as a domain and in an address: " + text);
        if (domain == null) {
            FuzzText.requireOneLine(AddressSyntax.domainComplaint(text));
        }
    }

    private static String otherCase(String text) {
        StringBuilder other = new StringBuilder(text);
        for (int i = 0; i < other.length(); i++) {
            char c = other.charAt(i);
            if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
                other.setCharAt(i, (char) (c ^ 0x20));
            }
        }
        return other.toString();
    }
}
