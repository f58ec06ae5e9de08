package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Subaddressing;

import java.time.InstantSource;

/**
 * What a decision takes into account beside the lists.
 *
 * @param subaddressing what begins a tag
 * @param unwrapping what is taken off a sender
 * @param required what must have confirmed a sender, where its entry does not say
 * @param clock tells the day
 */
public record Policy(
        Subaddressing subaddressing,
        Unwrapping unwrapping,
        AuthRequirement required,
        InstantSource clock) {

    /** Only tags count. */
    public static Policy of(Subaddressing subaddressing) {
        return new Policy(
                subaddressing, Unwrapping.NONE, AuthRequirement.NONE, InstantSource.system());
    }
}
