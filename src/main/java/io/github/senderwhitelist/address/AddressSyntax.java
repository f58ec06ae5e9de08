package io.github.senderwhitelist.address;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.lang.UCharacterCategory;
import com.ibm.icu.text.Normalizer2;

import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;

import org.jspecify.annotations.Nullable;

/**
 * Turns what people and mails write into the one canonical form that keys have.
 *
 * <p>Domain: see {@link Domains}. Local part: NFC and case-folded (Unicode default case folding),
 * without quotes where they change nothing; dots stay as they are, also in places RFC 5321 forbids,
 * because such senders exist. At most {@value #MAX_LOCAL} bytes of UTF-8, more than the 64 of RFC
 * 5321, because bounce addresses are longer.
 *
 * <p>Canonical text is its own canonical form. {@link #VERSION} names this form; a change of any
 * rule raises it, and a snapshot made under another is not answered from.
 */
public final class AddressSyntax {
    /** The version of the canonical form. */
    public static final int VERSION = 1;

    /** The longest local part, in bytes of its canonical form. */
    public static final int MAX_LOCAL = 255;

    /**
     * Text longer than this is refused unread; no address of {@link #MAX_LOCAL} and 253 bytes needs
     * more.
     */
    private static final int MAX_TEXT = 2048;

    private static final Normalizer2 NFC = Normalizer2.getNFCInstance();
    private static final Normalizer2 NFD = Normalizer2.getNFDInstance();
    private static final boolean[] ATEXT = new boolean[128];

    static {
        for (int c = 'a'; c <= 'z'; c++) {
            ATEXT[c] = true;
            ATEXT[c - 'a' + 'A'] = true;
        }
        for (int c = '0'; c <= '9'; c++) {
            ATEXT[c] = true;
        }
        for (char c : "!#$%&'*+-/=?^_`{|}~.".toCharArray()) {
            ATEXT[c] = true;
        }
    }

    private AddressSyntax() {}

    /** The address that {@code text} writes. */
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
        return careful(text);
    }

    /**
     * The canonical domain in {@code text} (without {@code @} or leading dot), as UTF-8, or null
     * when it is none.
     */
    public static byte @Nullable [] parseDomain(String text) {
        String domain = text.length() > MAX_TEXT ? null : Domains.canonical(text);
        return domain == null ? null : domain.getBytes(UTF_8);
    }

    /** Why {@link #parseDomain} gave null for this text. */
    public static String domainComplaint(String text) {
        return Domains.complaint(text);
    }

    /**
     * Brings the common case into canonical form where it stands: {@code bytes[from, to)} is an
     * ASCII dot-string at an ASCII domain. Returns where its {@code @} is, or -1, and nothing has
     * changed, when it takes {@link #parse} to tell.
     */
    public static int canonicalizePlain(byte[] bytes, int from, int to) {
        int at = from;
        while (at < to && bytes[at] != '@') {
            int c = bytes[at++];
            if (c < 0 || !ATEXT[c]) {
                return -1;
            }
        }
        if (at == from || at - from > MAX_LOCAL || to - at - 1 > Domains.MAX_LENGTH) {
            return -1;
        }
        if (!isPlainDomain(bytes, at + 1, to)) {
            return -1;
        }
        for (int i = from; i < to; i++) {
            bytes[i] = lower(bytes[i]);
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
            } else if (!Domains.isLabelByte(lower(c))) {
                return false;
            } else {
                numeric &= c >= '0' && c <= '9';
            }
        }
        return !numeric && isPlainLabel(bytes, labelStart, to);
    }

    /** A label with hyphens in third and fourth place may be Punycode. */
    private static boolean isPlainLabel(byte[] bytes, int from, int to) {
        int length = to - from;
        return length > 0
                && length <= Domains.MAX_LABEL
                && !(length >= 4 && bytes[from + 2] == '-' && bytes[from + 3] == '-');
    }

    private static byte lower(int c) {
        return (byte) (c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 128) {
                return false;
            }
        }
        return true;
    }

    private static ParsedAddress careful(String text) {
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
        String local = local(text.substring(0, at));
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
        for (int i = 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                return i + 1;
            }
        }
        return -1;
    }

    private static @Nullable String local(String written) {
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

    /** Canonical caseless form (Unicode, section 3.13, D145), composed. */
    private static String folded(String text) {
        if (isAscii(text)) {
            byte[] ascii = text.getBytes(UTF_8);
            for (int i = 0; i < ascii.length; i++) {
                ascii[i] = lower(ascii[i]);
            }
            return new String(ascii, UTF_8);
        }
        return NFC.normalize(UCharacter.foldCase(NFD.normalize(text), true));
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
                    UCharacterCategory.SPACE_SEPARATOR ->
                    false;
            default -> true;
        };
    }
}
