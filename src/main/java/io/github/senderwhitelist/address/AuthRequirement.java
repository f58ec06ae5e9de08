package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.util.Locale;
import java.util.Optional;

/** What must have confirmed the domain of a sender before the sender counts as listed. */
public enum AuthRequirement {
    /** Nothing. */
    NONE(0),
    /** SPF (RFC 7208). */
    SPF(1),
    /** DKIM (RFC 6376). */
    DKIM(2),
    /** One of the two. */
    ANY(3);

    private final byte code;

    AuthRequirement(int code) {
        this.code = (byte) code;
    }

    /** The number that snapshots write. */
    byte code() {
        return code;
    }

    /** The requirement of that number, or null. */
    static @Nullable AuthRequirement ofCode(byte code) {
        for (AuthRequirement requirement : values()) {
            if (requirement.code == code) {
                return requirement;
            }
        }
        return null;
    }

    /** The name as lists and configurations write it. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The requirement of that name. */
    public static Optional<AuthRequirement> of(String label) {
        for (AuthRequirement requirement : values()) {
            if (requirement.label().equals(label)) {
                return Optional.of(requirement);
            }
        }
        return Optional.empty();
    }

    /** All names, for messages. */
    public static String labels() {
        return "none, spf, dkim, any";
    }
}
