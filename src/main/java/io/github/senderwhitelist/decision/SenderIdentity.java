package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import java.util.Comparator;

/** The addresses of a mail that are looked up as its sender. */
public enum SenderIdentity implements ValueType.Word {
    /** The envelope sender ({@code MAIL FROM}). */
    ENVELOPE,
    /** The one mailbox of the header From:. */
    FROM,
    /** One of the two addresses must be listed, and none denied. */
    EITHER,
    /** Both addresses must be listed. */
    BOTH;

    /** The identities by the values of the parameter. */
    public static final ValueType<SenderIdentity> VALUES = ValueType.oneOf(values());

    /**
     * Returns the verdict on a mail from the verdicts on both of its addresses: the one that comes
     * first in {@link #rank}, and of equal ranks the one whose reason comes first in {@link
     * Reason}.
     */
    Verdict of(Verdict envelope, Verdict from) {
        Comparator<Verdict> order =
                Comparator.comparingInt(this::rank).thenComparing(Verdict::reason);
        return order.compare(envelope, from) <= 0 ? envelope : from;
    }

    /** Ranks a verdict: 0 decides before all others, whatever the other address got. */
    private int rank(Verdict verdict) {
        boolean either = this == EITHER;
        return switch (verdict) {
            case Listed listed -> either ? 1 : 4;
            case Unavailable unavailable -> either ? 2 : 3;
            case NotListed not -> not.reason() == Reason.DENIED ? 0 : either ? 3 : 2;
            case Failed failed -> 0;
        };
    }
}
