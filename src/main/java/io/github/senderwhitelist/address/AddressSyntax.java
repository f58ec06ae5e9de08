package io.github.senderwhitelist.address;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.lang.UCharacterCategory;
import com.ibm.icu.text.Normalizer2;

import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;

import org.jspecify.annotations.Nullable;

import java.util.Locale;

/**
 * The parser of addresses and domains, which brings each into the canonical form that keys have.
 * Two texts name the same sender exactly when their canonical forms are equal.
 *
 * <p>{@link Domains} describes the form of the domain. The local part is in NFC, case-folded
 * (Unicode default case folding), and quoted only where it has to be. Dots stay as they are, even
 * where RFC 5321 forbids them, because such senders exist. The local part has at most {@value
 * #MAX_LOCAL} bytes of UTF-8. That is more than the 64 of RFC 5321, because bounce addresses are
 * longer. No address has {@link HiddenCharacters}.
 *
 * <p>The canonical form of a canonical text is that text. {@link #VERSION} is the version of the
 * form. Every change of a rule raises it, and snapshots made under another version are refused.
 */
public final class AddressSyntax {
    /** The version of the canonical form. */
    public static final int VERSION = 2;

    /** The longest local part, in bytes of its canonical form. */
    public static final int MAX_LOCAL = 255;

    /**
     * The longest text that is parsed, in characters. No address with a local part of {@link
     * #MAX_LOCAL} bytes and a domain of 253 needs more.
     */
    private static final int MAX_TEXT = 2048;

    private static final String ALPHANUMERIC =
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    private static final boolean[] ATEXT = table(ALPHANUMERIC + "!#$%&'*+-/=?^_`{|}~.");
    private static final boolean[] IN_LABEL = table(ALPHANUMERIC + "-_");

    private static boolean[] table(String characters) {
        boolean[] table = new boolean[128];
        characters.chars().forEach(c -> table[c] = true);
        return table;
    }

    /** Unicode's data, which are loaded when the first address needs them. */
    private static final class Forms {
        static final Normalizer2 NFC = Normalizer2.getNFCInstance();
        static final Normalizer2 NFD = Normalizer2.getNFDInstance();

        private Forms() {}
    }

    private AddressSyntax() {}

    /** Returns the address that {@code text} stands for, or why it stands for none. */
    public static ParsedAddress parse(String text) {
        if (text.length() > MAX_TEXT) {
            return new Malformed("longer than any address: " + text.length() + " characters");
        }
        if (isAscii(text)) {
            byte[] bytes = text.getBytes(UTF_8);
            int at = canonicalizePlain(bytes, 0, bytes.length);
            if (at >= 0) {
                return new WellFormed(new Address(Key.ofAddress(bytes, at)));
            }
        }
        return parseCarefully(text);
    }

    /**
     * Returns the canonical form of a domain as UTF-8, or null when {@code text} is no domain. The
     * text has no {@code @} and no dot before the domain.
     */
    public static byte @Nullable [] parseDomain(String text) {
        String domain = text.length() > MAX_TEXT ? null : Domains.canonical(text);
        return domain == null ? null : domain.getBytes(UTF_8);
    }

    /** Returns the reason why {@link #parseDomain} returned null for this text. */
    public static String domainComplaint(String text) {
        return Domains.complaint(text);
    }

