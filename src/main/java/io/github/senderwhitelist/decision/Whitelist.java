package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.Sender.Nobody;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Several lists that are asked together whether they hold a sender.
 *
 * <p>Keys are asked from the most specific to the widest: the address, the address without its tag,
 * its domain, its parent domains from the nearest up. If something is taken off the address (see
 * {@link Unwrapping}), the address as written comes first, and then the keys of the address it
 * stands for. The first key at which a rule counts decides; if lists disagree on it, {@code !}
 * wins. Users' lines have a say of their own (see {@link Decision}). Where a filter says "no",
 * neither the store nor the cache of its list is asked.
 *
 * <p>Safe for use by any number of threads; a question takes no lock.
 */
public final class Whitelist {
    private static final List<Verdict> STRANGER = List.of(NotListed.STRANGER);

    private final List<SenderList> lists;
    private final Policy policy;

    /**
     * The content of all lists as the last check read it. The reference is weak so that a replaced
     * generation can be collected even if nobody asks again.
     */
    private volatile WeakReference<SenderLines[]> lastLines = new WeakReference<>(null);

    /** Makes a whitelist of these lists. */
    public Whitelist(List<? extends SenderList> lists, Policy policy) {
        this.lists = List.copyOf(lists);
        this.policy = policy;
    }

    /** Returns a verdict for each recipient, in their order, or a single one without recipients. */
    public List<Verdict> check(Question question) {
        return check(question, null);
    }

    /**
     * Returns a verdict for each recipient, in their order, or a single one without recipients.
     *
     * @param explanation receives the steps of the decision; null for none
     */
    public List<Verdict> check(Question question, @Nullable Explanation explanation) {
        List<Verdict> verdicts =
                question.sender() instanceof Known(Address sender)
                        ? decide(sender, question, explanation)
                        : nobody((Nobody) question.sender(), question, explanation);
        if (explanation != null) {
            explanation.verdicts(question.recipients(), verdicts);
        }
        return verdicts;
    }

    private static List<Verdict> nobody(
            Nobody sender, Question question, @Nullable Explanation explanation) {
        if (explanation != null) {
            explanation.nobody(sender.why());
        }
        return same(question, new NotListed(sender.reason(), null));
    }

    /**
     * Returns the steps of the decision on a question, as lines for people. It is the decision that
     * {@link #check(Question)} makes.
     */
    public List<String> explain(Question question) {
        Explanation explanation = new Explanation();
        check(question, explanation);
        return explanation.lines();
    }

    private List<Verdict> decide(
            Address sender, Question question, @Nullable Explanation explanation) {
        while (true) {
            SenderLines[] lines = currentLines();
            if (explanation != null) {
                explanation.begin(lines);
            }
            try {
                return ask(lines, sender, question, explanation);
            } catch (RetiredException e) {
                // A refresh came between, so the new content is asked. If nothing has changed, a
                // list was closed, and asking again would go on without end.
                if (areCurrent(lines)) {
                    return same(question, new Unavailable(new IOException("the list is closed")));
                }
            }
        }
    }

    /**
     * Returns the content that all lists had at one moment, so that an entry that moves from one
     * list to another is never missing from both. The array of the last check is used again if all
     * its parts are still in force: since replaced content never comes back, they still belong
     * together.
     */
    private SenderLines[] currentLines() {
        SenderLines[] before = lastLines.get();
        return before != null && areCurrent(before) ? before : readCurrentLines();
    }

