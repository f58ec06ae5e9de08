package io.github.senderwhitelist.address;

import java.util.List;

/**
 * Everything that a list says about a key. Several lines for one key add up: each is an alternative
 * with its own conditions.
 *
 * @param key the key that the lines begin with
 * @param rules one rule for each line, without duplicates; at least one
 */
public record Entry(Key key, List<Rule> rules) {

    /** Copies the rules. */
    public Entry {
        rules = List.copyOf(rules);
    }

    /** Makes the entry of one line without conditions. */
    public Entry(Key key, boolean denied) {
        this(key, denied ? List.of(Rule.DENIES) : Rule.ONLY_LISTS);
    }

    /** Returns whether at least one of the rules is a denial. */
    public boolean denied() {
        return rules.stream().anyMatch(Rule::denied);
    }

    /** Returns the lines that a list needs to say this. */
    public List<String> lines() {
        return rules.stream().map(rule -> rule.line(key)).toList();
    }

    /** Returns the lines, with a semicolon and a space between them. */
    @Override
    public String toString() {
        return String.join("; ", lines());
    }
}
