package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Decision;
import io.github.senderwhitelist.decision.MailFacts.Described;
import io.github.senderwhitelist.decision.Policy;
import io.github.senderwhitelist.decision.Whitelist;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The whitelists of this server by the names of their policies, for explanations. Mailets and
 * matchers of the same lists and policy share a name.
 */
public final class Judges {
    private static final Logger LOGGER = LoggerFactory.getLogger(Judges.class);

    private final TreeMap<String, Named> named = new TreeMap<>();

    /**
     * The names of lists, the lists, what they were made of, and how many mailets and matchers have
     * them.
     */
    private record Named(List<String> lists, Whitelist whitelist, Object terms, int users) {
        Named with(int more) {
            return new Named(lists, whitelist, terms, users + more);
        }
    }

    /** The explanation of the verdicts on a mail by one whitelist. */
    public record Explained(String as, List<String> lists, Policy policy, Decision decision) {}

    /**
     * Adds a whitelist, which must be {@link #remove}d.
     *
     * @param owner the mailet or matcher, for messages
     * @param wanted the name that it should have
     * @param terms the lists and the policy; whitelists with equal terms share a name
     * @param lists the names of the lists
     * @return the name that it has
     */
    public synchronized String add(
            String owner, String wanted, Object terms, List<String> lists, Whitelist whitelist) {
        String name = wanted;
        for (int i = 2; isTaken(name, terms); i++) {
            name = wanted + "-" + i;
        }
        if (!name.equals(wanted)) {
            LOGGER.warn(
                    "{}: another mailet or matcher with other parameters is named '{}', so"
                            + " explanations name this one '{}'; the parameter name gives it a name"
                            + " of its own",
                    owner,
                    Text.shown(wanted),
                    Text.shown(name));
        }
        named.merge(name, new Named(lists, whitelist, terms, 1), (old, one) -> old.with(1));
        return name;
    }

    private boolean isTaken(String name, Object terms) {
        Named there = named.get(name);
        return there != null && !there.terms.equals(terms);
    }

    /** Ends one use of a whitelist. */
    public synchronized void remove(String name) {
        named.computeIfPresent(name, (same, old) -> old.users == 1 ? null : old.with(-1));
    }

    /** Returns all names. */
    public synchronized SortedSet<String> names() {
        return new TreeSet<>(named.keySet());
    }

    /**
     * Explains the verdicts on a mail.
     *
     * @param as the name to ask, or null for all
     * @return what each says; nothing if none has that name
     */
    public List<Explained> explain(@Nullable String as, Described mail) {
        TreeMap<String, Named> asked;
        synchronized (this) {
            asked = new TreeMap<>(named);
        }
        List<Explained> explained = new ArrayList<>();
        asked.forEach(
                (name, each) -> {
                    if (as == null || as.equals(name)) {
                        Policy policy = each.whitelist.policy();
                        Decision decision = each.whitelist.decide(mail.at(policy.isLocal()), true);
                        explained.add(new Explained(name, each.lists, policy, decision));
                    }
                });
        return explained;
    }
}
