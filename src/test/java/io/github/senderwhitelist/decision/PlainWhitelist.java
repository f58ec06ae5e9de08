package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Subaddressing;

import java.time.InstantSource;
import java.util.List;

/** A whitelist that is asked about senders alone, for tests and benchmarks. */
public final class PlainWhitelist {
    private final Whitelist whitelist;

    /** Makes a whitelist of these lists. */
    public PlainWhitelist(List<? extends SenderList> lists, Subaddressing subaddressing) {
        whitelist = new Whitelist(lists, policy(subaddressing));
    }

    /** Returns a policy without unwrapping and required authentication, by the system's clock. */
    public static Policy policy(Subaddressing subaddressing) {
        return policy(subaddressing, RecipientUsers.NONE);
    }

    static Policy policy(Subaddressing subaddressing, RecipientUsers users) {
        return new Policy(subaddressing, InstantSource.system(), Subaddressing.DEFAULT, users);
    }

    /** Returns the verdict for a mail to nobody in particular, with nothing confirmed. */
    public Verdict check(Address sender) {
        return whitelist
                .check(
                        new MailFacts(
                                new Sender.Known(sender), List.of(), Authentication.UNCONFIRMED))
                .getFirst();
    }
}
