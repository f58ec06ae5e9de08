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
import io.github.senderwhitelist.decision.Walk.Found;
import io.github.senderwhitelist.decision.Walk.Step;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A decision on one mail: a function of what the lists have for its keys, and of a recipient. The
 * keys are those of a {@link Walk}.
 *
 * <p>A line counts for a recipient when its entry is for the recipient and all its conditions hold.
 * Of the lines of an {@link Origin}, the first key at which one counts decides. If several do, a
 * denial wins. Then the first of these holds: a user's denial and an administrator's, then the
 * administrator's listing, then a user's or a learned one, then the reason of the line that came
 * nearest, in the order of {@link Reason}. So the administrator's denials hold however wide they
 * are, and users can refuse for themselves whom the administrator lists.
 *
 * <p>For use by one thread.
 */
final class Decision {
    private final Contents contents;
    private final Walk walk;
    private final Question question;
    private final @Nullable Explanation explanation;
    private final boolean withPersonal;

    /** The decisions on other addresses of the mail; empty for those that no filter knows. */
    private @Nullable Map<Address, Optional<Decision>> others;

    /** How a line of a list, given by its number, comes out for a recipient. */
    private record Outcome(int list, Entry entry, Rule rule, Reason reason) {
        boolean isDenial() {
            return reason == Reason.DENIED;
        }

        boolean isPersonalListing() {
            return reason == Reason.LISTED && rule.origin() != Origin.ADMIN;
        }

        Verdict verdict() {
            Entry only = entry.withOnly(rule);
            return reason == Reason.LISTED ? new Listed(only) : new NotListed(reason, only);
        }
    }

    /** Makes the decision on a question, whose keys these are. */
    Decision(Contents contents, Walk walk, Question question, @Nullable Explanation explanation) {
        this.contents = contents;
        this.walk = walk;
        this.question = question;
        this.explanation = explanation;
        this.withPersonal = contents.hasPersonal();
    }

    /** Returns the verdicts in the order of the recipients. */
    List<Verdict> verdicts() throws RetiredException {
        Verdict[] verdicts = new Verdict[question.verdicts()];
        for (int i = 0; i < verdicts.length; i++) {
            verdicts[i] = verdict(new Recipient(question.recipient(i), contents.policy()));
        }
        return List.of(verdicts);
    }

    private Verdict verdict(Recipient recipient) throws RetiredException {
        try {
            Outcome outcome = decide(recipient);
            if (outcome == null) {
                return NotListed.STRANGER;
            }
            IOException doubt =
                    outcome.reason() == Reason.LISTED
                            ? contents.list(outcome.list()).doubt()
                            : null;
            if (doubt != null) {
                throw doubt;
            }
            NotListed denial = outcome.isPersonalListing() ? denialOfOther(recipient) : null;
            return denial == null ? outcome.verdict() : denial;
        } catch (IOException e) {
            return new Unavailable(e);
        }
    }

    /**
     * Returns the administrator's denial of another address of the mail, or null: users do not
     * overrule the administrator by an address that is not asked for.
     */
    private @Nullable NotListed denialOfOther(Recipient recipient)
            throws IOException, RetiredException {
        if (others == null) {
            others = new HashMap<>();
        }
        for (Address other : question.identities().all()) {
            if (!other.equals(question.asked())) {
                Decision decision = others.computeIfAbsent(other, this::about).orElse(null);
                Outcome outcome = decision == null ? null : decision.decide(recipient);
                if (outcome != null && outcome.isDenial()) {
                    return new NotListed(
                            Reason.DENIED, outcome.entry().withOnly(outcome.rule()), other);
                }
            }
        }
        return null;
    }

    private Optional<Decision> about(Address other) {
        if (explanation != null) {
            explanation.identity(other);
        }
        return Optional.ofNullable(contents.decision(question.about(other), explanation));
    }

    /** Returns how the line that decides comes out for a recipient, or null if there is none. */
    private @Nullable Outcome decide(Recipient recipient) throws IOException, RetiredException {
        Outcome admin = null;
        Outcome personal = null;
        Outcome nearest = null;
        Address heard = null;
        for (Step step = walk.first(); step != null; step = step.next()) {
            // As long as addresses are asked, a user's denial may follow.
            if (admin != null && (!withPersonal || step.isDomain())) {
                return admin;
            }
            List<Outcome> outcomes = outcomes(step, recipient);
            Outcome user = first(outcomes, Origin.USER);
            if (user != null && !step.written().equals(heard)) {
                if (user.isDenial()) {
                    return user;
                }
                heard = step.written();
                personal = personal == null ? user : personal;
            }
            admin = admin == null ? first(outcomes, Origin.ADMIN) : admin;
            if (admin != null && admin.isDenial()) {
                return admin;
            }
            personal = personal == null ? first(outcomes, Origin.LEARNED) : personal;
            nearest = nearest(nearest, outcomes);
        }
        return admin != null ? admin : personal != null ? personal : nearest;
    }

