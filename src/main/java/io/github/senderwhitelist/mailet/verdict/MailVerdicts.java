package io.github.senderwhitelist.mailet.verdict;

import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.decision.SenderIdentity;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.apache.james.core.MailAddress;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The verdicts on a mail, in the two parts into which it may be split.
 *
 * @param each the recipients in the mail's order; none when it has none
 * @param listed those for whom its sender counts as listed; null when there are none
 * @param others the others; null when there are none
 * @param identity which of the mail's addresses is the sender
 * @param confirmed returns what confirms all of these addresses
 */
public record MailVerdicts(
        List<Judged> each,
        @Nullable Part listed,
        @Nullable Part others,
        SenderIdentity identity,
        Supplier<Set<Confirmation>> confirmed) {
    /** Which verdict marks a mail first. */
    private static final Comparator<Verdict> FIRST =
            Comparator.comparing((Verdict verdict) -> verdict.reason() != Reason.UNAVAILABLE)
                    .thenComparing(Verdict::reason);

    /** A recipient, the verdict for it, and whether the sender counts as listed for it. */
    public record Judged(MailAddress recipient, Verdict verdict, boolean isListed) {}

    /**
     * A mail, or a part of one.
     *
     * @param each its recipients; none when the mail has none
     * @param verdict what it is marked with: of several verdicts one that could not be found out,
     *     else the one whose reason is the first in the order of {@link Reason}
     * @param isListed whether its sender counts as listed
     */
    public record Part(List<Judged> each, Verdict verdict, boolean isListed) {
        public List<MailAddress> recipients() {
            return each.stream().map(Judged::recipient).toList();
        }
    }

    /** Returns the verdicts of a decision: one for each recipient, or one without recipients. */
    public static MailVerdicts of(
            List<MailAddress> recipients,
            List<Verdict> verdicts,
            Policy policy,
            Supplier<Set<Confirmation>> confirmed) {
        List<Judged> each = new ArrayList<>(recipients.size());
        for (int i = 0; i < recipients.size(); i++) {
            Verdict verdict = verdicts.get(i);
            each.add(new Judged(recipients.get(i), verdict, policy.countsAsListed(verdict)));
        }
        return new MailVerdicts(
                each,
                part(each, verdicts, policy, true),
                part(each, verdicts, policy, false),
                policy.identity(),
                confirmed);
    }

    /** Returns verdicts by which a sender, of whom nothing is known, is listed for nobody. */
    public static MailVerdicts none(
            List<MailAddress> recipients, Verdict verdict, SenderIdentity identity) {
        List<Judged> each = recipients.stream().map(to -> new Judged(to, verdict, false)).toList();
        return new MailVerdicts(each, null, new Part(each, verdict, false), identity, Set::of);
    }

    private static @Nullable Part part(
            List<Judged> each, List<Verdict> verdicts, Policy policy, boolean isListed) {
        List<Judged> part = each.stream().filter(one -> one.isListed == isListed).toList();
        return verdicts.stream()
                .filter(verdict -> policy.countsAsListed(verdict) == isListed)
                .min(FIRST)
                .map(mark -> new Part(part, mark, isListed))
                .orElse(null);
    }

    /**
     * Returns the mail as one part: listed if its sender is for all recipients. It is marked with
     * what could not be found out, if that is why some count as listed.
     */
    public Part whole() {
        if (listed == null || others == null) {
            return Objects.requireNonNull(listed == null ? others : listed);
        }
        boolean isUnknown = listed.verdict instanceof Unavailable;
        return new Part(each, isUnknown ? listed.verdict : others.verdict, false);
    }
}
