package io.github.senderwhitelist.decision;

import java.util.Locale;

/**
 * Why a verdict is what it is. Of several reasons not to list a sender the first in this order is
 * told.
 */
public enum Reason {
    /** An entry lists the sender. */
    LISTED,
    /** A {@code !} entry. */
    DENIED,
    /** An entry would list the sender, but nothing has confirmed that the mail is the sender's. */
    UNAUTHENTICATED,
    /** An entry listed the sender until a day that is over. */
    EXPIRED,
    /** An entry lists the sender from a day that is to come. */
    NOT_YET,
    /** An entry lists the sender for other recipients. */
    RECIPIENT,
    /** No entry speaks of the sender. */
    STRANGER,
    /** The header From: is missing, there twice, or does not name one mailbox. */
    AMBIGUOUS_FROM,
    /** The sender is no address that a list could hold. */
    MALFORMED,
    /** The mail has the null sender. */
    NULL_SENDER,
    /** The exact store could not answer, or an error in the program prevented an answer. */
    UNAVAILABLE;

    /** The name that mails carry. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