    /** Returns what an origin says at a key: its first denial, or else its first listing. */
    private static @Nullable Outcome first(List<Outcome> outcomes, Origin origin) {
        Outcome listing = null;
        for (Outcome each : outcomes) {
            if (each.rule().origin() == origin) {
                if (each.isDenial()) {
                    return each;
                }
                listing = listing == null && each.reason() == Reason.LISTED ? each : listing;
            }
        }
        return listing;
    }

    /** Returns the nearest listing line. A denial that does not count is no reason. */
    private static @Nullable Outcome nearest(@Nullable Outcome before, List<Outcome> outcomes) {
        Outcome nearest = before;
        for (Outcome each : outcomes) {
            if (!each.rule().denied()
                    && (nearest == null || each.reason().compareTo(nearest.reason()) < 0)) {
                nearest = each;
            }
        }
        return nearest;
    }

    /** Returns how the lines for a key and a recipient come out. */
    private List<Outcome> outcomes(Step step, Recipient recipient)
            throws IOException, RetiredException {
        List<Outcome> outcomes = new ArrayList<>(0);
        for (Found each : step.found()) {
            weigh(each.list(), each.entry(), step, recipient, outcomes);
            if (!each.entry().kinds().isEmpty()) {
                for (Key to : recipient.keys(each.entry().kinds())) {
                    Entry entry = step.find(each.list(), to);
                    if (entry != null) {
                        weigh(each.list(), entry, step, recipient, outcomes);
                    }
                }
            }
        }
        return outcomes;
    }

    private void weigh(
            int list, Entry entry, Step step, Recipient recipient, List<Outcome> outcomes) {
        boolean isForwarder = step.isForwarder();
        if (isForwarder && explanation != null) {
            explanation.forwarder(entry.key());
        }
        for (Rule rule : entry.rules()) {
            if (isCompared(rule, step) && (rule.denied() || !isForwarder)) {
                Reason reason = reason(rule, step);
                if (explanation != null) {
                    explanation.rule(entry, rule, recipient.written(), reason);
                }
                outcomes.add(new Outcome(list, entry, rule, reason));
            }
        }
    }

    /** Returns whether a rule is compared with the address that a key belongs to. */
    private boolean isCompared(Rule rule, Step step) {
        Identities identities = question.identities();
        return rule.origin() == Origin.ADMIN
                ? step.isAsked()
                : (rule.denied() ? identities.all() : identities.listing())
                        .contains(step.written());
    }

    /**
     * Returns {@link Reason#LISTED} or {@link Reason#DENIED} when a rule counts, and otherwise the
     * first condition that fails. The cheapest condition is checked first.
     */
    private Reason reason(Rule rule, Step step) {
        if (rule.from() != null && walk.now().isBefore(rule.from())) {
            return Reason.NOT_YET;
        }
        if (rule.until() != null && !walk.now().isBefore(rule.until())) {
            return Reason.EXPIRED;
        }
        if (rule.denied()) {
            return Reason.DENIED;
        }
        AuthRequirement required = rule.auth() == null ? contents.policy().required() : rule.auth();
        return required == AuthRequirement.NONE || isConfirmed(required, rule, step)
                ? Reason.LISTED
                : Reason.UNAUTHENTICATED;
    }

    /**
     * Returns whether a sender is confirmed as a rule requires. Hosters sign what their customers
     * write in From:, and the mail can then be sent again under a neighbour's envelope. So by the
     * envelope, users' lines do not list on a signature alone.
     */
    private boolean isConfirmed(AuthRequirement required, Rule rule, Step step) {
        Authentication confirmed = question.authentication();
        boolean bySignature =
                rule.origin() == Origin.ADMIN
                        || question.identities().listing().getFirst().equals(step.written());
        return confirmed.meets(required, step.of())
                && (bySignature || confirmed.meets(AuthRequirement.SPF, step.of()));
    }
}
