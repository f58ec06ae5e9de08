package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;

import java.util.List;

/**
 * The addresses that a mail gives its sender, in the envelope and in the header From:.
 *
 * @param all these addresses. A user's denial of any of them wins. So does an administrator's,
 *     where users' or learned lines list the sender
 * @param listing those of them by which users' and learned lines may list the sender. The first is
 *     what users see, which signatures are for; the envelope's is confirmed by SPF only
 */
public record Identities(List<Address> all, List<Address> listing) {
    /** No address: users' and learned lines are compared with nothing. */
    public static final Identities NONE = new Identities(List.of(), List.of());

    /** Copies the lists. */
    public Identities {
        all = List.copyOf(all);
        listing = List.copyOf(listing);
    }

    /** Returns the identities of a mail that gives its sender one address only. */
    public static Identities of(Address address) {
        return new Identities(List.of(address), List.of(address));
    }
}
