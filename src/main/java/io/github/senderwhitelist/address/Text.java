package io.github.senderwhitelist.address;

/** Text from outside, made fit for a message or a log line. */
public final class Text {
    private static final int MAX_SHOWN = 80;

    private Text() {}

    /**
     * The text on one line: what does not show or turns the line around as escapes, long text cut.
     */
    public static String shown(String text) {
        StringBuilder shown = new StringBuilder();
        int at = 0;
        for (int count = 0; at < text.length() && count < MAX_SHOWN; count++) {
            int c = text.codePointAt(at);
            at += Character.charCount(c);
            if (isShown(c)) {
                shown.appendCodePoint(c);
            } else {
                shown.append(String.format(c < 0x10000 ? "\\u%04x" : "\\u{%x}", c));
            }
        }
        return at < text.length()
                ? shown + "… (" + text.length() + " characters)"
                : shown.toString();
    }

    private static boolean isShown(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR ->
                    false;
            default -> true;
        };
    }
}
