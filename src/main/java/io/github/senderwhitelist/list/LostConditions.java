package io.github.senderwhitelist.list;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
        add(lost, "auth=", "its sender needs no confirmation of this entry's own", before, after);
        add(lost, "until=", "it does not end any more", before, after);
        return lost;
    }

    private static void add(
            List<String> lost, String word, String effect, Entry before, Entry after) {
        List<String> had = words(before, word);
        // A denial needs no confirmation, so nothing is lost where one takes the place of a line.
        boolean lists = after.rules().stream().anyMatch(rule -> !rule.denied());
        if (lists && hasInAll(before, had) && !hasInAll(after, words(after, word))) {
            lost.add(
                    after.key()
                            + ": "
                            + had.stream().distinct().collect(Collectors.joining(", "))
                            + " was taken away: "
                            + effect);
        }
    }

    private static boolean hasInAll(Entry entry, List<String> words) {
        return !words.isEmpty() && words.size() == listing(entry).size();
    }

    /**
     * Returns the conditions that begin with {@code start}, of the lines that list the sender;
     * {@code auth=none} is none.
     */
    private static List<String> words(Entry entry, String start) {
        return listing(entry).stream()
                .flatMap(rule -> conditions(entry.key(), rule))
                .filter(word -> word.startsWith(start) && !word.equals("auth=none"))
                .toList();
    }

    private static Stream<String> conditions(Key key, Rule rule) {
        Rule bare = new Rule(false, rule.from(), rule.until(), rule.auth(), rule.origin(), "");
        return Arrays.stream(bare.line(key, null).substring(key.toString().length()).split(" "));
    }

    private static List<Rule> listing(Entry entry) {
        return entry.rules().stream().filter(rule -> !rule.denied()).toList();
    }
}
