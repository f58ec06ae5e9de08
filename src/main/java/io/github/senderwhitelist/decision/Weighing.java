package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.RecipientKind;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The weighing of what lists say about one sender: the search for its lines, key by key, and what
 * they come to for each recipient. For use by one thread.
 *
 * <p>The keys of the sender's address come first, then, for users' and learned lines only, those of
 * the mail's other address, and last the sender's domain and its parents, from the nearest up. If
 * something is taken off an address (see {@link Unwrapping}), the address as written comes before
 * the keys of the address it stands for. A key is looked up when the first recipient gets to it.
 *
 * <p>A line counts for a recipient when its entry is for the recipient and all its conditions hold.
 * Of the lines of an {@link Origin}, the first key at which one counts decides, and of several
 * there a denial. Then the first of these holds: a user's denial and an administrator's, however
 * wide, the administrator's listing, a user's or a learned one, and the reason of the line that
 * came nearest, in the order of {@link Reason}.
 */
final class Weighing {
    private final SenderLines[] contents;
    private final Policy policy;
    private final MailFacts mail;
    private final boolean withPersonal;

    /** The address with which the administrator's lines are compared. */
    private final Address asked;

    private final Explanation explanation;
    private final Instant now;

    /** The address in From:, which users see and signatures are for; null if it is unclear. */
    private final @Nullable Address seen;

    /** The addresses with which users' and learned listings are compared. */
    private final List<Address> listing;

    /** The other address of the mail, of which a denial wins, too; null if there is none. */
    private final @Nullable Address other;

    /** The keys, in the order in which they count. */
    private final List<Step> steps = new ArrayList<>();

    /** What each origin says at a key: its first denial, or else its first listing. */
    private final Map<Origin, Weighed> said = new EnumMap<>(Origin.class);

    /** The line that came nearest to deciding for the recipient. */
    private @Nullable Weighed nearest;

    /** Finds the administrator's denials of the other address, once a user's line needs that. */
    private @Nullable Weighing ofOther;

    /** The recipient who is decided for, as the mail has it; null for nobody in particular. */
    private @Nullable String recipient;

    private @Nullable List<Key> recipientKeys;

    /** Weighs one address of a mail, and with users' and learned lines if some lists have any. */
    Weighing(
            SenderLines[] contents,
            Policy policy,
            MailFacts mail,
            Address asked,
            boolean withPersonal,
            Explanation explanation) {
        this.contents = contents;
        this.policy = policy;
        this.mail = mail;
        this.asked = asked;
        this.withPersonal = withPersonal;
        this.explanation = explanation;
        this.now = policy.clock().instant();
        this.seen = withPersonal && mail.from().get() instanceof Known(Address from) ? from : null;
        Address sent =
                withPersonal && mail.envelope() instanceof Known(Address known) ? known : null;
        this.listing = listing(sent, seen);
        Address beside = asked.equals(seen) ? sent : seen;
        this.other = asked.equals(beside) ? null : beside;
        Address meant = add(asked);
        if (other != null) {
            add(other);
        }
        for (Key domain : meant.domainKeys()) {
            steps.add(new Step(domain, meant, asked));
        }
    }

    /**
     * Returns the addresses by which users know the sender of a mail: that in From:, which they
     * see, and that of the envelope if it is {@linkplain Organisations#areOneSender one sender}
     * with From:. If one of them is unclear they know nobody, since the administrator may deny it.
     */
    private static List<Address> listing(@Nullable Address sent, @Nullable Address seen) {
        if (sent == null || seen == null) {
            return List.of();
        }
        return Organisations.areOneSender(sent, seen) ? List.of(seen, sent) : List.of(seen);
    }

    /** Adds the keys of an address as written, and of the one that it stands for; returns that. */
    private Address add(Address written) {
        Address meant = policy.unwrapping().unwrap(written, now);
        if (!meant.equals(written)) {
            steps.add(new Step(written.key(), written, written));
            if (written.equals(asked)) {
                explanation.add(written, " stands for ", meant);
            }
        }
        for (Key key : meant.addressKeys(policy.subaddressing())) {
            steps.add(new Step(key, meant, written));
        }
        return meant;
    }

