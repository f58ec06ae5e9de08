package io.github.senderwhitelist.mailet.server;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.judge.Judge;
import io.github.senderwhitelist.judge.Judge.Ruling;
import io.github.senderwhitelist.judge.MailFacts.Described;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The judges of this server by their names, for explanations. Mailets and matchers of the same
 * lists and policy share a name.
 */
public final class Judges {
    private static final Logger LOGGER = LoggerFactory.getLogger(Judges.class);

    private final TreeMap<String, Named> named = new TreeMap<>();

    /** A judge, what it was made of, and how many mailets and matchers have it. */
    private record Named(Judge judge, Object terms, int users) {}

    /** The explanation of the verdicts on a mail by one judge. */
    public record Explained(String as, Judge judge, Ruling ruling) {}

    /**
     * Adds a judge, which must be {@link #remove}d.
     *
     * @param owner the mailet or matcher, for messages
     * @param wanted the name that it should have
     * @param terms the lists and the policy; judges with equal terms share a name
     * @return the name that it has
     */
    public synchronized String add(String owner, String wanted, Object terms, Judge judge) {
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
        Named there = named.get(name);
        named.put(
                name,
                there == null
                        ? new Named(judge, terms, 1)
                        : new Named(there.judge, terms, there.users + 1));
        return name;
    }

    private boolean isTaken(String name, Object terms) {
        Named there = named.get(name);
        return there != null && !there.terms.equals(terms);
    }

    /** Ends one use of a judge. */
    public synchronized void remove(String name) {
        named.computeIfPresent(
                name,
                (same, there) ->
                        there.users == 1
                                ? null
                                : new Named(there.judge, there.terms, there.users - 1));
    }

    /** Returns the names of all judges. */
    public synchronized SortedSet<String> names() {
        return new TreeSet<>(named.keySet());
    }

    /**
     * Explains the verdicts on a mail.
     *
     * @param as the name of the judge to ask, or null for all
     * @return what each says; nothing if there is no judge of that name
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
                        Judge judge = each.judge;
                        Ruling ruling = judge.judge(mail.at(judge.isLocal()), true);
                        explained.add(new Explained(name, judge, ruling));
                    }
                });
        return explained;
    }
}
