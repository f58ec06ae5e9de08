package io.github.senderwhitelist.list;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;

import java.util.ArrayList;
import java.util.List;

/**
 * The conditions that an edit removes from an entry: those that every line of the old entry has,
 * but not every line of the new one. An edit that only adds a note removes all conditions that it
 * does not repeat. A denial needs no confirmation, so it loses nothing by taking a line's place.
 */
public final class LostConditions {
    private LostConditions() {}

    /**
     * Returns a sentence for each condition that was removed.
     *
     * @param before the entry that was replaced; without rules if there was none
     */
    public static List<String> of(Entry before, Entry after) {
        List<String> lost = new ArrayList<>();
        for (boolean auth : new boolean[] {true, false}) {
            List<String> had = conditions(before, auth);
            if (!had.isEmpty() && !had.contains("") && conditions(after, auth).contains("")) {
                String now =
                        auth
                                ? "its sender needs no confirmation of this entry's own"
                                : "it does not end any more";
                lost.add(after.key() + ": " + String.join(", ", had) + " was taken away: " + now);
            }
        }
        return lost;
    }

    /** Returns the auth= or the until= of each line that lists; an empty string for none. */
    private static List<String> conditions(Entry entry, boolean auth) {
        return entry.rules().stream()
                .filter(rule -> !rule.denied())
                .map(rule -> (auth ? onlyAuth(rule) : onlyUntil(rule)).line(entry.key(), null))
                .map(line -> line.substring(entry.key().toString().length()).strip())
                .distinct()
                .toList();
    }

    private static Rule onlyAuth(Rule rule) {
        AuthRequirement auth = rule.auth() == AuthRequirement.NONE ? null : rule.auth();
        return new Rule(false, null, null, auth, Origin.ADMIN, "");
    }

    private static Rule onlyUntil(Rule rule) {
        return new Rule(false, null, rule.until(), null, Origin.ADMIN, "");
    }
}
