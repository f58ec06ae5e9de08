package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.ValueType;

/** The reason of a verdict: the first in this order, when a sender has several not to be listed. */
public enum Reason implements ValueType.Word {
    /** An entry lists the sender. */
    LISTED,
    /** A {@code !} entry denies the sender. */
    DENIED,
    /** An entry would list the sender, but nothing has confirmed that the mail is the sender's. */
    UNAUTHENTICATED,
    /** An entry listed the sender until a day that is over. */
    EXPIRED,
    /** An entry lists the sender from a day that is to come. */
    NOT_YET,
    /** No entry is about the sender and the recipient. */
    STRANGER,
    /** The header From: is missing, there twice, or does not name one mailbox. */
    AMBIGUOUS_FROM,
    /** The sender is not an address, so no list can hold it. */
    MALFORMED,
    /** The mail has the null sender. */
    NULL_SENDER,
    /** The exact store could not answer, or an error in the program prevented an answer. */
    UNAVAILABLE
}
