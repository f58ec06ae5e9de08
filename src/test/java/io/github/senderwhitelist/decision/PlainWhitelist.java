package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
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
        return new Policy(
                subaddressing,
                Unwrapping.NONE,
                AuthRequirement.NONE,
                InstantSource.system(),
                Subaddressing.DEFAULT,
                RecipientUsers.NONE);
    }

    /** Returns the verdict for a mail to nobody in particular, with nothing confirmed. */
    public Verdict check(Address sender) {
        return whitelist.check(question(new Sender.Known(sender))).getFirst();
    }

    /** Returns the question for a mail to nobody in particular, with nothing confirmed. */
    static Question question(Sender sender) {
        return new Question(sender, List.of(), Authentication.UNCONFIRMED);
    }
}
