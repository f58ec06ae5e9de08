package io.github.senderwhitelist.mailet.web;

import com.fasterxml.jackson.annotation.JsonUnwrapped;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.mailet.server.ListQuestions;
import io.github.senderwhitelist.mailet.server.OpenLists;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.refresh.ListStatus;

import org.jspecify.annotations.Nullable;

import spark.HaltException;
import spark.Response;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/** The routes of whole lists, and of all that is kept of a user. */
public final class ListRoutes {
    private final OpenLists lists;
    private final ListQuestions questions;

    public ListRoutes(OpenLists lists, ListQuestions questions) {
        this.lists = lists;
        this.questions = questions;
    }

    /** Returns the error that no open list has a name. */
    static HaltException unknown(String kind, String name, SortedSet<String> names) {
        return Errors.of(
                404,
                "There is no open " + kind + " of this name",
                "'%s'; open are: %s"
                        .formatted(
                                Text.shown(name),
                                names.isEmpty() ? "none" : String.join(", ", names)));
    }

    private record Overview(List<State> lists) {}

    /** The state of a list. Its members are those of the status, whatever these are. */
    private record State(String name, @JsonUnwrapped LivingStatus status) {}

    /** Returns the open living lists and their state. */
    public Object all(WebRequest request, Response response) {
        return new Overview(
                questions.open().stream()
                        .map(list -> new State(list.settings().name(), list.status()))
                        .toList());
    }

    /**
     * The outcome of reading a list again.
     *
     * @param reloaded whether what was read is active
     * @param entries how many entries are active
     * @param built when what is active was built from the file, or the base of a living list
     * @param problem why it was not done, or null
     */
    private record Reloaded(
            String list,
            boolean reloaded,
            long entries,
            @Nullable Instant built,
            @Nullable String problem) {
        static Reloaded of(
                String list, long entries, @Nullable Instant built, @Nullable String problem) {
            String shown = problem == null ? null : Text.escaped(problem);
            return new Reloaded(list, problem == null, entries, built, shown);
        }
    }

    /** Reads a list again, from its file or its database, whether it changed or not. */
    public Object reload(WebRequest request, Response response) {
        String name = request.path("list");
        FileList file = lists.files().get(name);
        if (file != null) {
            String problem = reload(file);
            ListStatus now = file.status();
            return Reloaded.of(name, now.header().entries(), now.built(), problem);
        }
        LivingList living = lists.living(name);
        if (living != null) {
            String problem = reload(living);
            LivingStatus now = living.status();
            return Reloaded.of(name, now.entries(), now.asOf(), problem);
        }
        SortedSet<String> names = new TreeSet<>(lists.files().keySet());
        names.addAll(lists.livingNames());
        throw unknown("list", name, names);
    }

    /** Reads a list again, and returns why that was not done, or null. */
    private static @Nullable String reload(LivingList list) {
        try {
            list.reload();
            return null;
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    private static @Nullable String reload(FileList list) {
        long before = list.status().done();
        try {
            ListStatus after = list.reload();
            return after.problem() == null && after.done() == before
                    ? "the file changed while it was read; it is taken when it stands still"
                    : after.problem();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** All that is kept of a user, with the lists that keep nothing. */
    private record Kept(String user, List<EntryLine.Named> lists) {}

    /** Returns all that is kept of a user. What is cut or left out would look complete. */
    public Object ofUser(WebRequest request, Response response) throws IOException {
        Key user = WebRequest.address("user", request.path("user"));
        List<EntryLine.Named> kept = new ArrayList<>();
        for (LivingList list : questions.open()) {
            kept.add(
                    new EntryLine.Named(
                            list.settings().name(),
                            EntryLine.of(list.record().entriesFor(user, Integer.MAX_VALUE))));
        }
        return new Kept(user.toString(), kept);
    }

    /** What was removed of a user, from the lists that had something. */
    private record Removed(String user, List<RemovedOfList> removed) {}

    /**
     * What was removed from a list.
     *
     * @param entries how many entries
     * @param changes how many changes were forgotten in its history
     */
    private record RemovedOfList(String list, long entries, long changes) {}

    /** Removes all of a user in every list that can be changed, though another cannot. */
    public @Nullable Object removeUser(WebRequest request, Response response) throws IOException {
        Key user = WebRequest.address("user", request.path("user"));
        List<RemovedOfList> removed = new ArrayList<>();
        List<String> failures = new ArrayList<>();
        for (LivingList list : questions.open()) {
            try {
                long entries = list.removeAllFor(user, EnumSet.allOf(Origin.class), request.who());
                long changes = list.record().forgetHistory(user);
                if (entries + changes > 0) {
                    removed.add(new RemovedOfList(list.settings().name(), entries, changes));
                }
            } catch (IOException e) {
                failures.add(String.valueOf(e.getMessage()));
            }
        }
        if (!failures.isEmpty()) {
            throw new IOException(
                    "not all is removed; do it once more: " + String.join("; ", failures));
        }
        return removed.isEmpty() ? null : new Removed(user.toString(), removed);
    }
}
