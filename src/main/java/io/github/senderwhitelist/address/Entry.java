package io.github.senderwhitelist.address;

import org.jspecify.annotations.Nullable;

import java.util.Comparator;
import java.util.List;
import java.util.Set;

/**
 * The rules of a list for a sender, or for a sender and some recipients. Several lines add up: each
 * is an alternative with its own conditions.
 *
 * @param key the sender
 * @param to the recipients that the lines are for, or null for all
 * @param rules one for each line, without duplicates; none for a sender that only entries for some
 *     recipients are about
 * @param kinds the kinds of recipients that other entries of this sender are for; none if {@code
 *     to} is not null
 */
public record Entry(Key key, @Nullable Key to, List<Rule> rules, Set<RecipientKind> kinds) {
    /** The order of entries in lists and stores, which is that of their pairs. */
    public static final Comparator<Entry> ORDER = Comparator.comparing(Entry::pair);

    /** Copies the rules and the kinds. */
    public Entry {
        rules = List.copyOf(rules);
        kinds = Set.copyOf(kinds);
    }

    /** Makes the entry for some recipients, or for all if {@code to} is null. */
    public Entry(Key key, @Nullable Key to, List<Rule> rules) {
        this(key, to, rules, Set.of());
    }

    /** Returns the sender and the recipients. */
    public Pair pair() {
        return new Pair(key, to);
    }

    /** Returns the entry with no other rule than this one, which is one of its own. */
    public Entry withOnly(Rule rule) {
        return rules.size() == 1 && kinds.isEmpty() ? this : new Entry(key, to, List.of(rule));
    }

    /** Returns whether at least one of the rules is a denial. */
    public boolean denied() {
        return rules.stream().anyMatch(Rule::denied);
    }

    /** Returns the rules of an origin, which may be none. */
    public List<Rule> rulesOf(Origin origin) {
        if (rules.size() == 1) { // as nearly always
            return rules.getFirst().origin() == origin ? rules : List.of();
        }
        return rules.stream().filter(rule -> rule.origin() == origin).toList();
    }

    /** Returns the lines of a text list that have this entry. */
    public List<String> lines() {
        return rules.stream().map(rule -> rule.line(key, to)).toList();
    }

    /** Returns the lines, with a semicolon and a space between them. */
    @Override
    public String toString() {
        return String.join("; ", lines());
    }
}
