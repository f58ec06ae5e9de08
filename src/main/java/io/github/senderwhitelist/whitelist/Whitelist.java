package io.github.senderwhitelist.whitelist;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ParsedAddress.Malformed;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.whitelist.Generation.RetiredException;
import io.github.senderwhitelist.whitelist.Verdict.NotListed;
import io.github.senderwhitelist.whitelist.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The decision: whether a sender is on one of several lists.
 *
 * <p>Keys are tried from the most specific to the widest: the address, the address without its tag,
 * its domain, its parent domains from the nearest up. Where something is taken off the address (see
 * {@link io.github.senderwhitelist.address.Unwrapping}), the address as written comes first, and
 * then the keys of the address it stands for. The first key at which a rule counts decides; where
 * lists disagree on it, {@code !} wins (see {@link Decision}). A filter that says no settles its
 * list without a look at the store or the cache.
 *
 * <p>Asking takes no lock and changes nothing; any number of threads may.
 */
public final class Whitelist {
    private static final List<Verdict> STRANGER = List.of(NotListed.STRANGER);

    private final List<ListInForce> lists;
    private final Policy policy;

    /** Those of a check before; weak, so that it keeps no list in memory that was replaced. */
    private volatile WeakReference<Generation[]> last = new WeakReference<>(null);

    /** The decision over these lists. */
    public Whitelist(List<? extends ListInForce> lists, Policy policy) {
        this.lists = List.copyOf(lists);
        this.policy = policy;
    }

    /** The decision over these lists where only tags count. */
    public Whitelist(List<? extends ListInForce> lists, Subaddressing subaddressing) {
        this(lists, Policy.of(subaddressing));
    }

    /** The verdict on a sender, for nobody in particular and with nothing confirmed. */
    public Verdict check(Address sender) {
        return decide(sender, null, null).getFirst();
    }

    /** The verdicts for each recipient, in their order; one when there are none. */
    public List<Verdict> check(Question question) {
        return check(question, null);
    }

    /** The same verdicts, and how they came about. */
    public List<Verdict> check(Question question, @Nullable Explanation explanation) {
        List<Verdict> verdicts = decide(question.sender(), question, explanation);
        for (int i = 0; explanation != null && i < verdicts.size(); i++) {
            boolean any = !question.recipients().isEmpty();
            explanation.verdict(any ? question.recipients().get(i) : null, verdicts.get(i));
        }
        return verdicts;
    }

    /**
     * The verdicts on a sender.
     *
     * @param question null: for nobody in particular and with nothing confirmed
     */
    private List<Verdict> decide(
            Address sender, @Nullable Question question, @Nullable Explanation explanation) {
        while (true) {
            Generation[] generations = generations();
            if (explanation != null) {
                explanation.begin(generations);
            }
            try {
                return ask(generations, sender, question, explanation);
            } catch (RetiredException e) {
                // A refresh came between, and the generation now in force answers instead; unless
                // there is no such generation, because a list was closed.
                if (areInForce(generations)) {
                    Verdict none = new Unavailable(new IOException("the list is closed"));
                    return Collections.nCopies(
                            question == null ? 1 : Math.max(1, question.recipients().size()), none);
                }
            }
        }
    }

    private static List<Verdict> strangers(@Nullable Question question) {
        int recipients = question == null ? 0 : question.recipients().size();
        return recipients <= 1 ? STRANGER : Collections.nCopies(recipients, NotListed.STRANGER);
    }

    /**
     * What the lists say of a sender, and how that comes about, as lines for people: the decision
     * is the one that mails get.
     *
     * @param sender as people write it, {@code <>} or nothing for the null sender
     * @param recipients none: nobody in particular
     */
    public List<String> explain(
            String sender, List<String> recipients, Authentication authentication) {
        String written = sender.strip();
        if (written.isEmpty() || written.equals("<>")) {
            return List.of("verdict: not listed, " + Reason.NULL_SENDER.label());
        }
        return switch (AddressSyntax.parse(written)) {
            case WellFormed(Address address) -> {
                Explanation explanation = new Explanation();
                check(new Question(address, recipients, authentication), explanation);
                yield explanation.lines();
            }
            case Malformed(String reason) ->
                    List.of(reason, "verdict: not listed, " + Reason.MALFORMED.label());
        };
    }

    /**
     * Generations that were all in force at one moment, so that an entry that moves from list to
     * list is never in none. Those of the check before are, if they all still are in force: none
     * comes back once it was replaced.
     */
    private Generation[] generations() {
        Generation[] before = last.get();
        return before != null && areInForce(before) ? before : readGenerations();
    }

    private boolean areInForce(Generation[] generations) {
        for (int i = 0; i < generations.length; i++) {
            if (lists.get(i).current() != generations[i]) {
                return false;
            }
        }
        return true;
    }

