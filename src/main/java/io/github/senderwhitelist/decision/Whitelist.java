package io.github.senderwhitelist.decision;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Sender.Known;
import io.github.senderwhitelist.decision.Sender.Nobody;
import io.github.senderwhitelist.decision.SenderLines.RetiredException;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.List;

/**
 * The decision: whether a sender is on one of several lists.
 *
 * <p>Keys are tried from the most specific to the widest: the address, the address without its tag,
 * its domain, its parent domains from the nearest up. Where something is taken off the address (see
 * {@link io.github.senderwhitelist.decision.Unwrapping}), the address as written comes first, and
 * then the keys of the address it stands for. The first key at which a rule counts decides; where
 * lists disagree on it, {@code !} wins (see {@link Decision}). A filter that says no settles its
 * list without a look at the store or the cache.
 *
 * <p>Asking takes no lock and changes nothing; any number of threads may.
 */
public final class Whitelist {
    private static final List<Verdict> STRANGER = List.of(NotListed.STRANGER);

    private final List<SenderList> lists;
    private final Policy policy;

    /**
     * What the lists held at a check before; weak, so that it keeps no list in memory that was
     * replaced.
     */
    private volatile WeakReference<SenderLines[]> last = new WeakReference<>(null);

    /** Asks these lists. */
    public Whitelist(List<? extends SenderList> lists, Policy policy) {
        this.lists = List.copyOf(lists);
        this.policy = policy;
    }

    /** Asks these lists; only tags count beside them. */
    public Whitelist(List<? extends SenderList> lists, Subaddressing subaddressing) {
        this(lists, Policy.of(subaddressing));
    }

    /** Returns the verdict on a sender, for nobody in particular and with nothing confirmed. */
    public Verdict check(Address sender) {
        return check(Question.of(sender)).getFirst();
    }

    /** Returns the verdicts for each recipient, in their order; one when there are none. */
    public List<Verdict> check(Question question) {
        return check(question, null);
    }

    /**
     * Returns the same verdicts.
     *
     * @param explanation is told how they come about
     */
    public List<Verdict> check(Question question, @Nullable Explanation explanation) {
        List<Verdict> verdicts =
                switch (question.sender()) {
                    case Known(Address sender) -> decide(sender, question, explanation);
                    case Nobody(Reason reason, String why) -> {
                        if (explanation != null) {
                            explanation.nobody(why);
                        }
                        yield same(question, new NotListed(reason, null));
                    }
                };
        if (explanation != null) {
            explanation.verdicts(question.recipients(), verdicts);
        }
        return verdicts;
    }

    /**
     * Returns what the lists say of a sender, and how that comes about, as lines for people: the
     * decision is the one that mails get.
     */
    public List<String> explain(Question question) {
        Explanation explanation = new Explanation();
        check(question, explanation);
        return explanation.lines();
    }

    private List<Verdict> decide(
            Address sender, Question question, @Nullable Explanation explanation) {
        while (true) {
            SenderLines[] held = held();
            if (explanation != null) {
                explanation.begin(held);
            }
            try {
                return ask(held, sender, question, explanation);
            } catch (RetiredException e) {
                // A refresh came between, and what the lists hold now answers instead; unless one
                // of them holds nothing any more, because it was closed.
                if (areInForce(held)) {
                    return same(question, new Unavailable(new IOException("the list is closed")));
                }
            }
        }
    }

    private static List<Verdict> strangers(Question question) {
        return question.verdicts() == 1 ? STRANGER : same(question, NotListed.STRANGER);
    }

    private static List<Verdict> same(Question question, Verdict verdict) {
        return Collections.nCopies(question.verdicts(), verdict);
    }

    /**
     * Returns what all lists held at one moment, so that an entry that moves from list to list is
     * never in none. What they held at the check before will do if they all still do: nothing comes
     * back once it was replaced.
     */
    private SenderLines[] held() {
        SenderLines[] before = last.get();
        return before != null && areInForce(before) ? before : readHeld();
    }

