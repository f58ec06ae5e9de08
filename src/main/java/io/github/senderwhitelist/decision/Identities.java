package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.Sender.Known;

import java.util.ArrayList;
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

    /**
     * Returns the addresses that a mail gives its sender. Users know the sender by the header
     * From:, which they see, and by the envelope if it is the {@linkplain SameSender same sender}.
     * If From: is unclear they know nobody. They know nobody either if the envelope's sender is no
     * address, because whether the administrator denies it is unclear then.
     */
    static Identities of(Sender envelope, Sender from) {
        List<Address> sent =
                envelope instanceof Known(Address address) ? List.of(address) : List.of();
        if (!(from instanceof Known(Address seen))) {
            return new Identities(sent, List.of());
        }
        List<Address> all = new ArrayList<>(sent);
        all.remove(seen);
        boolean isAligned = all.stream().allMatch(each -> SameSender.is(each, seen));
        all.addFirst(seen);
        List<Address> known = isAligned ? all : List.of(seen);
        return new Identities(all, envelope instanceof Known ? known : List.of());
    }
}
