package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
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
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The state of one decision. {@link Whitelist} passes the sender's keys, the most specific first;
 * this class collects the entries for each key and finds the verdict for each recipient.
 *
 * <p>A rule counts for a recipient when its entry is for the recipient and all its conditions hold.
 * The first key at which a rule counts decides. If several do, a denial wins. A recipient that no
 * key settles gets the reason of the rule that came nearest, in the order of {@link Reason}.
 *
 * <p>This is decided for each {@link Origin} apart. Then the first of these holds: a user's denial
 * and an administrator's win, then the administrator's listing, then a user's or a learned one. So
 * the administrator's denials hold however wide they are, and users can refuse for themselves whom
 * the administrator lists.
 */
final class Decision {
    private final Question question;
    private final Policy policy;
    private final boolean withPersonal;
    private final @Nullable Explanation explanation;
    private final Recipients recipients;

    /** The entries that the lists have for the current key. */
    private final List<Found> found = new ArrayList<>();

    /** The verdict for each recipient, null until it is settled. Allocated at the first entry. */
    private @Nullable Verdict @Nullable [] settled;

    /** For each recipient, the nearest listing rule that did not count. */
    private NotListed[] nearest = {};

    /**
     * For each recipient, what the lines of each origin say at the first key where one counts. Only
     * kept while users' lines may change what the administrator's say.
     */
    private final List<Map<Origin, Verdict>> said = new ArrayList<>();

    /** How many recipients are not settled yet. */
    private int unsettled;

    private @Nullable Instant now;

    /** An entry for all recipients, and the list in which those for some can be looked up. */
    private record Found(int number, SenderLines list, Entry entry) {}

    /**
     * Begins a decision.
     *
     * @param withPersonal whether a list has lines that are users', or learned
     */
    Decision(
            Question question,
            Policy policy,
            boolean withPersonal,
            @Nullable Explanation explanation) {
        this.question = question;
        this.policy = policy;
        this.withPersonal = withPersonal;
        this.explanation = explanation;
        this.recipients = new Recipients(question.recipients(), policy);
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
        Entry entry = find(number, list, key, null);
        if (entry != null) {
            found.add(new Found(number, list, entry));
        }
    }

    private @Nullable Entry find(int number, SenderLines list, Key key, @Nullable Key to)
            throws IOException, RetiredException {
        Entry entry = list.find(key, to);
        if (explanation != null) {
            explanation.found(number, key, to, entry);
        }
        return entry;
    }

    /**
     * Settles the recipients that the entries of one key decide. Call this after the key was looked
     * up in all lists.
     *
     * @param sender the address that the key belongs to
     */
    void settle(Address sender) throws RetiredException {
        if (found.isEmpty()) {
            return;
        }
        if (settled == null) {
            settled = new Verdict[recipients.count()];
            nearest = new NotListed[recipients.count()];
            Arrays.fill(nearest, NotListed.STRANGER);
            unsettled = recipients.count();
            for (int i = 0; withPersonal && i < recipients.count(); i++) {
                said.add(new EnumMap<>(Origin.class));
            }
        }
        for (int i = 0; i < recipients.count(); i++) {
            if (settled[i] == null) {
                settle(i, verdict(sender, i));
            }
        }
        found.clear();
    }

    private void settle(int recipient, @Nullable Verdict verdict) {
        Objects.requireNonNull(settled)[recipient] = verdict;
        unsettled -= verdict == null ? 0 : 1;
    }

    /**
     * Settles the recipients for which the administrator lists the sender. Call this when all keys
     * that are addresses have been asked: users' lines are for no others, so none can change that.
     */
    void endAddresses() {
        for (int i = 0; i < said.size(); i++) {
            Verdict admin = said.get(i).get(Origin.ADMIN);
            if (settled != null && settled[i] == null && admin != null) {
                settle(i, admin);
            }
        }
    }

    /** Returns whether every recipient has its verdict, so that no wider key needs asking. */
    boolean isSettled() {
        return settled != null && unsettled == 0;
    }

    /** Returns the verdict that the entries found give a recipient, or null when no rule counts. */
    private @Nullable Verdict verdict(Address sender, int recipient) throws RetiredException {
        Map<Origin, Verdict> here = new EnumMap<>(Origin.class);
        try {
            for (Found each : found) {
                weigh(each.entry(), sender, recipient, here);
                weighForSome(each, sender, recipient, here);
            }
        } catch (IOException e) {
            return new Unavailable(e);
        }
        if (!withPersonal) {
            return here.get(Origin.ADMIN);
        }
        boolean isDomain = found.getFirst().entry().key().isDomain();
        return combined(said.get(recipient), here, isDomain);
    }

    /** Weighs the entries of a sender that are for this recipient and not for all. */
    private void weighForSome(Found of, Address sender, int recipient, Map<Origin, Verdict> here)
            throws IOException, RetiredException {
        if (of.entry().kinds().isEmpty()) {
            return;
        }
        for (Key to : recipients.keys(recipient, of.entry().kinds())) {
            Entry entry = find(of.number(), of.list(), of.entry().key(), to);
            if (entry != null) {
                weigh(entry, sender, recipient, here);
            }
        }
    }

    /** Adds what the rules of an entry say to what was said at this key, by origin. */
    private void weigh(Entry entry, Address sender, int recipient, Map<Origin, Verdict> here) {
        for (Rule rule : entry.rules()) {
            Reason outcome = outcome(rule, sender);
            if (explanation != null) {
                explanation.rule(entry, rule, recipients.written(recipient), outcome);
            }
            switch (outcome) {
                case DENIED -> {
                    if (!(here.get(rule.origin()) instanceof NotListed)) {
                        here.put(rule.origin(), new NotListed(Reason.DENIED, entry.withOnly(rule)));
                    }
                }
                case LISTED -> {
                    if (!here.containsKey(rule.origin())) {
                        here.put(rule.origin(), new Listed(entry.withOnly(rule)));
                    }
                }
                default -> keepNearest(recipient, outcome, entry, rule);
            }
        }
    }

    /**
     * Returns the verdict for a recipient when users' lines have a say, or null while it is open.
     *
     * @param said what each origin says, at the first key where one of its rules counted
     * @param here what each origin says at this key
     * @param isDomain whether this key is a domain
     */
    private static @Nullable Verdict combined(
            Map<Origin, Verdict> said, Map<Origin, Verdict> here, boolean isDomain) {
        here.forEach(said::putIfAbsent);
        Verdict admin = said.get(Origin.ADMIN);
        Verdict user = said.get(Origin.USER);
        if (user instanceof NotListed) {
            return user;
        }
        if (admin instanceof NotListed) {
            return admin;
        }
        return isDomain ? admin : null;
    }

    /**
     * Returns {@link Reason#LISTED} or {@link Reason#DENIED} when a rule counts for a recipient,
     * and otherwise the first condition that fails. The cheapest condition is checked first.
     */
    private Reason outcome(Rule rule, Address sender) {
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
            nearest[recipient] = new NotListed(reason, entry.withOnly(rule));
        }
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
            Verdict otherwise = whenUnsettled == null ? personal(i) : whenUnsettled;
            verdicts.add(verdict == null ? otherwise : verdict);
        }
        return verdicts;
    }

    /** Returns the verdict of a recipient that the administrator's lines say nothing about. */
    private Verdict personal(int recipient) {
        if (withPersonal) {
            for (Origin origin : Origin.values()) {
                Verdict verdict = said.get(recipient).get(origin);
                if (verdict != null) {
                    return verdict;
                }
            }
        }
        return nearest[recipient];
    }
}
