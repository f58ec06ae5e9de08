package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;

import java.time.InstantSource;
import java.util.function.Predicate;

/**
 * What a mailet or matcher was told: the settings of a decision that are not part of a list.
 *
 * @param subaddressing the tags of senders
 * @param required the authentication a sender needs when its entry requires none itself
 * @param recipientTags the tags of recipients
 * @param listedOnFailure whether a sender counts as listed when the store cannot answer
 * @param isLocal returns whether a domain is one of this server's
 */
public record Policy(
        Subaddressing subaddressing,
        Unwrapping unwrapping,
        AuthRequirement required,
        InstantSource clock,
        Subaddressing recipientTags,
        RecipientUsers users,
        SenderIdentity identity,
        boolean listedOnFailure,
        Predicate<String> isLocal) {
    /** Makes the policy of questions by the envelope, for entries as they are written. */
    public Policy(
            Subaddressing subaddressing,
            InstantSource clock,
            Subaddressing recipientTags,
            RecipientUsers users) {
        this(
                subaddressing,
                Unwrapping.NONE,
                AuthRequirement.NONE,
                clock,
                recipientTags,
                users,
                SenderIdentity.ENVELOPE,
                false,
                domain -> false);
    }

    /** Returns whether a sender counts as listed by a verdict. */
    public boolean countsAsListed(Verdict verdict) {
        return verdict instanceof Verdict.Listed
                || (verdict instanceof Verdict.Unavailable && listedOnFailure);
    }
}
