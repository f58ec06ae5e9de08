package io.github.senderwhitelist.address;

import java.util.Locale;
import java.util.Optional;

/** What must have confirmed the domain of a sender before the sender counts as listed. */
public enum AuthRequirement {
    /** Nothing. */
    NONE,
    /** SPF (RFC 7208). */
    SPF,
    /** DKIM (RFC 6376). */
    DKIM,
    /** One of the two. */
    ANY;

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
