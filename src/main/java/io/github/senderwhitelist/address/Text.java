package io.github.senderwhitelist.address;

import java.util.stream.Collectors;

/** Escapes text from outside for messages and log lines. */
public final class Text {
    private static final int MAX_SHOWN = 80;

    private Text() {}

    /** Returns the text {@link #escaped}, cut after 80 characters, then with its length. */
    public static String shown(String text) {
        if (text.codePointCount(0, text.length()) <= MAX_SHOWN) {
            return escaped(text);
        }
        String start = text.substring(0, text.offsetByCodePoints(0, MAX_SHOWN));
        return escaped(start) + "… (" + text.length() + " characters)";
    }

    /**
     * Returns the whole text on one line. Characters that are invisible or change the direction of
     * writing are written as a backslash, {@code u} and hexadecimal digits: four, or in braces.
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
            default -> c == ' ' || !HiddenCharacters.isHidden(c);
        };
    }
}
