package io.github.senderwhitelist.address;

/** Text from outside, made fit for a message or a log line. */
public final class Text {
    private static final int MAX_SHOWN = 80;

    private Text() {}

    /** The text on one line: control characters as escapes, long text cut. */
    public static String shown(String text) {
        StringBuilder shown = new StringBuilder();
        int end = Math.min(text.length(), MAX_SHOWN);
        for (int i = 0; i < end; i++) {
            char c = text.charAt(i);
            if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029' || c == '\uFEFF') {
                shown.append(String.format("\\u%04x", (int) c));
            } else {
                shown.append(c);
            }
        }
        return end < text.length()
                ? shown + "… (" + text.length() + " characters)"
                : shown.toString();
    }
}