    /**
     * Brings {@code bytes[from, to)} into canonical form in place, if it is an address of the usual
     * kind: an ASCII local part without quotes at an ASCII domain.
     *
     * @return the index of the {@code @}; or -1, with the bytes unchanged, when the text needs
     *     {@link #parse}
     */
    public static int canonicalizePlain(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] != '@') {
            int c = bytes[at++];
            if (c < 0 || !ATEXT[c]) {
                return -1;
            }
        }
        if (at == from
                || at - from > MAX_LOCAL
                || to - at - 1 > Domains.MAX_LENGTH
                || !isPlainDomain(bytes, at + 1, to)) {
            return -1;
        }
        for (int i = from; i < to; i++) {
            bytes[i] += (byte) (bytes[i] >= 'A' && bytes[i] <= 'Z' ? 'a' - 'A' : 0);
        }
        return at;
    }

    private static boolean isPlainDomain(byte[] bytes, int from, int to) {
        int labelStart = from;
        boolean numeric = true;
        for (int i = from; i < to; i++) {
            int c = bytes[i];
            if (c == '.') {
                if (!isPlainLabel(bytes, labelStart, i)) {
                    return false;
                }
                labelStart = i + 1;
            } else if (c < 0 || !IN_LABEL[c]) {
                return false;
            } else {
                numeric &= c >= '0' && c <= '9';
            }
        }
        return !numeric && isPlainLabel(bytes, labelStart, to);
    }

    /**
     * Returns whether the bytes are a label that needs no IDNA processing. Labels with hyphens in
     * third and fourth place may be Punycode and do.
     */
    private static boolean isPlainLabel(byte[] bytes, int from, int to) {
        int length = to - from;
        return length > 0
                && length <= Domains.MAX_LABEL
                && !(length >= 4 && bytes[from + 2] == '-' && bytes[from + 3] == '-');
    }

    static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 128) {
                return false;
            }
        }
        return true;
    }

    private static ParsedAddress parseCarefully(String text) {
        String hidden = HiddenCharacters.complaint(text);
        if (hidden != null) {
            return new Malformed(hidden);
        }
        int at = text.startsWith("\"") ? endOfQuoted(text) : text.indexOf('@');
        if (at < 0 || at >= text.length() || text.charAt(at) != '@') {
            return new Malformed(
                    text.startsWith("\"")
                            ? "no closing quote followed by '@' in '" + Text.shown(text) + "'"
                            : "no '@' in '" + Text.shown(text) + "'; allowed: local@domain");
        }
        if (at == 0) {
            return new Malformed("nothing before '@' in '" + Text.shown(text) + "'");
        }
        String local = canonicalLocal(text.substring(0, at));
        if (local == null) {
            return new Malformed(
                    "the part before '@' of '"
                            + Text.shown(text)
                            + "' has a space, control character, bracket, comma or the like, which"
                            + " only a quoted one may have");
        }
        String domainText = text.substring(at + 1);
        String domain = Domains.canonical(domainText);
        if (domain == null) {
            return new Malformed(Domains.complaint(domainText));
        }
        byte[] localBytes = local.getBytes(UTF_8);
        if (localBytes.length > MAX_LOCAL) {
            return new Malformed(
                    "the part before '@' has "
                            + localBytes.length
                            + " bytes; at most "
                            + MAX_LOCAL);
        }
        return new WellFormed(new Address(Key.of(localBytes, domain.getBytes(UTF_8))));
    }

    private static int endOfQuoted(String text) {
        int i = 1;
        while (i < text.length() && text.charAt(i) != '"') {
            i += text.charAt(i) == '\\' ? 2 : 1;
        }
        return i < text.length() ? i + 1 : -1;
    }

    private static @Nullable String canonicalLocal(String written) {
        if (written.charAt(0) != '"') {
            String folded = folded(written);
            return isDotString(folded) ? folded : null;
        }
        StringBuilder content = new StringBuilder();
        for (int i = 1; i < written.length() - 1; i++) {
            char c = written.charAt(i);
            content.append(c == '\\' ? written.charAt(++i) : c);
        }
        String folded = folded(content.toString());
        if (isDotString(folded)) {
            return folded;
        }
        if (!folded.codePoints().allMatch(c -> c == ' ' || isPrintable(c))) {
            return null;
        }
        return '"' + folded.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }

    /** Returns the canonical caseless form (Unicode, section 3.13, D145) in NFC. */
    static String folded(String text) {
        if (isAscii(text)) {
            return text.toLowerCase(Locale.ROOT);
        }
        return Forms.NFC.normalize(UCharacter.foldCase(Forms.NFD.normalize(text), true));
    }

    private static boolean isDotString(String local) {
        return !local.isEmpty()
                && local.codePoints().allMatch(c -> c < 128 ? ATEXT[c] : isPrintable(c));
    }

    private static boolean isPrintable(int c) {
        return switch (UCharacter.getType(c)) {
            case UCharacterCategory.CONTROL,
                    UCharacterCategory.SURROGATE,
                    UCharacterCategory.UNASSIGNED,
                    UCharacterCategory.PRIVATE_USE,
                    UCharacterCategory.LINE_SEPARATOR,
                    UCharacterCategory.PARAGRAPH_SEPARATOR,
                    UCharacterCategory.SPACE_SEPARATOR,
                    UCharacterCategory.FORMAT ->
                    false;
            default -> true;
        };
    }
}
