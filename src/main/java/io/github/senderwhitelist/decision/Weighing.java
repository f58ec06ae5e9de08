package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.Search.Found;
import io.github.senderwhitelist.decision.Search.Step;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The weighing of the lines about one mail's sender: what those that a {@link Search} finds come to
 * for a recipient.
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
final class Weighing {
    private final SenderLines[] contents;
    private final Policy policy;
    private final Question question;
    private final Search search;
    private final @Nullable Explanation explanation;
    private final boolean hasPersonal;

    /** The weighings of other addresses of the mail, once they are needed. */
    private @Nullable Map<Address, Weighing> others;

    /** How a line of a list, given by its number, comes out for a recipient. */
    private record Weighed(int list, Entry entry, Rule rule, Reason reason) {
        boolean isDenial() {
            return reason == Reason.DENIED;
        }

        boolean isListing() {
            return reason == Reason.LISTED;
        }
    }

    /** Weighs what a search for the answer to a question finds. */
    Weighing(
            SenderLines[] contents,
            Policy policy,
            Question question,
            Search search,
            @Nullable Explanation explanation) {
        this.contents = contents;
        this.policy = policy;
        this.question = question;
        this.search = search;
        this.explanation = explanation;
        this.hasPersonal = Whitelist.havePersonal(contents);
    }

    /** Returns the verdict for a recipient. */
    Verdict verdict(Recipient recipient) throws RetiredException {
        try {
            Weighed decisive = decide(recipient);
            if (decisive == null) {
                return NotListed.STRANGER;
            }
            Entry entry = decisive.entry().withOnly(decisive.rule());
            if (!decisive.isListing()) {
                return new NotListed(decisive.reason(), entry);
            }
            IOException doubt = contents[decisive.list()].doubt();
            if (doubt != null) {
                throw doubt;
            }
            NotListed denial =
                    decisive.rule().origin() == Origin.ADMIN ? null : denialOfOther(recipient);
            return denial == null ? new Listed(entry) : denial;
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
        for (Map.Entry<Address, Weighing> other : others().entrySet()) {
            Weighed decisive = other.getValue().decide(recipient);
            if (decisive != null && decisive.isDenial()) {
                Entry entry = decisive.entry().withOnly(decisive.rule());
                return new NotListed(Reason.DENIED, entry, other.getKey());
            }
        }
        return null;
    }

    private Map<Address, Weighing> others() {
        if (others == null) {
            others = new LinkedHashMap<>();
            for (Address other : question.others()) {
                if (explanation != null) {
                    explanation.identity(other);
                }
                Question about = question.about(other);
                Search its = Search.of(contents, policy, about, explanation);
                if (its != null) {
                    others.put(other, new Weighing(contents, policy, about, its, explanation));
                }
            }
        }
        return others;
    }

    /** Returns how the line that decides comes out for a recipient, or null if there is none. */
    private @Nullable Weighed decide(Recipient recipient) throws IOException, RetiredException {
        Weighed admin = null;
        Weighed personal = null;
        Weighed nearest = null;
        // The address of which the user has said something, so that wider lines do not count.
        Address decidedByUser = null;
        for (Step step : search.steps()) {
            // As long as addresses are asked, a user's denial may follow.
            if (admin != null && (!hasPersonal || step.isDomain())) {
                return admin;
            }
            List<Weighed> lines = lines(step, recipient);
            Weighed user = first(lines, Origin.USER);
            if (user != null && !step.written().equals(decidedByUser)) {
                if (user.isDenial()) {
                    return user;
                }
                decidedByUser = step.written();
                personal = personal == null ? user : personal;
            }
            admin = admin == null ? first(lines, Origin.ADMIN) : admin;
            if (admin != null && admin.isDenial()) {
                return admin;
            }
            personal = personal == null ? first(lines, Origin.LEARNED) : personal;
            nearest = nearest(nearest, lines);
        }
        return admin != null ? admin : personal != null ? personal : nearest;
    }

    /** Returns what an origin says at a key: its first denial, or else its first listing. */
    private static @Nullable Weighed first(List<Weighed> lines, Origin origin) {
        Weighed listing = null;
        for (Weighed each : lines) {
            if (each.rule().origin() == origin) {
                if (each.isDenial()) {
                    return each;
                }
                listing = listing == null && each.isListing() ? each : listing;
            }
        }
        return listing;
    }

    /** Returns the nearest listing line. A denial that does not count is no reason. */
    private static @Nullable Weighed nearest(@Nullable Weighed before, List<Weighed> lines) {
        Weighed nearest = before;
        for (Weighed each : lines) {
            if (!each.rule().denied()
                    && (nearest == null || each.reason().compareTo(nearest.reason()) < 0)) {
                nearest = each;
            }
        }
        return nearest;
    }

    /** Returns how the lines for a key and a recipient come out. */
    private List<Weighed> lines(Step step, Recipient recipient)
            throws IOException, RetiredException {
        List<Weighed> lines = new ArrayList<>(0);
        for (Found each : step.found()) {
            weigh(each.list(), each.entry(), step, recipient, lines);
            if (!each.entry().kinds().isEmpty()) {
                for (Key to : recipient.keys(each.entry().kinds())) {
                    Entry entry = step.find(each.list(), to);
                    if (entry != null) {
                        weigh(each.list(), entry, step, recipient, lines);
                    }
                }
            }
        }
        return lines;
    }

    private void weigh(int list, Entry entry, Step step, Recipient recipient, List<Weighed> lines) {
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
                lines.add(new Weighed(list, entry, rule, reason));
            }
        }
    }

    /** Returns whether a rule is compared with the address that a key belongs to. */
    private boolean isCompared(Rule rule, Step step) {
        return rule.origin() == Origin.ADMIN
                ? step.isAsked()
                : (rule.denied() ? question.all() : question.listing()).contains(step.written());
    }

    /**
     * Returns {@link Reason#LISTED} or {@link Reason#DENIED} when a rule counts, and otherwise the
     * first condition that fails. The cheapest condition is checked first.
     */
    private Reason reason(Rule rule, Step step) {
        if (rule.from() != null && search.now().isBefore(rule.from())) {
            return Reason.NOT_YET;
        }
        if (rule.until() != null && !search.now().isBefore(rule.until())) {
            return Reason.EXPIRED;
        }
        if (rule.denied()) {
            return Reason.DENIED;
        }
        AuthRequirement required = rule.auth() == null ? policy.required() : rule.auth();
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
                        || question.listing().getFirst().equals(step.written());
        return confirmed.meets(required, step.of())
                && (bySignature || confirmed.meets(AuthRequirement.SPF, step.of()));
    }
}
