package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;

/** The sender of a mail, as a decision takes it. */
public sealed interface Sender {
    /** The sender of bounces, {@code <>}. */
    Sender NULL = new Nobody(Reason.NULL_SENDER, "the null sender");

    /** A sender that a list can hold. */
    record Known(Address address) implements Sender {}

    /**
     * No sender that a list could hold, and so never a listed one.
     *
     * @param reason the reason of its verdicts
     * @param why the same in words for people
     */
    record Nobody(Reason reason, String why) implements Sender {}

    /** Returns the sender that is written so: an address, or nothing or {@code <>}. */
    static Sender parse(String written) {
        if (written.isEmpty() || written.equals("<>")) {
            return NULL;
        }
        return switch (AddressSyntax.parse(written)) {
            case WellFormed(Address address) -> new Known(address);
            case Malformed(String reason) -> new Nobody(Reason.MALFORMED, reason);
        };
    }
}
