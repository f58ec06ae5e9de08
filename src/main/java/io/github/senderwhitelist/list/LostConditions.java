package io.github.senderwhitelist.list;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * The conditions that an edit removes from an entry: those that every line of the old entry has,
 * but not every line of the new one. An edit that only adds a note removes all conditions that it
 * does not repeat.
 */
public final class LostConditions {
    private LostConditions() {}

    /**
     * Returns a sentence for each condition that was removed.
     *
     * @param before the entry that was replaced; without rules if there was none
     * @param after the entry that took its place
     */
    public static List<String> of(Entry before, Entry after) {
        List<String> lost = new ArrayList<>();
        add(
                lost,
                before,
                after,
                LostConditions::onlyAuth,
                "its sender needs no confirmation of this entry's own");
        add(lost, before, after, LostConditions::onlyUntil, "it does not end any more");
        return lost;
    }

    private static Rule onlyAuth(Rule rule) {
        boolean none = rule.auth() == AuthRequirement.NONE;
        return new Rule(false, null, null, none ? null : rule.auth(), Origin.ADMIN, "");
    }

    private static Rule onlyUntil(Rule rule) {
        return new Rule(false, null, rule.until(), null, Origin.ADMIN, "");
    }

    private static void add(
            List<String> lost, Entry before, Entry after, UnaryOperator<Rule> only, String effect) {
        List<Rule> had = listing(before, only);
        List<Rule> has = listing(after, only);
        // A denial needs no confirmation, so nothing is lost where one takes the place of a line.
        if (had.isEmpty() || has.isEmpty() || had.contains(Rule.LISTS)) {
            return;
        }
        if (has.contains(Rule.LISTS)) {
            String key = after.key().toString();
            String words =
                    had.stream()
                            .map(rule -> rule.line(after.key(), null).substring(key.length() + 1))
                            .distinct()
                            .collect(Collectors.joining(", "));
            lost.add(key + ": " + words + " was taken away: " + effect);
        }
    }

    /** Returns the rules that list the sender, with one kind of condition alone. */
    private static List<Rule> listing(Entry entry, UnaryOperator<Rule> only) {
        return entry.rules().stream().filter(rule -> !rule.denied()).map(only).toList();
    }
}
