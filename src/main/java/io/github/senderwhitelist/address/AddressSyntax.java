package io.github.senderwhitelist.address;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.text.IDNA;
import com.ibm.icu.text.Normalizer2;
import com.ibm.icu.util.ICUInputTooLongException;

import io.github.senderwhitelist.address.ParsedAddress.Malformed;

import org.jspecify.annotations.Nullable;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The parser of addresses and domains, which brings each into the canonical form that keys have.
 * Two texts name the same sender exactly when their canonical forms are equal, and the canonical
 * form of a canonical text is that text. No address has {@link HiddenCharacters}.
 *
 * <p>The local part is in NFC, case-folded (Unicode default case folding), and quoted only where it
 * has to be. Dots stay as they are, even where RFC 5321 forbids them, because such senders exist.
 *
 * <p>Domain names are in ASCII as UTS #46 (non-transitional) maps them, in lower case and without a
 * trailing dot. Address literals are in brackets, with all eight groups of an IPv6 address.
 */
public final class AddressSyntax {
    /**
     * The version of the canonical form. Every change of a rule raises it, and snapshots made under
     * another version are refused.
     */
    public static final int VERSION = 3;

    /**
     * The longest local part, in bytes of its canonical form. That is more than the 64 of RFC 5321,
     * because bounce addresses are longer.
     */
    public static final int MAX_LOCAL = 255;

    /** The longest domain, in bytes, without the root label (RFC 1035, section 2.3.4). */
    static final int MAX_DOMAIN = 253;

    private static final int MAX_LABEL = 63;

    /** The longest text that is parsed, in characters. No address needs more. */
    private static final int MAX_TEXT = 2048;

    private static final boolean[] IN_LOCAL = table("!#$%&'*+-/=?^_`{|}~.");
    private static final boolean[] IN_DOMAIN = table("-_.");

    private static final Pattern NAME =
            Pattern.compile("[a-z0-9_-]{1,63}(?:\\.[a-z0-9_-]{1,63})*+");

    private static final Pattern IPV4 =
            Pattern.compile("(?:(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])(?:\\.(?!$)|$)){4}");

    /** Returns which characters of ASCII are letters, digits, or among these others. */
    private static boolean[] table(String others) {
        boolean[] table = new boolean[128];
        for (int c = 0; c < 128; c++) {
            table[c] = Character.isLetterOrDigit(c) || others.indexOf(c) >= 0;
        }
        return table;
    }

    /** Unicode's data, which are loaded when the first address needs them. */
    private static final class Unicode {
        static final Normalizer2 NFC = Normalizer2.getNFCInstance();
        static final Normalizer2 NFD = Normalizer2.getNFDInstance();
        static final IDNA UTS46 =
                IDNA.getUTS46Instance(
                        IDNA.NONTRANSITIONAL_TO_ASCII
                                | IDNA.NONTRANSITIONAL_TO_UNICODE
                                | IDNA.CHECK_BIDI
                                | IDNA.CHECK_CONTEXTJ);

        /**
         * Faults that are accepted: domains with hyphens in odd places exist and send mail, and of
         * empty labels only the root's is left when {@link #NAME} is matched.
         */
        static final Set<IDNA.Error> TOLERATED =
                EnumSet.of(
                        IDNA.Error.LEADING_HYPHEN,
                        IDNA.Error.TRAILING_HYPHEN,
                        IDNA.Error.HYPHEN_3_4,
                        IDNA.Error.EMPTY_LABEL);

        private Unicode() {}

        static @Nullable String canonicalName(String text) {
            StringBuilder ascii = new StringBuilder();
            IDNA.Info info = new IDNA.Info();
            try {
                UTS46.nameToASCII(text, ascii, info);
            } catch (ICUInputTooLongException e) {
                // The label has a thousand characters or more. In ASCII it may have 63.
                return null;
            }
            String domain = ascii.toString().toLowerCase(Locale.ROOT).replaceFirst("\\.$", "");
            if (!TOLERATED.containsAll(info.getErrors())
                    || domain.length() > MAX_DOMAIN
                    || !NAME.matcher(domain).matches()) {
                return null;
            }
            return domain.matches("[0-9.]+") ? canonicalLiteral(domain) : domain;
        }
    }

    private AddressSyntax() {}

