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
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

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
 * the administrator lists. Denials of the mail's other addresses are found by {@link Whitelist}.
 */
final class Decision implements MailKeys {
    private final Question question;
    private final Policy policy;
    private final boolean withPersonal;
    private final @Nullable Explanation explanation;
    private final int count;

    /** Finds the keys of recipients; made when a sender has entries for some recipients. */
    private @Nullable Recipients recipients;

    /** The address whose keys were asked for first. */
    private @Nullable Address sender;

    /** The lists that look up at once all that is asked of this mail, by their numbers. */
    private final Map<Integer, SenderLines> ahead = new HashMap<>(2);

    /** The entries that the lists have for the current key. */
    private final List<Found> found = new ArrayList<>(1);

    /** The verdict for each recipient, null until it is settled. Allocated at the first entry. */
    private @Nullable Verdict @Nullable [] settled;

    /** For each recipient, the nearest listing rule that did not count. */
    private NotListed[] nearest = {};

    /**
     * For each recipient, what the lines of each origin say at the first key where one counts. Only
     * kept while users' lines may change what the administrator's say.
     */
    private Said[] said = {};

    /** What the rules of each origin say to one recipient at one key, while it is found out. */
    private final Said here = new Said();

    /** Whether the administrator's lines count for the address that is asked for. */
    private boolean withAdmin = true;

    /** The address of the mail that it is, or stands for. Users' lines count for it by that. */
    private @Nullable Address written;

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
        this.count = question.verdicts();
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
     * @param number the index of the list
     * @param of the address that the key belongs to
     */
    void lookUp(int number, SenderLines list, Address of, Key key)
            throws IOException, RetiredException {
        if (sender == null || !(of.equals(sender) || question.identities().all().contains(of))) {
            sender = of;
            ahead.clear();
        }
        SenderLines lines = forMail(number, list);
        Entry entry = find(number, lines, key, null);
        if (entry != null) {
            found.add(new Found(number, lines, entry));
        }
    }

    @SuppressWarnings("ReferenceEquality") // most lists return themselves
    private SenderLines forMail(int number, SenderLines list) {
        SenderLines before = ahead.get(number);
        if (before != null) {
            return before;
        }
        SenderLines own = list.forMail(this);
        if (own != list) {
            ahead.put(number, own);
        }
        return own;
    }

    @Override
    public List<Key> senders() {
        Set<Key> keys = new LinkedHashSet<>();
        if (sender != null) {
            keys.addAll(sender.keys(policy.subaddressing()));
        }
        for (Address person : question.identities().all()) {
            keys.addAll(person.addressKeys(policy.subaddressing()));
        }
        return List.copyOf(keys);
    }

    @Override
    public List<Key> recipients() {
        return recipientKeys().all();
    }

