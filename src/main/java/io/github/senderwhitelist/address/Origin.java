package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.util.Locale;

/** The author of a line of a list, which decides over which other lines it prevails. */
public enum Origin {
    /** The administrator, whose denials prevail over all other lines. */
    ADMIN(0),
    /** The user who is the recipient. The line holds for that user only. */
    USER(1),
    /** The server, which has seen the user write to the sender. */
    LEARNED(2);

    private final byte code;

    Origin(int code) {
        this.code = (byte) code;
    }

    /** Returns the number that stands for this origin in snapshots and databases. */
    public byte code() {
        return code;
    }

    /** Returns the origin that this number stands for, or null when there is none. */
    public static @Nullable Origin ofCode(byte code) {
        for (Origin origin : values()) {
            if (origin.code == code) {
                return origin;
            }
        }
        return null;
    }

    /** The origins by the names that lists use. */
    public static final ValueType<Origin> VALUES = ValueType.oneOf(Origin.class, Origin::label);

    /** Returns the name that lists use. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
