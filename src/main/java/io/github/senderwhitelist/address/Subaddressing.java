package io.github.senderwhitelist.address;

import java.util.Optional;

/**
 * The delimiter of tags in local parts (RFC 5233). The tag is everything from the first delimiter
 * on.
 *
 * @param delimiter a printable ASCII character, or 0 when addresses have no tags
 */
public record Subaddressing(byte delimiter) {
    /** Addresses have no tags. */
    public static final Subaddressing NONE = new Subaddressing((byte) 0);

    /** The delimiter that is used unless another one is configured. */
    public static final Subaddressing DEFAULT = new Subaddressing((byte) '+');

    private static final String ALLOWED = "+-=_#~%!&*^|/";

    /** The delimiters that people may choose. */
    public static final ValueType<Subaddressing> VALUES =
            new ValueType<>(Subaddressing::parse, "none, or one of " + ALLOWED);

    private static Optional<Subaddressing> parse(String text) {
        if (text.equals("none")) {
            return Optional.of(NONE);
        }
        return text.length() == 1 && ALLOWED.contains(text)
                ? Optional.of(new Subaddressing((byte) text.charAt(0)))
                : Optional.empty();
    }

    /** Returns how people write this delimiter. */
    public String label() {
        return delimiter == 0 ? "none" : String.valueOf((char) delimiter);
    }

    @Override
    public String toString() {
        return label();
    }

    /**
     * Returns the index at which the tag of a canonical local part begins, or -1 when it has no
     * tag.
     */
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
