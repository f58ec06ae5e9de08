package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.ValueType;

/** A way in which a mail is confirmed to come from its sender. */
public enum Confirmation implements ValueType.Word {
    /** The client has logged in, by SMTP or JMAP, and the sender is at a domain of this server. */
    LOGIN,
    /** The client is in an authorised network, and the sender is at a domain of this server. */
    NETWORK,
    /** SPF (RFC 7208) has confirmed the domain. */
    SPF,
    /** DKIM (RFC 6376) has confirmed the domain. */
    DKIM
}
