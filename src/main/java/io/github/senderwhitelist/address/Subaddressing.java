package io.github.senderwhitelist.address;

import java.util.Optional;

/**
 * The delimiter of tags in local parts (RFC 5233): the tag is all from the first one on.
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
        boolean isOne = text.length() == 1 && ALLOWED.contains(text);
        return isOne || text.equals("none")
                ? Optional.of(isOne ? new Subaddressing((byte) text.charAt(0)) : NONE)
                : Optional.empty();
    }
}
