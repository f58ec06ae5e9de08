package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingLists;
import io.github.senderwhitelist.living.UserEntries;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The handlers of requests about all that is kept of a user: the entries for that recipient. */
public final class UserRequests {
    private static final String PATH = "/whitelists/for/{user}";

    private final LivingLists lists;

    public UserRequests(LivingLists lists) {
        this.lists = lists;
    }

    /** Returns the routes of this class. */
    public List<WebRoute> routes() {
        return List.of(
                new WebRoute("GET", PATH, Set.of(), this::get),
                new WebRoute("DELETE", PATH, Set.of(), this::delete));
    }

    /** Returns all entries for a user. An answer that is cut would look complete. */
    private static List<Entry> entries(LivingList list, Key user) throws IOException {
        return list.record().entriesFor(user, Integer.MAX_VALUE);
    }

    private WebAnswer get(WebRequest request) throws WebException, IOException {
        Key user = request.user();
        List<Map<String, @Nullable Object>> kept = new ArrayList<>();
        for (String name : lists.livingNames()) {
            LivingList list = lists.living(name);
            if (list != null) {
                kept.add(WebLines.ordered("list", name, "lines", WebLines.of(entries(list, user))));
            }
        }
        return WebAnswer.of(WebLines.ordered("user", user, "lists", kept));
    }

    /** Removes all of a user in every list that can be changed, though another cannot. */
    private WebAnswer delete(WebRequest request) throws WebException, IOException {
        Key user = request.user();
        List<Map<String, @Nullable Object>> removed = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        for (String name : lists.livingNames()) {
            LivingList list = lists.living(name);
            if (list != null) {
                try {
                    long entries =
                            UserEntries.remove(
                                    list, user, EnumSet.allOf(Origin.class), request.who());
                    long changes = list.record().forgetHistory(user);
                    if (entries + changes > 0) {
                        removed.add(
                                WebLines.ordered(
                                        "list", name, "entries", entries, "changes", changes));
                    }
                } catch (IOException e) {
                    failures.add(String.valueOf(e.getMessage()));
                }
            }
        }
        if (!failures.isEmpty()) {
            throw new IOException(
                    "not all is removed; do it once more: " + String.join("; ", failures));
        }
        return removed.isEmpty()
                ? WebAnswer.NO_CONTENT
                : WebAnswer.of(WebLines.ordered("user", user, "removed", removed));
    }
}
