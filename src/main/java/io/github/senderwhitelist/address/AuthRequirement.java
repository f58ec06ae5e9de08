package io.github.senderwhitelist.address;

import java.util.List;
import java.util.Locale;

/**
 * The authentication that must have confirmed the domain of a sender before the sender counts as
 * listed. Snapshots hold the place in this order.
 */
public enum AuthRequirement {
    /** No authentication is required. */
    NONE,
    /** SPF (RFC 7208) must have confirmed the domain. */
    SPF,
    /** DKIM (RFC 6376) must have confirmed the domain. */
    DKIM,
    /** SPF or DKIM must have confirmed the domain. */
    ANY;

    /** Returns the number that stands for this requirement in snapshots. */
    @SuppressWarnings("EnumOrdinal")
    byte code() {
        return (byte) ordinal();
    }

    /** The requirements by the names that lists and configurations use. */
    public static final ValueType<AuthRequirement> VALUES =
            ValueType.oneOf(AuthRequirement::label, List.of(AuthRequirement.values()));

    /** Returns the name that lists and configurations use. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