    /** A key of the mail, which is looked up once for all recipients. */
    private final class Step {
        private final Key key;
        private final Address of;
        private final Address written;
        private @Nullable Entry @Nullable [] found;
        private @Nullable IOException failure;

        /** Makes the step for a key of an address, which one in the mail is, or stands for. */
        Step(Key key, Address of, Address written) {
            this.key = key;
            this.of = of;
            this.written = written;
        }

        /**
         * Returns the entry of each list for the key and all recipients, or fails as before. Asks
         * only lists with lines that are compared with the address.
         */
        @Nullable Entry[] found() throws IOException, RetiredException {
            if (failure != null) {
                throw failure;
            }
            if (found == null) {
                try {
                    found = ask();
                } catch (IOException e) {
                    failure = e;
                    throw e;
                }
            }
            return found;
        }

        private @Nullable Entry[] ask() throws IOException, RetiredException {
            @Nullable Entry[] all = new Entry[contents.length];
            for (int i = 0; i < contents.length; i++) {
                if (written.equals(asked) || contents[i].hasPersonal()) {
                    if (contents[i].mightContain(key)) {
                        all[i] = contents[i].find(key, null);
                    } else {
                        contents[i].countRefused(key.isDomain() ? 0 : 1);
                    }
                    explanation.found(i, key, null, all[i]);
                }
            }
            return all;
        }
    }

    /** How a line of a list, given by its number, comes out for a recipient. */
    private record Weighed(int list, Entry entry, Rule rule, Reason reason) {
        /** Returns the first of two lines of an origin that denies, or else this one. */
        Weighed or(Weighed later) {
            return later.reason == Reason.DENIED && reason != Reason.DENIED ? later : this;
        }

        /** Returns the verdict by a line that does not list the sender. */
        NotListed against(@Nullable Address denied) {
            return new NotListed(reason, entry.withOnly(rule), denied, list);
        }
    }

    /** Returns a verdict for each recipient, or a single one without recipients. */
    List<Verdict> verdicts() throws RetiredException {
        List<Verdict> verdicts = new ArrayList<>();
        for (String each : mail.recipients()) {
            verdicts.add(verdict(each));
        }
        return verdicts.isEmpty() ? List.of(verdict(null)) : verdicts;
    }

    private Verdict verdict(@Nullable String to) throws RetiredException {
        recipient = to;
        recipientKeys = null;
        try {
            Weighed decisive = decide();
            if (decisive == null) {
                return NotListed.STRANGER;
            }
            if (decisive.reason != Reason.LISTED) {
                return decisive.against(null);
            }
            IOException doubt = contents[decisive.list].doubt();
            if (doubt != null) {
                throw doubt;
            }
            NotListed denial = decisive.rule.origin() == Origin.ADMIN ? null : denialOfOther();
            return denial == null
                    ? new Listed(decisive.entry.withOnly(decisive.rule), decisive.list)
                    : denial;
        } catch (IOException e) {
            return new Unavailable(e);
        }
    }

    /**
     * Returns the administrator's denial of the other address of the mail, or null: users do not
     * overrule the administrator by an address that is not asked for.
     */
    private @Nullable NotListed denialOfOther() throws IOException, RetiredException {
        if (other == null) {
            return null;
        }
        explanation.add("a user's or learned entry lists the sender; is ", other, " denied?");
        if (ofOther == null) {
            ofOther = new Weighing(contents, policy, mail, other, false, explanation);
        }
        ofOther.recipient = recipient;
        ofOther.recipientKeys = recipientKeys;
        Weighed admin = ofOther.decide();
        return admin != null && admin.reason == Reason.DENIED ? admin.against(other) : null;
    }

    /** Returns how the line that decides comes out, or null if there is none. */
    private @Nullable Weighed decide() throws IOException, RetiredException {
        Weighed admin = null;
        Weighed personal = null;
        // The address of which the user has said something, so that wider lines do not count.
        Address decidedByUser = null;
        nearest = null;
        for (Step step : steps) {
            // As long as addresses are asked, a user's denial may follow.
            if (admin != null && (!withPersonal || step.key.isDomain())) {
                return admin;
            }
            weigh(step);
            Weighed user = said.get(Origin.USER);
            if (user != null && !step.written.equals(decidedByUser)) {
                if (user.reason == Reason.DENIED) {
                    return user;
                }
                decidedByUser = step.written;
                personal = personal == null ? user : personal;
            }
            admin = admin == null ? said.get(Origin.ADMIN) : admin;
            if (admin != null && admin.reason == Reason.DENIED) {
                return admin;
            }
            personal = personal == null ? said.get(Origin.LEARNED) : personal;
        }
        return admin != null ? admin : personal != null ? personal : nearest;
    }

