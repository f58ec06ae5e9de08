package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;

/** What is known of where a mail comes from. Asked only when an entry depends on it. */
@FunctionalInterface
public interface Authentication {
    /** Nothing has been confirmed. */
    Authentication UNCONFIRMED = (required, sender) -> required == AuthRequirement.NONE;

    /** Whether what is required has confirmed that the mail is this sender's. */
    boolean meets(AuthRequirement required, Address sender);
}
