package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;

import java.util.List;

/**
 * The addresses that a mail gives its sender, in the envelope and in the header From:.
 *
 * @param all these addresses. Where users' or learned lines list the sender, an administrator's
 *     denial of any of them wins
 * @param personal those with which users' and learned lines are compared. A denial of any of them
 *     wins
 * @param mayList whether users' and learned lines may list the sender; otherwise they only deny it
 */
public record Identities(List<Address> all, List<Address> personal, boolean mayList) {
    /** No address: users' and learned lines are compared with nothing. */
    public static final Identities NONE = new Identities(List.of(), List.of(), false);

    /** Copies the lists. */
    public Identities {
        all = List.copyOf(all);
        personal = List.copyOf(personal);
    }

    /** Returns the identities of a mail that gives its sender one address only. */
    public static Identities of(Address address) {
        return new Identities(List.of(address), List.of(address), true);
    }
}
