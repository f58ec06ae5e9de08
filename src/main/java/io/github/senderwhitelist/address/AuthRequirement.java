package io.github.senderwhitelist.address;

/**
 * The authentication that must have confirmed a sender's domain before the sender counts as listed.
 * Snapshots hold the place in this order.
 */
public enum AuthRequirement implements ValueType.Word {
    /** No authentication is required. */
    NONE,
    /** SPF (RFC 7208) must have confirmed the domain. */
    SPF,
    /** DKIM (RFC 6376) must have confirmed the domain. */
    DKIM,
    /** SPF or DKIM must have confirmed the domain. */
    ANY;

    /** The requirements by the names that lists and configurations use. */
    public static final ValueType<AuthRequirement> VALUES = ValueType.oneOf(values());
}