    /** Weighs the lines for a key. */
    private void weigh(Step step) throws IOException, RetiredException {
        said.clear();
        @Nullable Entry[] found = step.found();
        for (int list = 0; list < found.length; list++) {
            Entry forAll = found[list];
            weigh(list, forAll, step);
            if (forAll != null && !forAll.kinds().isEmpty()) {
                for (Key to : recipientKeys()) {
                    if (forAll.kinds().contains(RecipientKind.of(to))) {
                        Entry entry = contents[list].find(step.key, to);
                        explanation.found(list, step.key, to, entry);
                        weigh(list, entry, step);
                    }
                }
            }
        }
    }

    /**
     * Returns the keys by which entries can be for the recipient: of its address as written,
     * without its tag, and of its user; of the domains of these; of the domains above them.
     *
     * @throws IOException if the user cannot be found out
     */
    private List<Key> recipientKeys() throws IOException {
        if (recipientKeys == null) {
            Set<Key> keys = new LinkedHashSet<>();
            if (recipient != null && AddressSyntax.parse(recipient) instanceof Address address) {
                keys.addAll(address.keys(policy.recipientTags()));
                Address user = policy.users().userOf(address);
                keys.addAll(user == null ? Set.of() : user.keys(policy.recipientTags()));
            }
            recipientKeys = keys.stream().sorted(Comparator.comparing(RecipientKind::of)).toList();
        }
        return recipientKeys;
    }

    private void weigh(int list, @Nullable Entry entry, Step step) {
        if (entry == null) {
            return;
        }
        // Whether it is the account that has forwarded the mail of somebody else.
        boolean isForwarder =
                !step.key.isDomain() && !step.key.equals(step.of.key()) && step.of.isForwarded();
        if (isForwarder) {
            explanation.add(
                    entry.key(), ": has only forwarded the mail, so no entry but a denial counts");
        }
        for (Rule rule : entry.rules()) {
            boolean isCompared =
                    rule.origin() == Origin.ADMIN
                            ? step.written.equals(asked)
                            : withPersonal && (rule.denied() || listing.contains(step.written));
            if (isCompared && (rule.denied() || !isForwarder)) {
                Weighed line = new Weighed(list, entry, rule, reason(rule, step));
                explanation.rule(entry, rule, recipient, line.reason);
                if (line.reason == Reason.LISTED || line.reason == Reason.DENIED) {
                    said.merge(rule.origin(), line, Weighed::or);
                }
                // A denial that does not count is no reason.
                if (!rule.denied()
                        && (nearest == null || line.reason.compareTo(nearest.reason) < 0)) {
                    nearest = line;
                }
            }
        }
    }

    /**
     * Returns {@link Reason#LISTED} or {@link Reason#DENIED} when a rule counts, and otherwise the
     * first condition that fails. The cheapest condition is checked first.
     *
     * <p>Hosters sign what their customers write in From:, and the mail can then be sent again
     * under a neighbour's envelope. So by the envelope, users' lines do not list on a signature
     * alone.
     */
    private Reason reason(Rule rule, Step step) {
        if (rule.from() != null && now.isBefore(rule.from())) {
            return Reason.NOT_YET;
        }
        if (!now.isBefore(rule.end())) {
            return Reason.EXPIRED;
        }
        if (rule.denied()) {
            return Reason.DENIED;
        }
        AuthRequirement required = rule.auth() == null ? policy.required() : rule.auth();
        Authentication confirmed = mail.authentication();
        boolean bySignature =
                required == AuthRequirement.NONE
                        || rule.origin() == Origin.ADMIN
                        || step.written.equals(seen);
        return confirmed.meets(required, step.of)
                        && (bySignature || confirmed.meets(AuthRequirement.SPF, step.of))
                ? Reason.LISTED
                : Reason.UNAUTHENTICATED;
    }
}
