package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;

import java.util.Set;

/** What is known about where a mail comes from; asked only when authentication is required. */
@FunctionalInterface
public interface Authentication {
    /** Confirms nobody: it meets only {@link AuthRequirement#NONE}. */
    Authentication UNCONFIRMED = sender -> Set.of();

    /** Returns what confirms that the mail is this sender's. */
    Set<Confirmation> confirmations(Address sender);

    /** Returns whether the required check has confirmed that the mail is this sender's. */
    default boolean meets(AuthRequirement required, Address sender) {
        if (required == AuthRequirement.NONE) {
            return true;
        }
        Set<Confirmation> confirmed = confirmations(sender);
        return confirmed.contains(Confirmation.LOGIN)
                || confirmed.contains(Confirmation.NETWORK)
                || (required != AuthRequirement.DKIM && confirmed.contains(Confirmation.SPF))
                || (required != AuthRequirement.SPF && confirmed.contains(Confirmation.DKIM));
    }
}
