package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * The state of one decision. {@link Whitelist} passes the sender's keys, the most specific first;
 * this class collects the entries for each key and finds the verdict for each recipient.
 *
 * <p>A rule counts for a recipient when all its conditions hold. At each key, a denial that counts
 * settles the recipient. Without one, a listing rule that counts does. If no rule counts, the next
 * wider key is asked. A recipient that no key settles gets the reason of the rule that came
 * nearest, in the order of {@link Reason}.
 */
final class Decision {
    private final Question question;
    private final Policy policy;
    private final @Nullable Explanation explanation;
    private final Recipients recipients;

    /** The entries that the lists have for the current key. */
    private final List<Entry> found = new ArrayList<>();

    /** The verdict for each recipient, null until it is settled. Allocated at the first entry. */
    private @Nullable Verdict @Nullable [] settled;

    /** For each recipient, the nearest listing rule that did not count. */
    private NotListed[] nearest = {};

    /** How many recipients are not settled yet. */
    private int unsettled;

    private @Nullable Instant now;

    Decision(Question question, Policy policy, @Nullable Explanation explanation) {
        this.question = question;
        this.policy = policy;
        this.explanation = explanation;
        this.recipients = new Recipients(question.recipients(), policy.subaddressing());
    }

    /** Returns the time of the decision. All conditions of one decision see the same time. */
    Instant now() {
        if (now == null) {
            now = policy.clock().instant();
        }
        return now;
    }

    /**
     * Looks up a key for which the filter of a list said "maybe", and keeps the entry found.
     *
     * @param number the index of the list, for explanations
     */
    void lookUp(int number, SenderLines list, Key key) throws IOException, RetiredException {
        Entry entry = list.find(key, recipients);
        if (explanation != null) {
            explanation.found(number, key, entry);
        }
        if (entry != null) {
            found.add(entry);
        }
    }

    /**
     * Settles the recipients that the entries of one key decide. Call this after the key was looked
     * up in all lists.
     *
     * @param sender the address that the key belongs to
     */
    void settle(Address sender) {
        if (found.isEmpty()) {
            return;
        }
        if (settled == null) {
            settled = new Verdict[recipients.count()];
            nearest = new NotListed[recipients.count()];
            Arrays.fill(nearest, NotListed.STRANGER);
            unsettled = recipients.count();
        }
        for (int i = 0; i < recipients.count(); i++) {
            if (settled[i] == null) {
                settled[i] = verdict(sender, i);
                unsettled -= settled[i] == null ? 0 : 1;
            }
        }
        found.clear();
    }

    /** Returns whether every recipient has its verdict, so that no wider key needs asking. */
    boolean isSettled() {
        return settled != null && unsettled == 0;
    }

    /** Returns the verdict that the entries found give a recipient, or null when no rule counts. */
    private @Nullable Verdict verdict(Address sender, int recipient) {
        Verdict verdict = null;
        for (Entry entry : found) {
            for (Rule rule : entry.rules()) {
                Reason outcome = outcome(rule, sender, recipient);
                if (explanation != null) {
                    explanation.rule(entry.key(), rule, recipients.written(recipient), outcome);
                }
                switch (outcome) {
                    case DENIED -> {
                        return new NotListed(Reason.DENIED, withOnly(entry, rule));
                    }
                    case LISTED ->
                            verdict = verdict == null ? new Listed(withOnly(entry, rule)) : verdict;
                    default -> keepNearest(recipient, outcome, entry, rule);
                }
            }
        }
        return verdict;
    }

    /**
     * Returns {@link Reason#LISTED} or {@link Reason#DENIED} when a rule counts for a recipient,
     * and otherwise the first condition that fails. The cheapest condition is checked first.
     */
    private Reason outcome(Rule rule, Address sender, int recipient) {
        if (rule.to() != null && !recipients.isFor(rule.to(), recipient)) {
            return Reason.RECIPIENT;
        }
        if (rule.from() != null && now().isBefore(rule.from())) {
            return Reason.NOT_YET;
        }
        if (rule.until() != null && !now().isBefore(rule.until())) {
            return Reason.EXPIRED;
        }
        if (rule.denied()) {
            return Reason.DENIED;
        }
        AuthRequirement required = rule.auth() == null ? policy.required() : rule.auth();
        return required == AuthRequirement.NONE || question.authentication().meets(required, sender)
                ? Reason.LISTED
                : Reason.UNAUTHENTICATED;
    }

    /** Keeps the nearest rule that did not count. A denial that does not count is no reason. */
    private void keepNearest(int recipient, Reason reason, Entry entry, Rule rule) {
        if (!rule.denied() && reason.compareTo(nearest[recipient].reason()) < 0) {
            nearest[recipient] = new NotListed(reason, withOnly(entry, rule));
        }
    }

    /** Returns the entry with no other rule than this one. */
    private static Entry withOnly(Entry entry, Rule rule) {
        return entry.rules().size() == 1 ? entry : new Entry(entry.key(), List.of(rule));
    }

    /** Returns the verdicts in the order of the recipients, once no key is left to ask. */
    List<Verdict> verdicts() {
        return verdicts(null);
    }

    /** Returns the verdicts when a lookup failed: recipients not settled before get the failure. */
    List<Verdict> verdictsAfter(IOException failure) {
        return verdicts(new Unavailable(failure));
    }

    /**
     * Returns the verdicts in the order of the recipients.
     *
     * @param whenUnsettled the verdict for recipients that are not settled; null for their nearest
     *     reason
     */
    private List<Verdict> verdicts(@Nullable Verdict whenUnsettled) {
        if (settled == null) {
            return Collections.nCopies(
                    recipients.count(), whenUnsettled == null ? NotListed.STRANGER : whenUnsettled);
        }
        List<Verdict> verdicts = new ArrayList<>(recipients.count());
        for (int i = 0; i < recipients.count(); i++) {
            Verdict verdict = settled[i];
            Verdict otherwise = whenUnsettled == null ? nearest[i] : whenUnsettled;
            verdicts.add(verdict == null ? otherwise : verdict);
        }
        return verdicts;
    }
}
