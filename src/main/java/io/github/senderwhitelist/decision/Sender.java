package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;

/** The sender of a mail: an address, or nobody that a list could hold. */
public sealed interface Sender {
    /** The null sender {@code <>}, which bounces have (RFC 5321, section 4.5.5). */
    Sender NULL = new Nobody(Reason.NULL_SENDER, "the null sender");

    /** A sender with a well-formed address. */
    record Known(Address address) implements Sender {}

    /** A sender that no list can hold, so it is never listed; and why, in words for people. */
    record Nobody(Reason reason, String why) implements Sender {}

    /** Parses a sender: an address, or an empty string or {@code <>} for the null sender. */
    static Sender parse(String written) {
        if (written.isEmpty() || written.equals("<>")) {
            return NULL;
        }
        // Java makes a class for each switch over types, which is felt where one address is asked.
        ParsedAddress parsed = AddressSyntax.parse(written);
        return parsed instanceof Address address
                ? new Known(address)
                : new Nobody(Reason.MALFORMED, ((Malformed) parsed).reason());
    }
}