    private boolean areInForce(SenderLines[] held) {
        for (int i = 0; i < held.length; i++) {
            if (!isSame(lists.get(i).current(), held[i])) {
                return false;
            }
        }
        return true;
    }

    @SuppressWarnings("ReferenceEquality") // what is held never comes back once it was replaced
    private static boolean isSame(SenderLines now, @Nullable SenderLines before) {
        return now == before;
    }

    /** Reads round and round until a whole round found nothing changed. */
    private SenderLines[] readHeld() {
        SenderLines[] held = new SenderLines[lists.size()];
        int same = 0;
        for (int i = 0; same < held.length; i = (i + 1) % held.length) {
            SenderLines now = lists.get(i).current();
            same = isSame(now, held[i]) ? same + 1 : 1;
            held[i] = now;
        }
        last = new WeakReference<>(held);
        return held;
    }

    /**
     * Asks for key after key until all is settled. There is a decision only once a filter says
     * "maybe": most senders are strangers, and the way to that answer makes nothing new.
     */
    private List<Verdict> ask(
            SenderLines[] held,
            Address written,
            Question question,
            @Nullable Explanation explanation)
            throws RetiredException {
        Decision decision = null;
        try {
            Address sender = written;
            if (!policy.unwrapping().isNone()) {
                decision = new Decision(question, policy, explanation);
                sender = policy.unwrapping().unwrap(written, decision::now);
            }
            if (!sender.equals(written)) {
                if (explanation != null) {
                    explanation.unwrapped(written, sender);
                }
                decision = hear(held, written, written.key(), decision, question, explanation);
            }
            decision = hear(held, sender, sender.key(), decision, question, explanation);
            Key untagged = isOpen(decision) ? sender.keyWithoutTag(policy.subaddressing()) : null;
            if (untagged != null) {
                decision = hear(held, sender, untagged, decision, question, explanation);
            }
            for (int domain = sender.firstDomain();
                    domain >= 0 && isOpen(decision);
                    domain = sender.nextDomain(domain)) {
                decision = hearDomain(held, sender, domain, decision, question, explanation);
            }
        } catch (IOException e) {
            return decision == null
                    ? same(question, new Unavailable(e))
                    : decision.verdictsAfter(e);
        }
        return decision == null ? strangers(question) : decision.verdicts();
    }

    private static boolean isOpen(@Nullable Decision decision) {
        return decision == null || !decision.isSettled();
    }

    /** Returns the decision, made if need be, after what the lists hold of an address' key. */
    private @Nullable Decision hear(
            SenderLines[] held,
            Address sender,
            Key key,
            @Nullable Decision before,
            Question question,
            @Nullable Explanation explanation)
            throws IOException, RetiredException {
        if (!isOpen(before)) {
            return before;
        }
        Decision decision = before;
        for (int i = 0; i < held.length; i++) {
            boolean maybe = held[i].mightContainAddress(key);
            if (explanation != null) {
                explanation.filter(i, key, maybe);
            }
            if (maybe) {
                decision =
                        decision == null ? new Decision(question, policy, explanation) : decision;
                decision.lookUp(i, held[i], key);
            }
        }
        if (decision != null) {
            decision.hear(sender);
        }
        return decision;
    }

    /** Returns the same after what the lists hold of a domain of the sender's. */
    private @Nullable Decision hearDomain(
            SenderLines[] held,
            Address sender,
            int domain,
            @Nullable Decision before,
            Question question,
            @Nullable Explanation explanation)
            throws IOException, RetiredException {
        Decision decision = before;
        for (int i = 0; i < held.length; i++) {
            boolean maybe = held[i].mightContainDomain(sender.key().bytes(), domain);
            if (explanation != null) {
                explanation.filter(i, sender.domainKey(domain), maybe);
            }
            if (maybe) {
                decision =
                        decision == null ? new Decision(question, policy, explanation) : decision;
                decision.lookUp(i, held[i], sender.domainKey(domain));
            }
        }
        if (decision != null) {
            decision.hear(sender);
        }
        return decision;
    }
}
