package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.decision.Verdict;

import org.apache.james.core.MailAddress;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The recipients of a mail, parted into those for whom its sender counts as listed and the others.
 *
 * @param listed the one part
 * @param others the other part
 * @param forListed the verdict that the one part carries; null when it is empty
 * @param forOthers the verdict that the other part carries, of several the one with the nearest
 *     reason; null when it is empty
 */
record Judgement(
        List<MailAddress> listed,
        List<MailAddress> others,
        @Nullable Verdict forListed,
        @Nullable Verdict forOthers) {

    /** Returns that the sender counts as listed for nobody, whoever the recipients are. */
    static Judgement notListed(Verdict verdict) {
        return new Judgement(List.of(), List.of(), null, verdict);
    }

    /**
     * Returns the verdict on a mail that stays whole: listed only when it is for all recipients.
     */
    Verdict whole() {
        Verdict verdict = forOthers == null ? forListed : forOthers;
        if (verdict == null) {
            throw new IllegalStateException("no verdict");
        }
        return verdict;
    }
}
