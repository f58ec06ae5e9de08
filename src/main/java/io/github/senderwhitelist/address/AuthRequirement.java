package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.util.Locale;

/**
 * The authentication that must have confirmed the domain of a sender before the sender counts as
 * listed.
 */
public enum AuthRequirement {
    /** No authentication is required. */
    NONE(0),
    /** SPF (RFC 7208) must have confirmed the domain. */
    SPF(1),
    /** DKIM (RFC 6376) must have confirmed the domain. */
    DKIM(2),
    /** SPF or DKIM must have confirmed the domain. */
    ANY(3);

    private final byte code;

    AuthRequirement(int code) {
        this.code = (byte) code;
    }

    /** Returns the number that stands for this requirement in snapshots. */
    byte code() {
        return code;
    }

    /** Returns the requirement that this number stands for, or null when there is none. */
    static @Nullable AuthRequirement ofCode(byte code) {
        for (AuthRequirement requirement : values()) {
            if (requirement.code == code) {
                return requirement;
            }
        }
        return null;
    }

    /** The requirements by the names that lists and configurations use. */
    public static final ValueType<AuthRequirement> VALUES =
            ValueType.oneOf(AuthRequirement.class, AuthRequirement::label);

    /** Returns the name that lists and configurations use. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
