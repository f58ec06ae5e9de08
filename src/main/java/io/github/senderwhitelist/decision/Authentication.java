package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;

/**
 * What is known about where a mail comes from. A decision asks only when an entry or the policy
 * requires authentication.
 */
@FunctionalInterface
public interface Authentication {
    /** Confirms nobody: it meets only {@link AuthRequirement#NONE}. */
    Authentication UNCONFIRMED = (required, sender) -> required == AuthRequirement.NONE;

    /** Returns whether the required check has confirmed that the mail is this sender's. */
    boolean meets(AuthRequirement required, Address sender);
}
