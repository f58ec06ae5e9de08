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
 * One decision on its way: it hears the entries key by key, the most specific first, and settles
 * the recipients one by one.
 *
 * <p>For a recipient, a rule counts when its conditions hold. At each key a denial that counts
 * settles the recipient, else a rule that lists and counts does; where none counts, wider keys are
 * asked. If nothing settles a recipient, the reason is that of the rule that came nearest.
 */
final class Decision {
    private final Question question;
    private final Policy policy;
    private final @Nullable Explanation explanation;
    private final Recipients recipients;

    /** What the lists hold of the key that is being asked for. */
    private final List<Entry> found = new ArrayList<>();

    /** For each recipient, the verdict once it is settled; made when the first entry is heard. */
    private @Nullable Verdict @Nullable [] settled;

    /** For each recipient, the nearest rule that did not count. */
    private NotListed[] nearest = {};

    private int left;
    private @Nullable Instant now;

    Decision(Question question, Policy policy, @Nullable Explanation explanation) {
        this.question = question;
        this.policy = policy;
        this.explanation = explanation;
        this.recipients = new Recipients(question.recipients(), policy.subaddressing());
    }

    /** The time it is; the same to the end of the decision. */
    Instant now() {
        if (now == null) {
            now = policy.clock().instant();
        }
        return now;
    }

    /**
     * Looks up what a list holds of a key for which its filter said "maybe".
     *
     * @param number of the list, for explanations
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
     * Hears what was looked up since the last time: what all lists hold of one key.
     *
     * @param sender whom the key stands for
     */
    void hear(Address sender) {
        if (found.isEmpty()) {
            return;
        }
        if (settled == null) {
            settled = new Verdict[recipients.count()];
            nearest = new NotListed[recipients.count()];
            Arrays.fill(nearest, NotListed.STRANGER);
            left = recipients.count();
        }
        for (int i = 0; i < recipients.count(); i++) {
            if (settled[i] == null) {
                settled[i] = judge(sender, i);
                left -= settled[i] == null ? 0 : 1;
            }
        }
        found.clear();
    }

    /** Whether nothing is left to be settled. */
    boolean isSettled() {
        return settled != null && left == 0;
    }

    private @Nullable Verdict judge(Address sender, int recipient) {
        Verdict verdict = null;
        for (Entry entry : found) {
            for (Rule rule : entry.rules()) {
                Reason outcome = judge(rule, sender, recipient);
                if (explanation != null) {
                    explanation.rule(entry.key(), rule, recipients.written(recipient), outcome);
                }
                switch (outcome) {
                    case DENIED -> {
                        return new NotListed(Reason.DENIED, only(entry, rule));
                    }
                    case LISTED ->
                            verdict = verdict == null ? new Listed(only(entry, rule)) : verdict;
                    default -> miss(recipient, outcome, entry, rule);
                }
            }
        }
        return verdict;
    }

    /** The cheapest questions first; a reason means that all before it are answered yes. */
    private Reason judge(Rule rule, Address sender, int recipient) {
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

    /** A denial that does not count keeps nobody off. */
    private void miss(int recipient, Reason reason, Entry entry, Rule rule) {
        if (!rule.denied() && reason.compareTo(nearest[recipient].reason()) < 0) {
            nearest[recipient] = new NotListed(reason, only(entry, rule));
        }
    }

    private static Entry only(Entry entry, Rule rule) {
        return entry.rules().size() == 1 ? entry : new Entry(entry.key(), List.of(rule));
    }

    /** The verdicts in the order of the recipients, when no key is left. */
    List<Verdict> verdicts() {
        return verdicts(null);
    }

    /** The verdicts when the exact store failed on the way. */
    List<Verdict> verdictsAfter(IOException failure) {
        return verdicts(new Unavailable(failure));
    }

    private List<Verdict> verdicts(@Nullable Verdict unsettled) {
        if (settled == null) {
            return Collections.nCopies(
                    recipients.count(), unsettled == null ? NotListed.STRANGER : unsettled);
        }
        List<Verdict> verdicts = new ArrayList<>(recipients.count());
        for (int i = 0; i < recipients.count(); i++) {
            Verdict verdict = settled[i];
            Verdict otherwise = unsettled == null ? nearest[i] : unsettled;
            verdicts.add(verdict == null ? otherwise : verdict);
        }
        return verdicts;
    }
}
