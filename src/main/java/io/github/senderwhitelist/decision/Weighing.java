package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Search.Step;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The weighing of the lines about one mail's sender: what those that a {@link Search} finds come to
 * for each recipient.
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
    private final Search search;
    private final Question question;
    private final @Nullable Explanation explanation;
    private final boolean hasPersonal;

    /** The weighings of other addresses of the mail, once they are needed. */
    private @Nullable List<Weighing> others;

    /** How a line of a list, given by its number, comes out for a recipient. */
    private record Weighed(int list, Entry entry, Rule rule, Reason reason) {
        boolean is(Reason other) {
            return reason == other;
        }

        /** Returns the entry with the line alone. */
        Entry line() {
            return entry.withOnly(rule);
        }
    }

    /**
     * A recipient, and the keys by which entries can be for it. It is parsed, and its user found,
     * only when a sender has entries for some recipients, which strangers have not.
     */
    private final class Recipient {
        /** The recipient as the mail has it, or null for nobody in particular. */
        final @Nullable String written;

        private @Nullable List<Key> keys;

        Recipient(@Nullable String written) {
            this.written = written;
        }

        /**
         * Returns the keys of the address as written, without its tag, and of its user; of the
         * domains of these addresses; of the domains above them.
         *
         * @throws IOException if the user cannot be found out
         */
        List<Key> keys() throws IOException {
            if (keys == null) {
                Set<Key> found = new LinkedHashSet<>();
                if (written != null
                        && AddressSyntax.parse(written) instanceof WellFormed(Address address)) {
                    Subaddressing tags = search.policy.recipientTags();
                    found.addAll(address.keys(tags));
                    Address user = search.policy.users().userOf(address);
                    found.addAll(user == null ? List.of() : user.keys(tags));
                }
                keys = found.stream().sorted(Comparator.comparing(RecipientKind::of)).toList();
            }
            return keys;
        }
    }

    Weighing(Search search) {
        this.search = search;
        this.question = search.question;
        this.explanation = search.explanation;
        this.hasPersonal = Search.havePersonal(search.contents);
    }

    /** Returns a verdict for each recipient, or a single one for nobody in particular. */
    List<Verdict> verdicts() throws RetiredException {
        if (question.recipients().isEmpty()) {
            return List.of(verdict(new Recipient(null)));
        }
        List<Verdict> verdicts = new ArrayList<>(question.recipients().size());
        for (String each : question.recipients()) {
            verdicts.add(verdict(new Recipient(each)));
        }
        return verdicts;
    }

    private Verdict verdict(Recipient recipient) throws RetiredException {
        try {
            Weighed decisive = decide(recipient);
            if (decisive == null) {
                return NotListed.STRANGER;
            }
            if (!decisive.is(Reason.LISTED)) {
                return new NotListed(decisive.reason, decisive.line());
            }
            IOException doubt = search.contents[decisive.list].doubt();
            if (doubt != null) {
                throw doubt;
            }
            NotListed denial =
                    decisive.rule.origin() == Origin.ADMIN ? null : denialOfOther(recipient);
            return denial == null ? new Listed(decisive.line()) : denial;
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
            others = new ArrayList<>();
            for (Address other : question.others()) {
                if (explanation != null) {
                    explanation.add(
                            "a user's or learned entry lists the sender; is " + other + " denied?");
                }
                Search its =
                        Search.of(
                                search.contents, search.policy, question.about(other), explanation);
                if (its != null) {
                    others.add(new Weighing(its));
                }
            }
        }
        for (Weighing other : others) {
            Weighed decisive = other.decide(recipient);
            if (decisive != null && decisive.is(Reason.DENIED)) {
                return new NotListed(Reason.DENIED, decisive.line(), other.question.asked());
            }
        }
        return null;
    }

    /** Returns how the line that decides comes out for a recipient, or null if there is none. */
    private @Nullable Weighed decide(Recipient recipient) throws IOException, RetiredException {
        Weighed admin = null;
        Weighed personal = null;
        Weighed nearest = null;
        // The address of which the user has said something, so that wider lines do not count.
        Address decidedByUser = null;
        for (Step step : search.steps) {
            // As long as addresses are asked, a user's denial may follow.
            if (admin != null && (!hasPersonal || step.key.isDomain())) {
                return admin;
            }
            List<Weighed> lines = lines(step, recipient);
            Weighed user = first(lines, Origin.USER);
            if (user != null && !step.written.equals(decidedByUser)) {
                if (user.is(Reason.DENIED)) {
                    return user;
                }
                decidedByUser = step.written;
                personal = personal == null ? user : personal;
            }
            admin = admin == null ? first(lines, Origin.ADMIN) : admin;
            if (admin != null && admin.is(Reason.DENIED)) {
                return admin;
            }
            personal = personal == null ? first(lines, Origin.LEARNED) : personal;
            // A denial that does not count is no reason.
            for (Weighed each : lines) {
                if (!each.rule.denied()
                        && (nearest == null || each.reason.compareTo(nearest.reason) < 0)) {
                    nearest = each;
                }
            }
        }
        return admin != null ? admin : personal != null ? personal : nearest;
    }

    /** Returns what an origin says at a key: its first denial, or else its first listing. */
    private static @Nullable Weighed first(List<Weighed> lines, Origin origin) {
        Weighed listing = null;
        for (Weighed each : lines) {
            if (each.rule.origin() == origin) {
                if (each.is(Reason.DENIED)) {
                    return each;
                }
                listing = listing == null && each.is(Reason.LISTED) ? each : listing;
            }
        }
        return listing;
    }

    /** Returns how the lines for a key and a recipient come out. */
    private List<Weighed> lines(Step step, Recipient recipient)
            throws IOException, RetiredException {
        List<Weighed> lines = new ArrayList<>(0);
        @Nullable Entry[] found = step.found();
        for (int list = 0; list < found.length; list++) {
            Entry forAll = found[list];
            if (forAll != null) {
                weigh(list, forAll, step, recipient, lines);
                for (Key to : forAll.kinds().isEmpty() ? List.<Key>of() : recipient.keys()) {
                    Entry entry =
                            forAll.kinds().contains(RecipientKind.of(to))
                                    ? step.find(list, to)
                                    : null;
                    if (entry != null) {
                        weigh(list, entry, step, recipient, lines);
                    }
                }
            }
        }
        return lines;
    }

    private void weigh(int list, Entry entry, Step step, Recipient recipient, List<Weighed> lines) {
        boolean isForwarder = step.isForwarder();
        if (isForwarder && explanation != null) {
            explanation.add(
                    entry.key() + ": has only forwarded the mail, so no entry but a denial counts");
        }
        for (Rule rule : entry.rules()) {
            if (isCompared(rule, step) && (rule.denied() || !isForwarder)) {
                Reason reason = reason(rule, step);
                if (explanation != null) {
                    explanation.rule(entry, rule, recipient.written, reason);
                }
                lines.add(new Weighed(list, entry, rule, reason));
            }
        }
    }

    /** Returns whether a rule is compared with the address that a key belongs to. */
    private boolean isCompared(Rule rule, Step step) {
        return rule.origin() == Origin.ADMIN
                ? step.isAsked()
                : (rule.denied() ? question.all() : question.listing()).contains(step.written);
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
        AuthRequirement required = rule.auth() == null ? search.policy.required() : rule.auth();
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
                rule.origin() == Origin.ADMIN || question.listing().getFirst().equals(step.written);
        return confirmed.meets(required, step.of)
                && (bySignature || confirmed.meets(AuthRequirement.SPF, step.of));
    }
}
