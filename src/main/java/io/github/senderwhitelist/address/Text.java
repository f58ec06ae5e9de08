package io.github.senderwhitelist.address;

import java.util.stream.Collectors;

/** Escapes text from outside for messages and log lines. */
public final class Text {
    private static final int MAX_SHOWN = 80;

    private Text() {}

    /**
     * Returns the text as {@link #escaped} does. Text of more than 80 characters is cut after the
     * 80th, and its length is added.
     */
    public static String shown(String text) {
        if (text.codePointCount(0, text.length()) <= MAX_SHOWN) {
            return escaped(text);
        }
        String start = text.substring(0, text.offsetByCodePoints(0, MAX_SHOWN));
        return escaped(start) + "… (" + text.length() + " characters)";
    }

    /**
     * Returns the whole text on one line. Characters that are invisible or change the direction of
     * writing, such as control characters, are written as a backslash, {@code u} and four
     * hexadecimal digits. Characters beyond U+FFFF have their digits in braces.
     */
    public static String escaped(String text) {
        return text.codePoints()
                .mapToObj(
                        c ->
                                isShown(c)
                                        ? Character.toString(c)
                                        : String.format(c < 0x10000 ? "\\u%04x" : "\\u{%x}", c))
                .collect(Collectors.joining());
    }

    private static boolean isShown(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL, Character.FORMAT, Character.SURROGATE -> false;
            default -> (c >= ' ' && c < 0x7f) || !HiddenCharacters.isHidden(c);
        };
    }
}
