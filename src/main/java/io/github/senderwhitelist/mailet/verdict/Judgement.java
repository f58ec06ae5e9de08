package io.github.senderwhitelist.mailet.verdict;

import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.apache.james.core.MailAddress;
import org.jspecify.annotations.Nullable;

import java.util.Collection;
import java.util.List;

/**
 * The verdicts on a mail, one for each of its recipients.
 *
 * @param each the recipients and their verdicts; empty after an error, when one verdict is for all
 * @param forListed the verdict for those for whom the sender counts as listed; null when there are
 *     none
 * @param forOthers the verdict for the others, of several one that could not be found out, else the
 *     one whose reason is the first in the order of {@link
 *     io.github.senderwhitelist.decision.Reason}; null when the sender counts as listed for
 *     everybody
 * @param asked whom the verdicts are about
 */
public record Judgement(
        List<Judged> each,
        @Nullable Verdict forListed,
        @Nullable Verdict forOthers,
        AskedSender asked) {

    /**
     * A recipient and the verdict for it.
     *
     * @param countsAsListed whether the sender counts as listed for this recipient
     */
    public record Judged(MailAddress recipient, Verdict verdict, boolean countsAsListed) {}

    /** Returns a judgement by which the sender counts as listed for nobody. */
    public static Judgement notListed(Verdict verdict, AskedSender asked) {
        return new Judgement(List.of(), null, verdict, asked);
    }

    /** Returns the recipients for whom the sender counts as listed. */
    public List<MailAddress> listed() {
        return part(true).stream().map(Judged::recipient).toList();
    }

    /** Returns the verdicts for whom the sender counts as listed, or the others. */
    public List<Judged> part(boolean listed) {
        return each.stream().filter(judged -> judged.countsAsListed() == listed).toList();
    }

    /**
     * Returns a verdict for each recipient of the mail.
     *
     * @param recipients the recipients, for the judgement after an error, which does not have them
     */
    public List<Judged> each(Collection<MailAddress> recipients) {
        return each.isEmpty()
                ? recipients.stream()
                        .map(recipient -> new Judged(recipient, whole(), forOthers == null))
                        .toList()
                : each;
    }

    /**
     * Returns the verdict for a mail that is not split: the sender must count as listed for all
     * recipients. If some count as listed only because they could not be found out, that is
     * reported.
     */
    public Verdict whole() {
        boolean others = forOthers != null && !(forListed instanceof Unavailable);
        Verdict verdict = others ? forOthers : forListed;
        if (verdict == null) {
            throw new IllegalStateException("no verdict");
        }
        return verdict;
    }
}
