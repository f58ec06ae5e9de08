package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;

/**
 * The rule by which the envelope sender of a mail and the mailbox in its header From: are one
 * sender: they are the same address, or two of an organisation that answers for both.
 *
 * <p>An organisation does not answer for what its forwarder passes on, whose From: anybody may have
 * written. A {@linkplain PublicProviders public mail provider} does not answer for one customer to
 * another.
 */
public final class SameSender {
    private SameSender() {}

    /** Returns whether an envelope sender and another address of the mail are one sender. */
    public static boolean is(Address envelope, Address other) {
        return envelope.equals(other)
                || (!envelope.isForwarded()
                        && PublicSuffixes.aligned(envelope.domain(), other.domain())
                        && !PublicProviders.has(other.domain()));
    }
}
