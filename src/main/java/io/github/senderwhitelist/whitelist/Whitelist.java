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

import org.jspecify.annotations.Nullable;

import java.io.IOException;
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
        return check(Question.of(sender)).getFirst();
    }

    /** The verdicts for each recipient, in their order; one when there are none. */
    public List<Verdict> check(Question question) {
        return check(question, null);
    }

    /** The same verdicts, and how they came about. */
    public List<Verdict> check(Question question, @Nullable Explanation explanation) {
        List<Verdict> verdicts = decide(question, explanation);
        if (explanation != null) {
            for (int i = 0; i < verdicts.size(); i++) {
                boolean any = !question.recipients().isEmpty();
                explanation.verdict(any ? question.recipients().get(i) : null, verdicts.get(i));
            }
        }
        return verdicts;
    }

    private List<Verdict> decide(Question question, @Nullable Explanation explanation) {
        while (true) {
            Generation[] generations = generations();
            if (explanation != null) {
                explanation.begin(generations);
            }
            Inquiry inquiry = new Inquiry(generations, question, explanation);
            try {
                inquiry.ask();
                return inquiry.decision == null
                        ? strangers(question.recipients().size())
                        : inquiry.decision.verdicts();
            } catch (RetiredException e) {
                // A refresh came between; the generation now in force answers instead.
                Thread.onSpinWait();
            } catch (IOException e) {
                return inquiry.decision().verdictsAfter(e);
            }
        }
    }

    private static List<Verdict> strangers(int recipients) {
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
     * list is never in none: reads round and round until a whole round found nothing changed.
     */
    private Generation[] generations() {
        Generation[] generations = new Generation[lists.size()];
        int same = 0;
        for (int i = 0; same < generations.length; i = (i + 1) % generations.length) {
            Generation now = lists.get(i).current();
            same = now == generations[i] ? same + 1 : 1;
            generations[i] = now;
        }
        return generations;
    }

    /**
     * Asks for key after key until all is settled. There is a decision only once there is something
     * to decide: most senders are strangers, and the way to that answer makes nothing new.
     */
    private final class Inquiry {
        private final Generation[] generations;
        private final Question question;
        private final @Nullable Explanation explanation;
        private @Nullable Decision decision;

        Inquiry(Generation[] generations, Question question, @Nullable Explanation explanation) {
            this.generations = generations;
            this.question = question;
            this.explanation = explanation;
        }

        Decision decision() {
            if (decision == null) {
                decision = new Decision(question, policy, explanation);
            }
            return decision;
        }

        void ask() throws IOException, RetiredException {
            Address written = question.sender();
            Address sender =
                    policy.unwrapping().isNone()
                            ? written
                            : policy.unwrapping().unwrap(written, decision()::now);
            if (!sender.equals(written)) {
                if (explanation != null) {
                    explanation.unwrapped(written, sender);
                }
                if (askAddress(written.key(), written)) {
                    return;
                }
            }
            if (askAddress(sender.key(), sender)) {
                return;
            }
            Key untagged = sender.keyWithoutTag(policy.subaddressing());
            if (untagged != null && askAddress(untagged, sender)) {
                return;
            }
            for (int domain = sender.firstDomain();
                    domain >= 0 && !askDomain(sender, domain);
                    domain = sender.nextDomain(domain)) {
                // Each is asked in the condition.
            }
        }

        private boolean askAddress(Key key, Address sender) throws IOException, RetiredException {
            List<Entry> found = null;
            for (int i = 0; i < generations.length; i++) {
                boolean maybe = generations[i].mightContainAddress(key);
                if (explanation != null) {
                    explanation.filter(i, key, maybe);
                }
                if (maybe) {
                    found = with(found, find(i, key));
                }
            }
            return found != null && decision().hear(sender, found);
        }

        private boolean askDomain(Address sender, int domain) throws IOException, RetiredException {
            List<Entry> found = null;
            for (int i = 0; i < generations.length; i++) {
                boolean maybe = generations[i].mightContainDomain(sender.key().bytes(), domain);
                if (explanation != null) {
                    explanation.filter(i, sender.domainKey(domain), maybe);
                }
                if (maybe) {
                    found = with(found, find(i, sender.domainKey(domain)));
                }
            }
            return found != null && decision().hear(sender, found);
        }

        private @Nullable Entry find(int i, Key key) throws IOException, RetiredException {
            Entry entry = generations[i].find(key);
            if (explanation != null) {
                explanation.found(i, key, entry);
            }
            return entry;
        }

        private static @Nullable List<Entry> with(
                @Nullable List<Entry> found, @Nullable Entry entry) {
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
}
