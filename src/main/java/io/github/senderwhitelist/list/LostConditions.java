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
        int start = entry.key().toString().length();
        return entry.rules().stream()
                .filter(rule -> !rule.denied())
                .map(rule -> only(auth ? rule.auth() : null, auth ? null : rule.until()))
                .map(rule -> rule.line(entry.key(), null).substring(start).strip())
                .distinct()
                .toList();
    }

    private static Rule only(@Nullable AuthRequirement auth, @Nullable Instant until) {
        boolean isNone = auth == AuthRequirement.NONE;
        return new Rule(false, null, until, isNone ? null : auth, Origin.ADMIN, "");
    }
}
