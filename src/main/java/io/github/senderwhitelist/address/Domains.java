package io.github.senderwhitelist.address;

import com.ibm.icu.text.IDNA;
import com.ibm.icu.util.ICUInputTooLongException;

import org.jspecify.annotations.Nullable;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The canonical form of domains. Names are in ASCII as UTS #46 (non-transitional) maps them, in
 * lower case and without a trailing dot. Address literals are in brackets, with all eight groups of
 * an IPv6 address written out.
 */
public final class Domains {
    /** The longest domain, in bytes, without the root label (RFC 1035, section 2.3.4). */
    static final int MAX_LENGTH = 253;

    static final int MAX_LABEL = 63;

    private static final Pattern NAME =
            Pattern.compile("[a-z0-9_-]{1,63}(?:\\.[a-z0-9_-]{1,63})*+");

    private static final Pattern IPV4 =
            Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");

    /** The rules of IDNA, which are loaded when the first domain needs them. */
    private static final class Rules {
        static final IDNA UTS46 =
                IDNA.getUTS46Instance(
                        IDNA.NONTRANSITIONAL_TO_ASCII
                                | IDNA.NONTRANSITIONAL_TO_UNICODE
                                | IDNA.CHECK_BIDI
                                | IDNA.CHECK_CONTEXTJ);

        /**
         * Faults that are accepted, because domains with hyphens in odd places exist and send mail.
         */
        static final Set<IDNA.Error> TOLERATED =
                EnumSet.of(
                        IDNA.Error.LEADING_HYPHEN,
                        IDNA.Error.TRAILING_HYPHEN,
                        IDNA.Error.HYPHEN_3_4);
    }

    private Domains() {}

    /**
     * Returns the canonical domain, or null when {@code text} is no domain; {@link #complaint} says
     * why.
     *
     * @param text the domain as written, without the {@code @}
     */
    static @Nullable String canonical(String text) {
        if (text.isEmpty() || HiddenCharacters.complaint(text) != null) {
            return null;
        }
        if (text.charAt(0) == '[' || text.indexOf(':') >= 0) {
            return canonicalLiteral(text);
        }
        StringBuilder ascii = new StringBuilder();
        IDNA.Info info = new IDNA.Info();
        try {
            Rules.UTS46.nameToASCII(text, ascii, info);
        } catch (ICUInputTooLongException e) {
            // The label has a thousand characters or more. In ASCII it may have 63.
            return null;
        }
        EnumSet<IDNA.Error> errors = EnumSet.noneOf(IDNA.Error.class);
        errors.addAll(info.getErrors());
        errors.removeAll(Rules.TOLERATED);
        if (ascii.length() > 1 && ascii.charAt(ascii.length() - 1) == '.') {
            ascii.setLength(ascii.length() - 1);
            // This is the root label. Other empty labels are refused below.
            errors.remove(IDNA.Error.EMPTY_LABEL);
        }
        String domain = ascii.toString().toLowerCase(Locale.ROOT);
        if (!errors.isEmpty() || !isAsciiDomain(domain)) {
            return null;
        }
        return domain.matches("[0-9.]+") ? canonicalLiteral(domain) : domain;
    }

    /** Returns the reason why {@link #canonical} returned null for this text. */
    static String complaint(String text) {
        String hidden = HiddenCharacters.complaint(text);
        return hidden != null
                ? hidden
                : text.isEmpty()
                        ? "no domain after '@'"
                        : "'"
                                + Text.shown(text)
                                + "' is not a domain: letters, digits, '-', '_' in labels of 1 to "
                                + MAX_LABEL
                                + " separated by dots, at most "
                                + MAX_LENGTH
                                + " in all, or an address literal in brackets";
    }

    /** Returns whether this is a canonical domain. Address literals are not. */
    public static boolean isAsciiDomain(String domain) {
        return domain.length() <= MAX_LENGTH && NAME.matcher(domain).matches();
    }

    /**
     * Returns the canonical form of an address literal (RFC 5321, section 4.1.3), or null when it
     * is none. The brackets may be missing, since James removes them.
     */
    private static @Nullable String canonicalLiteral(String text) {
        String inside =
                text.startsWith("[") && text.endsWith("]")
                        ? text.substring(1, text.length() - 1)
                        : text;
        String lower = inside.toLowerCase(Locale.ROOT);
        boolean tagged = lower.startsWith("ipv6:");
        String number = tagged ? lower.substring("ipv6:".length()) : lower;
        boolean six = number.indexOf(':') >= 0;
        if (!six) {
            return !tagged && IPV4.matcher(number).matches() ? "[" + number + "]" : null;
        }
        if (!number.matches("[0-9a-f:.]+")) {
            return null;
        }
        try {
            // A bracketed literal of these characters is never looked up in the DNS.
            InetAddress address = InetAddress.getByName("[" + number + "]");
            return address instanceof Inet6Address
                    ? "[ipv6:" + address.getHostAddress() + "]"
                    : "[" + address.getHostAddress() + "]";
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