    /** Reads round and round until a whole round found nothing changed. */
    private Generation[] readGenerations() {
        Generation[] generations = new Generation[lists.size()];
        int same = 0;
        for (int i = 0; same < generations.length; i = (i + 1) % generations.length) {
            Generation now = lists.get(i).current();
            same = now == generations[i] ? same + 1 : 1;
            generations[i] = now;
        }
        last = new WeakReference<>(generations);
        return generations;
    }

    /**
     * Asks for key after key until all is settled. There is a decision only once there is something
     * to decide: most senders are strangers, and the way to that answer makes nothing new.
     */
    private List<Verdict> ask(
            Generation[] generations,
            Address written,
            @Nullable Question question,
            @Nullable Explanation explanation)
            throws RetiredException {
        Decision decision = null;
        try {
            Address sender = written;
            if (!policy.unwrapping().isNone()) {
                decision = decision(null, written, question, explanation);
                sender = policy.unwrapping().unwrap(written, decision::now);
            }
            if (!sender.equals(written)) {
                if (explanation != null) {
                    explanation.unwrapped(written, sender);
                }
                List<Entry> found = find(generations, written.key(), explanation);
                decision = hear(decision, written, found, written, question, explanation);
            }
            if (isOpen(decision)) {
                List<Entry> found = find(generations, sender.key(), explanation);
                decision = hear(decision, sender, found, written, question, explanation);
            }
            Key untagged = isOpen(decision) ? sender.keyWithoutTag(policy.subaddressing()) : null;
            if (untagged != null) {
                List<Entry> found = find(generations, untagged, explanation);
                decision = hear(decision, sender, found, written, question, explanation);
            }
            for (int domain = sender.firstDomain();
                    domain >= 0 && isOpen(decision);
                    domain = sender.nextDomain(domain)) {
                List<Entry> found = findDomain(generations, sender, domain, explanation);
                decision = hear(decision, sender, found, written, question, explanation);
            }
        } catch (IOException e) {
            return decision(decision, written, question, explanation).verdictsAfter(e);
        }
        return decision == null ? strangers(question) : decision.verdicts();
    }

    /** The decision, made if need be, after what the lists hold of a key of that sender's. */
    private @Nullable Decision hear(
            @Nullable Decision before,
            Address sender,
            @Nullable List<Entry> found,
            Address written,
            @Nullable Question question,
            @Nullable Explanation explanation) {
        if (found == null) {
            return before;
        }
        Decision decision = decision(before, written, question, explanation);
        decision.hear(sender, found);
        return decision;
    }

    private static boolean isOpen(@Nullable Decision decision) {
        return decision == null || !decision.isSettled();
    }

    private Decision decision(
            @Nullable Decision before,
            Address written,
            @Nullable Question question,
            @Nullable Explanation explanation) {
        if (before != null) {
            return before;
        }
        return new Decision(
                question == null ? Question.of(written) : question, policy, explanation);
    }

    /** What the lists hold of an address' key; null: nothing. */
    private static @Nullable List<Entry> find(
            Generation[] generations, Key key, @Nullable Explanation explanation)
            throws IOException, RetiredException {
        List<Entry> found = null;
        for (int i = 0; i < generations.length; i++) {
            boolean maybe = generations[i].mightContainAddress(key);
            if (explanation != null) {
                explanation.filter(i, key, maybe);
            }
            if (maybe) {
                found = with(found, find(generations, i, key, explanation));
            }
        }
        return found;
    }

    /** What the lists hold of a domain of the sender's; null: nothing. */
    private static @Nullable List<Entry> findDomain(
            Generation[] generations, Address sender, int domain, @Nullable Explanation explanation)
            throws IOException, RetiredException {
        List<Entry> found = null;
        for (int i = 0; i < generations.length; i++) {
            boolean maybe = generations[i].mightContainDomain(sender.key().bytes(), domain);
            if (explanation != null) {
                explanation.filter(i, sender.domainKey(domain), maybe);
            }
            if (maybe) {
                found = with(found, find(generations, i, sender.domainKey(domain), explanation));
            }
        }
        return found;
    }

    private static @Nullable Entry find(
            Generation[] generations, int i, Key key, @Nullable Explanation explanation)
            throws IOException, RetiredException {
        Entry entry = generations[i].find(key);
        if (explanation != null) {
            explanation.found(i, key, entry);
        }
        return entry;
    }

    private static @Nullable List<Entry> with(@Nullable List<Entry> found, @Nullable Entry entry) {
        if (entry == null) {
            return found;
        }
        if (found == null) {
            return List.of(entry);
        }
        List<Entry> more = new ArrayList<>(found);
        more.add(entry);
        return more;
    }
}
