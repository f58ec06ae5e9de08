package io.github.senderwhitelist;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Makes text from the bytes of a fuzzer. */
public final class FuzzText {
    private FuzzText() {}

    /**
     * The text of {@code data[from, to)}: as UTF-8; or, when {@code units}, each two bytes a unit
     * of UTF-16, so that there are surrogates without their other half.
     */
    public static String of(byte[] data, int from, int to, boolean units) {
        if (!units) {
            return new String(data, from, to - from, UTF_8);
        }
        StringBuilder text = new StringBuilder();
        for (int i = from; i + 1 < to; i += 2) {
            text.append((char) ((data[i] & 0xff) << 8 | (data[i + 1] & 0xff)));
        }
        return text.toString();
    }

    /** Fails unless the condition holds. */
    public static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    /** Fails unless a message is one line that a terminal shows as it is. */
    public static void requireOneLine(String message) {
        require(
                message.codePoints()
                        .noneMatch(
                                c ->
                                        Character.isISOControl(c)
                                                || Character.getType(c) == Character.LINE_SEPARATOR
                                                || Character.getType(c)
                                                        == Character.PARAGRAPH_SEPARATOR),
                "not one line: " + message);
        require(message.length() < 4000, "a message of " + message.length() + " characters");
    }
}
