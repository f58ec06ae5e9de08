package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

/**
 * The author of a line, which decides over which others it prevails. Snapshots and databases hold
 * the place in this order.
 */
public enum Origin implements ValueType.Word {
    /** The administrator, whose denials prevail over all other lines. */
    ADMIN,
    /** The user who is the recipient. The line holds for that user only. */
    USER,
    /** The server, which has seen the user write to the sender. */
    LEARNED;

    /** Returns the number that stands for this origin in snapshots and databases. */
    @SuppressWarnings("EnumOrdinal")
    public byte code() {
        return (byte) ordinal();
    }

    /** Returns the origin that this number stands for, or null when there is none. */
    public static @Nullable Origin ofCode(byte code) {
        return code >= 0 && code < values().length ? values()[code] : null;
    }

    /** The origins by the names that lists use. */
    public static final ValueType<Origin> VALUES = ValueType.oneOf(values());
}
