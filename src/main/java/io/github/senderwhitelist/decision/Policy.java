package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;

import java.time.InstantSource;

/**
 * The settings of a decision that are not part of a list.
 *
 * @param subaddressing which character begins the tag of a sender's address
 * @param unwrapping what is taken off a sender's address
 * @param required the authentication a sender needs when its entry requires none itself
 * @param clock the clock for entries with dates
 * @param recipientTags which character begins the tag of a recipient's address
 * @param users finds the users that recipients belong to, for entries for some recipients
 */
public record Policy(
        Subaddressing subaddressing,
        Unwrapping unwrapping,
        AuthRequirement required,
        InstantSource clock,
        Subaddressing recipientTags,
        RecipientUsers users) {
    /** Returns the policy of questions that no mailet asks. */
    public static Policy plain(RecipientUsers users) {
        return new Policy(
                Subaddressing.DEFAULT,
                Unwrapping.NONE,
                AuthRequirement.NONE,
                InstantSource.system(),
                Subaddressing.NONE,
                users);
    }
}