    private Recipients recipientKeys() {
        if (recipients == null) {
            recipients = new Recipients(question, policy);
        }
        return recipients;
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
     * @param written the address of the mail that this is, or stands for
     */
    void settle(Address sender, Address written) throws RetiredException {
        settle(sender, true, written);
    }

    /** Begins another address with which users' and learned lines are compared. */
    void beginPerson() {
        for (Said each : said) {
            each.beginAddress();
        }
    }

    /**
     * Settles the recipients that users' and learned lines of one key decide.
     *
     * @param person the address that the key belongs to
     * @param written the address of the mail that this is, or stands for
     */
    void settlePerson(Address person, Address written) throws RetiredException {
        settle(person, false, written);
    }

    private void settle(Address sender, boolean admin, Address of) throws RetiredException {
        withAdmin = admin;
        written = of;
        if (found.isEmpty()) {
            return;
        }
        if (settled == null) {
            settled = new Verdict[count];
            nearest = new NotListed[count];
            Arrays.fill(nearest, NotListed.STRANGER);
            unsettled = count;
            if (withPersonal) {
                said = Stream.generate(Said::new).limit(count).toArray(Said[]::new);
            }
        }
        for (int i = 0; i < count; i++) {
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
        for (int i = 0; i < said.length; i++) {
            if (settled != null && settled[i] == null && said[i].admin != null) {
                settle(i, said[i].admin);
            }
        }
    }

    /** Returns whether every recipient has its verdict, so that no wider key needs asking. */
    boolean isSettled() {
        return settled != null && unsettled == 0;
    }

    /** Returns the verdict that the entries found give a recipient, or null when no rule counts. */
    private @Nullable Verdict verdict(Address sender, int recipient) throws RetiredException {
        here.clear();
        try {
            for (Found each : found) {
                weigh(each.entry(), sender, recipient);
                weighForSome(each, sender, recipient);
            }
        } catch (IOException e) {
            return new Unavailable(e);
        }
        if (!withPersonal) {
            return here.admin;
        }
        said[recipient].addWider(here);
        Verdict denial = said[recipient].denial();
        if (denial != null) {
            return denial;
        }
        // As long as addresses are asked, a user's denial may follow.
        return found.getFirst().entry().key().isDomain() ? said[recipient].admin : null;
    }

    /** Weighs the entries of a sender that are for this recipient and not for all. */
    private void weighForSome(Found of, Address sender, int recipient)
            throws IOException, RetiredException {
        if (of.entry().kinds().isEmpty()) {
            return;
        }
        for (Key to : recipientKeys().keys(recipient, of.entry().kinds())) {
            Entry entry = find(of.number(), of.list(), of.entry().key(), to);
            if (entry != null) {
                weigh(entry, sender, recipient);
            }
        }
    }

    /** Adds what the rules of an entry say to what was said at this key, by origin. */
    private void weigh(Entry entry, Address sender, int recipient) {
        for (Rule rule : entry.rules()) {
            if (!isCompared(rule)) {
                continue;
            }
            Reason outcome = outcome(rule, sender);
            if (explanation != null) {
                explanation.rule(entry, rule, question.recipient(recipient), outcome);
            }
            switch (outcome) {
                case DENIED -> {
                    if (!(here.by(rule.origin()) instanceof NotListed)) {
                        here.put(rule.origin(), new NotListed(Reason.DENIED, entry.withOnly(rule)));
                    }
                }
                case LISTED -> {
                    if (here.by(rule.origin()) == null) {
                        here.put(rule.origin(), new Listed(entry.withOnly(rule)));
                    }
                }
                default -> keepNearest(recipient, outcome, entry, rule);
            }
        }
    }

    /** Returns whether a rule is compared with the address that is asked for. */
    private boolean isCompared(Rule rule) {
        if (rule.origin() == Origin.ADMIN) {
            return withAdmin;
        }
        Identities identities = question.identities();
        return (rule.denied() ? identities.all() : identities.listing()).contains(written);
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
        return required == AuthRequirement.NONE || isConfirmed(required, rule, sender)
                ? Reason.LISTED
                : Reason.UNAUTHENTICATED;
    }

    /**
     * Returns whether a sender is confirmed as a rule requires. Hosters sign what their customers
     * write in From:, and the mail can then be sent again under a neighbour's envelope. So by the
     * envelope, users' lines do not list on a signature alone.
     */
    private boolean isConfirmed(AuthRequirement required, Rule rule, Address sender) {
        Authentication found = question.authentication();
        boolean bySignature =
                rule.origin() == Origin.ADMIN
                        || question.identities().listing().getFirst().equals(written);
        return found.meets(required, sender)
                && (bySignature || found.meets(AuthRequirement.SPF, sender));
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
                    count, whenUnsettled == null ? NotListed.STRANGER : whenUnsettled);
        }
        Verdict[] verdicts = new Verdict[count];
        for (int i = 0; i < count; i++) {
            Verdict verdict = settled[i];
            Verdict otherwise = whenUnsettled == null ? personal(i) : whenUnsettled;
            verdicts[i] = verdict == null ? otherwise : verdict;
        }
        return List.of(verdicts);
    }

    /** Returns the verdict of a recipient that the administrator's lines say nothing about. */
    private Verdict personal(int recipient) {
        Verdict first = withPersonal ? said[recipient].first() : null;
        return first == null ? nearest[recipient] : first;
    }
}
