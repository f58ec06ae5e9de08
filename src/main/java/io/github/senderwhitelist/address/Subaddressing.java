package io.github.senderwhitelist.address;

import java.util.Optional;

/**
 * How a local part carries a tag (RFC 5233): everything from the first delimiter on.
 *
 * @param delimiter one printable ASCII character, or 0 for none
 */
public record Subaddressing(byte delimiter) {
    /** No tags. */
    public static final Subaddressing NONE = new Subaddressing((byte) 0);

    /** What begins a tag unless somebody says otherwise. */
    public static final Subaddressing DEFAULT = new Subaddressing((byte) '+');

    private static final String ALLOWED = "+-=_#~%!&*^|/";

    /**
     * The delimiter that {@code text} names, or empty when it is neither {@code none} nor one of
     * the allowed characters.
     */
    public static Optional<Subaddressing> parse(String text) {
        if (text.equals("none")) {
            return Optional.of(NONE);
        }
        return text.length() == 1 && ALLOWED.contains(text)
                ? Optional.of(new Subaddressing((byte) text.charAt(0)))
                : Optional.empty();
    }

    /** The text that {@link #parse} takes for this. */
    public String label() {
        return delimiter == 0 ? "none" : String.valueOf((char) delimiter);
    }

    /** What {@link #parse} takes, for messages. */
    public static String allowed() {
        return "none, or one of " + ALLOWED;
    }

    /** Where the tag begins in a canonical local part, or -1. */
    int tagStart(byte[] local, int length) {
        if (delimiter == 0 || local[0] == delimiter || local[0] == '"') {
            return -1;
        }
        for (int i = 1; i < length; i++) {
            if (local[i] == delimiter) {
                return i;
            }
        }
        return -1;
    }
}
