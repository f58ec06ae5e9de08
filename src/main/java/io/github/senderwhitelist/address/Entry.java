package io.github.senderwhitelist.address;

import java.util.List;

/**
 * All that a list says of a key. Several lines for one key add up: each is an alternative with its
 * own conditions.
 *
 * @param key the key
 * @param rules at least one, each once
 */
public record Entry(Key key, List<Rule> rules) {

    /** The rules are copied. */
    public Entry {
        rules = List.copyOf(rules);
    }

    /** The entry of one line without conditions. */
    public Entry(Key key, boolean denied) {
        this(key, denied ? List.of(Rule.DENIES) : Rule.ONLY_LISTS);
    }

    /** Whether any of its rules is a denial. */
    public boolean denied() {
        return rules.stream().anyMatch(Rule::denied);
    }

    /** The lines of a list that say this. */
    public List<String> lines() {
        return rules.stream().map(rule -> rule.line(key)).toList();
    }

    /** The entry as a list writes it; several lines with a semicolon between them. */
    @Override
    public String toString() {
        return String.join("; ", lines());
    }
}
