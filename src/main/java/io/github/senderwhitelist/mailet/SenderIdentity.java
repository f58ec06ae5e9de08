package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Failed;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Which of a mail's addresses is its sender. */
enum SenderIdentity {
    /** The envelope sender ({@code MAIL FROM}). */
    ENVELOPE,
    /** The one mailbox of the header From:. */
    FROM,
    /** One of them must be listed, and none denied. */
    EITHER,
    /** Both must be listed. */
    BOTH;

    String label() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Optional<SenderIdentity> of(String label) {
        return Arrays.stream(values())
                .filter(identity -> identity.label().equals(label))
                .findFirst();
    }

    static String labels() {
        return Arrays.stream(values()).map(SenderIdentity::label).collect(Collectors.joining(", "));
    }

    boolean asksEnvelope() {
        return this != FROM;
    }

    boolean asksFrom() {
        return this != ENVELOPE;
    }

    /** The verdict on a mail whose two addresses got these. */
    Verdict of(Verdict envelope, Verdict from) {
        return switch (this) {
            case ENVELOPE -> envelope;
            case FROM -> from;
            case EITHER -> first(envelope, from, true);
            case BOTH -> first(envelope, from, false);
        };
    }

    /**
     * A denial or an error decides; then, with "both", whatever does not list; then the nearer
     * reason.
     */
    private static Verdict first(Verdict a, Verdict b, boolean either) {
        int order = Integer.compare(rank(a, either), rank(b, either));
        return (order == 0 ? a.reason().compareTo(b.reason()) : order) <= 0 ? a : b;
    }

    private static int rank(Verdict verdict, boolean either) {
        return switch (verdict) {
            case Listed listed -> either ? 1 : 4;
            case Unavailable unavailable -> either ? 2 : 3;
            case NotListed not -> not.reason() == Reason.DENIED ? 0 : either ? 3 : 2;
            case Failed failed -> 0;
        };
    }
}
