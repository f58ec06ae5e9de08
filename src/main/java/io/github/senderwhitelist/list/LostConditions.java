package io.github.senderwhitelist.list;

import io.github.senderwhitelist.address.AuthRequirement;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The conditions that an edit removes from an entry: those that every line of the old entry has,
 * but not every line of the new one. An edit that only adds a note removes all conditions that it
 * does not repeat.
 */
public final class LostConditions {
    private LostConditions() {}

    /**
     * Returns a sentence for each condition that was removed. A denial needs no confirmation, so
     * nothing is lost where one takes the place of a line.
     *
     * @param before the entry that was replaced; without rules if there was none
     * @param after the entry that took its place
     */
    public static List<String> of(Entry before, Entry after) {
        List<String> lost = new ArrayList<>();
        for (boolean auth : new boolean[] {true, false}) {
            List<String> had = conditions(before, auth);
            if (!had.isEmpty() && !had.contains("") && conditions(after, auth).contains("")) {
                String what = after.key() + ": " + String.join(", ", had) + " was taken away: ";
                lost.add(
                        auth
                                ? what + "its sender needs no confirmation of this entry's own"
                                : what + "it does not end any more");
            }
        }
        return lost;
    }

    /** Returns the auth= or the until= of each line that lists; an empty string for none. */
    private static List<String> conditions(Entry entry, boolean auth) {
        return entry.rules().stream()
                .filter(rule -> !rule.denied())
                .map(rule -> auth ? only(null, rule.auth()) : only(rule.until(), null))
                .map(rule -> rule.line(entry.key(), null))
                .map(line -> line.substring(entry.key().toString().length()).strip())
                .distinct()
                .toList();
    }

    private static Rule only(@Nullable Instant until, @Nullable AuthRequirement auth) {
        boolean isNone = auth == AuthRequirement.NONE;
        return new Rule(false, null, until, isNone ? null : auth, Origin.ADMIN, "");
    }
}