    private boolean areCurrent(SenderLines[] lines) {
        for (int i = 0; i < lines.length; i++) {
            if (!isSame(lists.get(i).current(), lines[i])) {
                return false;
            }
        }
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // replaced content never comes back
    private static boolean isSame(SenderLines now, @Nullable SenderLines before) {
        return now == before;
    }

    /** Reads the lists in turn until none has changed for a whole round. */
    private SenderLines[] readCurrentLines() {
        SenderLines[] lines = new SenderLines[lists.size()];
        int same = 0;
        for (int i = 0; same < lines.length; i = (i + 1) % lines.length) {
            SenderLines now = lists.get(i).current();
            same = isSame(now, lines[i]) ? same + 1 : 1;
            lines[i] = now;
        }
        lastLines = new WeakReference<>(lines);
        return lines;
    }

    /**
     * Asks for one key after another until all recipients are settled. Without unwrapping, no
     * decision is made until a filter says "maybe", so that strangers, who are most senders, cost
     * no allocation.
     */
    private List<Verdict> ask(
            SenderLines[] lines,
            Address written,
            Question question,
            @Nullable Explanation explanation)
            throws RetiredException {
        Decision decision = null;
        try {
            Address sender = written;
            if (!policy.unwrapping().isNone()) {
                decision = begin(lines, question, explanation);
                sender = policy.unwrapping().unwrap(written, decision::now);
            }
            if (!sender.equals(written)) {
                if (explanation != null) {
                    explanation.unwrapped(written, sender);
                }
                decision =
                        askAddress(
                                lines,
                                written,
                                written,
                                written.key(),
                                decision,
                                question,
                                explanation);
            }
            decision =
                    askAddress(
                            lines, sender, written, sender.key(), decision, question, explanation);
            Key untagged = isOpen(decision) ? sender.keyWithoutTag(policy.subaddressing()) : null;
            if (untagged != null) {
                decision =
                        askAddress(
                                lines, sender, written, untagged, decision, question, explanation);
            }
            for (Address person : question.identities().all()) {
                if (!person.equals(written)) {
                    if (decision != null) {
                        decision.beginPerson();
                    }
                    decision = askWritten(lines, person, decision, question, explanation);
                }
            }
            if (decision != null) {
                decision.endAddresses();
            }
            for (int domain = sender.firstDomain();
                    domain >= 0 && isOpen(decision);
                    domain = sender.nextDomain(domain)) {
                decision = askDomain(lines, sender, domain, decision, question, explanation);
            }
        } catch (IOException e) {
            return decision == null
                    ? same(question, new Unavailable(e))
                    : decision.verdictsAfter(e);
        }
        return decision == null
                ? strangers(question)
                : withDenials(lines, written, decision.verdicts(), question, explanation);
    }

    /**
     * Returns the verdicts, but not listed where a user's or learned line lists the sender and the
     * administrator denies another address of the mail: users do not overrule the administrator by
     * an address that is not asked for.
     *
     * @param asked the address with which the administrator's lines were compared
     */
    private List<Verdict> withDenials(
            SenderLines[] lines,
            Address asked,
            List<Verdict> verdicts,
            Question question,
            @Nullable Explanation explanation)
            throws RetiredException {
        List<Verdict> all = verdicts;
        for (Address other : question.identities().all()) {
            List<Integer> personal = other.equals(asked) ? List.of() : listedByUsers(all);
            if (personal.isEmpty()) {
                continue;
            }
            if (explanation != null) {
                explanation.identity(other);
            }
            List<String> recipients = personal.stream().map(question.recipients()::get).toList();
            List<Verdict> others =
                    ask(
                            lines,
                            other,
                            new Question(
                                    new Known(other),
                                    Identities.NONE,
                                    recipients,
                                    question.authentication()),
                            explanation);
            all = new ArrayList<>(all);
            for (int i = 0; i < others.size(); i++) {
                if (others.get(i) instanceof NotListed(Reason reason, Entry entry, var none)
                        && reason == Reason.DENIED) {
                    all.set(personal.get(i), new NotListed(reason, entry, other));
                } else if (others.get(i) instanceof Unavailable) {
                    all.set(personal.get(i), others.get(i));
                }
            }
        }
        return all;
    }

    /** Returns the places of the verdicts that are due to a user's or learned line. */
    private static List<Integer> listedByUsers(List<Verdict> verdicts) {
        return IntStream.range(0, verdicts.size())
                .filter(
                        i ->
                                verdicts.get(i) instanceof Listed(Entry entry)
                                        && entry.rules().getFirst().origin() != Origin.ADMIN)
                .boxed()
                .toList();
    }

    private Decision begin(
            SenderLines[] lines, Question question, @Nullable Explanation explanation) {
        boolean withPersonal = false;
        for (SenderLines each : lines) {
            withPersonal |= each.hasPersonal();
        }
        return new Decision(question, policy, withPersonal, explanation);
    }

    private static boolean isOpen(@Nullable Decision decision) {
        return decision == null || !decision.isSettled();
    }

    /**
     * Asks all lists for the key of an address.
     *
     * @param written the address of the mail that this is, or stands for
     * @return the decision, which is made when the first filter says "maybe"; null while none has
     */
    private @Nullable Decision askAddress(
            SenderLines[] lines,
            Address sender,
            Address written,
            Key key,
            @Nullable Decision before,
            Question question,
            @Nullable Explanation explanation)
            throws IOException, RetiredException {
        if (!isOpen(before)) {
            return before;
        }
        Decision decision = before;
        for (int i = 0; i < lines.length; i++) {
            boolean maybe = lines[i].mightContainAddress(key);
            if (explanation != null) {
                explanation.filter(i, key, maybe);
            }
            if (maybe) {
                decision = decision == null ? begin(lines, question, explanation) : decision;
                decision.lookUp(i, lines[i], sender, key);
            }
        }
        if (decision != null) {
            decision.settle(sender, written);
        }
        return decision;
    }

    /**
     * Asks the lists that have users' lines for an address that only these are compared with, as
     * written and then as what it stands for.
     *
     * @return the decision, as {@link #askAddress} returns it
     */
    private @Nullable Decision askWritten(
            SenderLines[] lines,
            Address written,
            @Nullable Decision before,
            Question question,
            @Nullable Explanation explanation)
            throws IOException, RetiredException {
        Address person =
                before == null ? written : policy.unwrapping().unwrap(written, before::now);
        Decision decision = before;
        if (!person.equals(written)) {
            List<Key> whole = List.of(written.key());
            decision = askPerson(lines, written, written, whole, decision, question, explanation);
        }
        List<Key> keys = person.addressKeys(policy.subaddressing());
        return askPerson(lines, person, written, keys, decision, question, explanation);
    }

    private @Nullable Decision askPerson(
            SenderLines[] lines,
            Address person,
            Address written,
            List<Key> keys,
            @Nullable Decision before,
            Question question,
            @Nullable Explanation explanation)
            throws IOException, RetiredException {
        Decision decision = before;
        for (Key key : keys) {
            for (int i = 0; i < lines.length && isOpen(decision); i++) {
                boolean maybe = lines[i].hasPersonal() && lines[i].mightContainAddress(key);
                if (explanation != null && lines[i].hasPersonal()) {
                    explanation.filter(i, key, maybe);
                }
                if (maybe) {
                    decision = decision == null ? begin(lines, question, explanation) : decision;
                    decision.lookUp(i, lines[i], person, key);
                }
            }
            if (decision != null) {
                decision.settlePerson(person, written);
            }
        }
        return decision;
    }

    /**
     * Returns what stands for the content of all lists: the same object only as long as none of
     * them is replaced. Who asks several questions about one mail sees by it that a refresh came
     * between.
     */
    public Object content() {
        return currentLines();
    }

    /** Returns whether a list has lines that are users', or learned. */
    public boolean hasPersonal() {
        for (SenderLines each : currentLines()) {
            if (each.hasPersonal()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Asks all lists for a domain of the sender.
     *
     * @param domain where the domain starts in the bytes of the sender's key
     * @return the decision, as {@link #askAddress} returns it
     */
    private @Nullable Decision askDomain(
            SenderLines[] lines,
            Address sender,
            int domain,
            @Nullable Decision before,
            Question question,
            @Nullable Explanation explanation)
            throws IOException, RetiredException {
        Decision decision = before;
        for (int i = 0; i < lines.length; i++) {
            boolean maybe = lines[i].mightContainDomain(sender.key().bytes(), domain);
            if (explanation != null) {
                explanation.filter(i, sender.domainKey(domain), maybe);
            }
            if (maybe) {
                decision = decision == null ? begin(lines, question, explanation) : decision;
                decision.lookUp(i, lines[i], sender, sender.domainKey(domain));
            }
        }
        if (decision != null) {
            decision.settle(sender, sender);
        }
        return decision;
    }

    private static List<Verdict> strangers(Question question) {
        return question.verdicts() == 1 ? STRANGER : same(question, NotListed.STRANGER);
    }

    private static List<Verdict> same(Question question, Verdict verdict) {
        return Collections.nCopies(question.verdicts(), verdict);
    }
}
