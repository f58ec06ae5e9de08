package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.decision.Verdict;

import org.apache.james.core.MailAddress;
import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * The recipients of a mail, divided into those for whom its sender counts as listed and the others.
 *
 * @param listed the recipients for whom the sender counts as listed
 * @param others all other recipients
 * @param forListed the verdict for {@code listed}; null when the sender counts as listed for nobody
 * @param forOthers the verdict for {@code others}, of several the one whose reason is the first in
 *     the order of {@link io.github.senderwhitelist.decision.Reason}; null when the sender counts
 *     as listed for everybody
 */
record Judgement(
        List<MailAddress> listed,
        List<MailAddress> others,
        @Nullable Verdict forListed,
        @Nullable Verdict forOthers) {

    /** Returns a judgement by which the sender counts as listed for nobody. */
    static Judgement notListed(Verdict verdict) {
        return new Judgement(List.of(), List.of(), null, verdict);
    }

    /**
     * Returns the verdict for a mail that is not split: the sender must count as listed for all
     * recipients.
     */
    Verdict whole() {
        Verdict verdict = forOthers == null ? forListed : forOthers;
        if (verdict == null) {
            throw new IllegalStateException("no verdict");
        }
        return verdict;
    }
}