    /** Returns the address that {@code text} stands for, or why it stands for none. */
    public static ParsedAddress parse(String text) {
        if (text.length() > MAX_TEXT) {
            return new Malformed("longer than any address: " + text.length() + " characters");
        }
        byte[] bytes = text.getBytes(UTF_8);
        int at = isAscii(text) ? canonicalizePlain(bytes, bytes.length) : -1;
        if (at < 0) {
            return parseCarefully(text);
        }
        bytes[at] = 0;
        return new Address(new Key(bytes, at));
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 128) {
                return false;
            }
        }
        return true;
    }

    /**
     * Brings the first {@code length} bytes into canonical form in place, if they are an address of
     * the usual kind: an ASCII local part without quotes at a short ASCII domain.
     *
     * @return the index of the {@code @}; or -1, with the bytes unchanged, when the text needs
     *     {@link #parse}
     */
    public static int canonicalizePlain(byte[] bytes, int length) {
        int at = 0;
        while (at < length && bytes[at] >= 0 && IN_LOCAL[bytes[at]]) {
            at++;
        }
        if (at == 0
                || at > MAX_LOCAL
                || at == length
                || bytes[at] != '@'
                || !isPlainDomain(bytes, at + 1, length)) {
            return -1;
        }
        for (int i = 0; i < length; i++) {
            bytes[i] += (byte) (bytes[i] >= 'A' && bytes[i] <= 'Z' ? 'a' - 'A' : 0);
        }
        return at;
    }

    /** A name with two hyphens may be Punycode, and one that ends in a digit an address literal. */
    private static boolean isPlainDomain(byte[] bytes, int from, int to) {
        int before = '.';
        for (int i = from; i < to; i++) {
            int c = bytes[i];
            if (c < 0 || !IN_DOMAIN[c] || (c == before && (c == '.' || c == '-'))) {
                return false;
            }
            before = c;
        }
        return to - from <= MAX_LABEL && before >= 'A';
    }

    private static ParsedAddress parseCarefully(String text) {
        String hidden = HiddenCharacters.complaint(text);
        if (hidden != null) {
            return new Malformed(hidden);
        }
        boolean quoted = text.startsWith("\"");
        int at = quoted ? endOfQuoted(text) : text.indexOf('@');
        if (at < 0) {
            return malformed(
                    quoted
                            ? "no closing quote followed by '@' in '%s'"
                            : "no '@' in '%s'; allowed: local@domain",
                    text);
        } else if (at == 0) {
            return malformed("nothing before '@' in '%s'", text);
        }
        String local = canonicalLocal(text.substring(0, at));
        if (local == null) {
            return malformed(
                    "the part before '@' of '%s' has a space, control character, bracket, comma or"
                            + " the like, which only a quoted one may have",
                    text);
        }
        String domain = parseDomain(text.substring(at + 1));
        if (domain == null) {
            return new Malformed(domainComplaint(text.substring(at + 1)));
        }
        byte[] bytes = local.getBytes(UTF_8);
        return bytes.length <= MAX_LOCAL
                ? new Address(Key.of(bytes, domain.getBytes(UTF_8)))
                : new Malformed(
                        "the part before '@' has " + bytes.length + " bytes; at most " + MAX_LOCAL);
    }

    private static Malformed malformed(String complaint, String text) {
        return new Malformed(complaint.formatted(Text.shown(text)));
    }

    /** Returns where the {@code @} after a quoted local part is, or -1 if there is none. */
    private static int endOfQuoted(String text) {
        int i = 1;
        while (i < text.length() && text.charAt(i) != '"') {
            i += text.charAt(i) == '\\' ? 2 : 1;
        }
        return text.startsWith("@", i + 1) ? i + 1 : -1;
    }

    /** Returns the canonical caseless form of a text (Unicode, section 3.13, D145) in NFC. */
    public static String folded(String text) {
        return Unicode.NFC.normalize(UCharacter.foldCase(Unicode.NFD.normalize(text), true));
    }

    /**
     * Returns the canonical form of a local part without hidden characters, which is {@link
     * #folded}. Returns null when it is none.
     */
    private static @Nullable String canonicalLocal(String written) {
        boolean quoted = written.startsWith("\"");
        String text =
                quoted
                        ? written.substring(1, written.length() - 1).replaceAll("(?s)\\\\(.)", "$1")
                        : written;
        String folded = folded(text);
        if (!folded.isEmpty()
                && folded.codePoints()
                        .allMatch(c -> c < 128 ? IN_LOCAL[c] : UCharacter.isPrintable(c))) {
            return folded;
        }
        return quoted && folded.codePoints().allMatch(UCharacter::isPrintable)
                ? '"' + folded.replace("\\", "\\\\").replace("\"", "\\\"") + '"'
                : null;
    }

    /**
     * Returns the canonical form of a domain, or null when {@code text} is none. The text has no
     * {@code @} and no dot before the domain.
     */
    public static @Nullable String parseDomain(String text) {
        if (text.isEmpty()
                || text.length() > MAX_TEXT
                || HiddenCharacters.complaint(text) != null) {
            return null;
        }
        boolean literal = text.charAt(0) == '[' || text.indexOf(':') >= 0;
        return literal ? canonicalLiteral(text) : Unicode.canonicalName(text);
    }

    /** Returns the reason why {@link #parseDomain} returned null for this text. */
    public static String domainComplaint(String text) {
        String hidden = HiddenCharacters.complaint(text);
        if (hidden != null || text.isEmpty()) {
            return hidden != null ? hidden : "no domain after '@'";
        }
        return ("'%s' is not a domain: letters, digits, '-', '_' in labels of 1 to %s separated by"
                        + " dots, at most %s in all, or an address literal in brackets")
                .formatted(Text.shown(text), MAX_LABEL, MAX_DOMAIN);
    }

    /**
     * Returns the canonical form of an address literal (RFC 5321, section 4.1.3), or null when it
     * is none. The brackets may be missing, since James removes them.
     */
    private static @Nullable String canonicalLiteral(String text) {
        boolean bracketed = text.startsWith("[") && text.endsWith("]");
        String lower =
                (bracketed ? text.substring(1, text.length() - 1) : text).toLowerCase(Locale.ROOT);
        String number = lower.startsWith("ipv6:") ? lower.substring("ipv6:".length()) : lower;
        if (number.indexOf(':') < 0) {
            return number.equals(lower) && IPV4.matcher(number).matches()
                    ? "[" + number + "]"
                    : null;
        }
        if (!number.matches("[0-9a-f:.]+")) {
            return null;
        }
        try {
            // A bracketed literal of these characters is never looked up in the DNS.
            InetAddress address = InetAddress.getByName("[" + number + "]");
            String tag = address instanceof Inet6Address ? "ipv6:" : "";
            return "[" + tag + address.getHostAddress() + "]";
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
