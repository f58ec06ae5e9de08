package io.github.senderwhitelist.address;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.lang.UProperty;

import java.util.Locale;

/**
 * The characters that do not show: white space of every kind, and what programs may leave out when
 * they show a text ({@code Default_Ignorable_Code_Point}, which PRECIS forbids in names), such as
 * zero-width spaces, byte order marks and marks of direction.
 *
 * <p>Around an entry they are white space. Within an address they are an error, since two addresses
 * that look alike must not be two keys: a denial of one would not hold for the other. Only the two
 * joiners are part of an address where its script needs them.
 */
public final class HiddenCharacters {
    private static final int ZERO_WIDTH_NON_JOINER = 0x200c;
    private static final int ZERO_WIDTH_JOINER = 0x200d;
    private static final int VIRAMA = 9;

    /** A pattern of Braille without dots is a symbol to Unicode, but looks like a space. */
    private static final int BRAILLE_BLANK = 0x2800;

    private HiddenCharacters() {}

    /** Returns whether a character is white space, be it one that no line is broken at. */
    public static boolean isWhiteSpace(int c) {
        return c < 0x80 ? c == ' ' || (c >= '\t' && c <= '\r') : UCharacter.isUWhiteSpace(c);
    }

    /** Returns whether a character does not show. Control characters are another matter. */
    static boolean isHidden(int c) {
        return isWhiteSpace(c)
                || (c >= 0x80
                        && (c == BRAILLE_BLANK
                                || UCharacter.hasBinaryProperty(
                                        c, UProperty.DEFAULT_IGNORABLE_CODE_POINT)));
    }

    /** Returns a text without the characters around it that do not show. */
    public static String strip(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isHidden(text.codePointAt(from))) {
            from += Character.charCount(text.codePointAt(from));
        }
        while (from < to && isHidden(text.codePointBefore(to))) {
            to -= Character.charCount(text.codePointBefore(to));
        }
        return text.substring(from, to);
    }

    /** Returns whether a text has characters beyond ASCII that no address may have. */
    static boolean isIn(String text) {
        return first(text) >= 0;
    }

    /** Returns the complaint about the first character that {@link #isIn} finds. */
    static String complaint(String text) {
        return "'"
                + Text.shown(text)
                + "' has U+"
                + String.format(Locale.ROOT, "%04X", first(text))
                + ", a character that does not show; take it out";
    }

    private static int first(String text) {
        if (AddressSyntax.isAscii(text)) {
            return -1;
        }
        // Marks may change places in the canonical form, which is judged here, too.
        int[] all = AddressSyntax.folded(text).codePoints().toArray();
        for (int i = 0; i < all.length; i++) {
            if (all[i] >= 0x80 && isHidden(all[i]) && !joins(all, i)) {
                return all[i];
            }
        }
        return -1;
    }

    /** Returns whether a character is a joiner at a place that RFC 5892, appendix A, allows. */
    private static boolean joins(int[] text, int at) {
        int c = text[at];
        if (at == 0 || (c != ZERO_WIDTH_JOINER && c != ZERO_WIDTH_NON_JOINER)) {
            return false;
        }
        if (UCharacter.getCombiningClass(text[at - 1]) == VIRAMA) {
            return true;
        }
        return c == ZERO_WIDTH_NON_JOINER
                && isJoined(text, at, -1, UCharacter.JoiningType.LEFT_JOINING)
                && isJoined(text, at, 1, UCharacter.JoiningType.RIGHT_JOINING);
    }

    /** Returns whether the next letter in a direction joins towards the character at a place. */
    private static boolean isJoined(int[] text, int at, int step, int towards) {
        int i = at + step;
        while (i >= 0
                && i < text.length
                && joiningType(text[i]) == UCharacter.JoiningType.TRANSPARENT) {
            i += step;
        }
        int type = i < 0 || i == text.length ? -1 : joiningType(text[i]);
        return type == towards || type == UCharacter.JoiningType.DUAL_JOINING;
    }

    private static int joiningType(int c) {
        return UCharacter.getIntPropertyValue(c, UProperty.JOINING_TYPE);
    }
}
