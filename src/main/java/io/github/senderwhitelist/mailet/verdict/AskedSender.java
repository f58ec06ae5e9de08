package io.github.senderwhitelist.mailet.verdict;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.Sender.Nobody;
import io.github.senderwhitelist.decision.SenderIdentity;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/**
 * The sender of a mail as it was looked up, and what confirms it.
 *
 * @param identity which of the mail's addresses it is
 * @param addresses these addresses, one or two; none after an error
 * @param confirmations returns what confirms an address
 */
public record AskedSender(
        SenderIdentity identity,
        List<Sender> addresses,
        Function<Address, Set<Confirmation>> confirmations) {

    /** Returns a sender of whom nothing is known. */
    public static AskedSender unknown(SenderIdentity identity) {
        return new AskedSender(identity, List.of(), address -> Set.of());
    }

    /** Returns what confirms all of the addresses. */
    Set<Confirmation> confirmed() {
        if (addresses.isEmpty()) {
            return Set.of();
        }
        Set<Confirmation> confirmed = EnumSet.allOf(Confirmation.class);
        for (Sender address : addresses) {
            confirmed.retainAll(
                    switch (address) {
                        case Known(Address known) -> confirmations.apply(known);
                        case Nobody nobody -> Set.<Confirmation>of();
                    });
        }
        return confirmed;
    }
}
