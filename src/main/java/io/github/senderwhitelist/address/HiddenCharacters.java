package io.github.senderwhitelist.address;

import com.ibm.icu.lang.UCharacter;
import com.ibm.icu.lang.UProperty;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.OptionalInt;

/**
 * The characters that do not show: white space of every kind, and what programs may leave out when
 * they show a text ({@code Default_Ignorable_Code_Point}, which PRECIS forbids in names), such as
 * zero-width spaces, byte order marks and marks of direction.
 *
 * <p>Around an entry they are white space. Within an address they are an error, even the joiners
 * that some scripts need: a denial of one of two addresses that look alike would not hold for the
 * other.
 */
public final class HiddenCharacters {
    /** A pattern of Braille without dots is a symbol to Unicode, but looks like a space. */
    private static final int BRAILLE_BLANK = 0x2800;

    private HiddenCharacters() {}

    /** Returns whether a character is white space, be it one that no line is broken at. */
    public static boolean isWhiteSpace(int c) {
        return c < 0x80 ? c == ' ' || (c >= '\t' && c <= '\r') : UCharacter.isUWhiteSpace(c);
    }

    /** Returns whether a character does not show. Control characters are another matter. */
    public static boolean isHidden(int c) {
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

    /** Returns the complaint about the first that a text has beyond ASCII, or null. */
    static @Nullable String complaint(String text) {
        OptionalInt first = text.codePoints().filter(c -> c >= 0x80 && isHidden(c)).findFirst();
        return first.isEmpty()
                ? null
                : String.format(
                        Locale.ROOT,
                        "'%s' has U+%04X, a character that does not show; take it out",
                        Text.shown(text),
                        first.getAsInt());
    }
}
