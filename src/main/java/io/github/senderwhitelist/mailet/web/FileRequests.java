package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.mailet.server.OpenLists;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.refresh.ListStatus;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/** The handlers of requests to read a list again, from its file or its database. */
public final class FileRequests {
    private final OpenLists lists;

    public FileRequests(OpenLists lists) {
        this.lists = lists;
    }

    /** Returns the routes of this class. */
    public List<WebRoute> routes() {
        return List.of(new WebRoute("POST", "/whitelists/{list}/reload", Set.of(), this::reload));
    }

    private WebAnswer reload(WebRequest request) throws WebException {
        String name = request.required("list");
        SortedMap<String, FileList> files = lists.files();
        FileList list = files.get(name);
        if (list != null) {
            return reload(name, list);
        }
        LivingList living = lists.living(name);
        if (living != null) {
            return reload(name, living);
        }
        SortedSet<String> names = new TreeSet<>(files.keySet());
        names.addAll(lists.livingNames());
        throw WebException.notFound(
                "There is no open list of this name",
                "'"
                        + Text.shown(name)
                        + "'; open are: "
                        + (names.isEmpty() ? "none" : String.join(", ", names)));
    }

    /** Reads the table of a living list, and reports the outcome. */
    private static WebAnswer reload(String name, LivingList list) {
        String problem = null;
        LivingStatus now;
        try {
            now = list.reload();
        } catch (IOException e) {
            problem = String.valueOf(e.getMessage());
            now = list.status();
        }
        return answer(name, now.entries(), "tableRead", now.tableRead(), problem);
    }

    /** Reads the file of a list, whether it changed or not, and reports the outcome. */
    private static WebAnswer reload(String name, FileList list) {
        long before = list.status().done();
        String problem;
        try {
            problem = problem(before, list.reload());
        } catch (IOException e) {
            problem = e.getMessage();
        }
        ListStatus now = list.status();
        return answer(name, now.header().entries(), "built", now.built(), problem);
    }

    /**
     * Returns what came of it.
     *
     * @param what the name of what only one kind of list has
     * @param value its value
     * @param problem why it was not done, or null
     */
    private static WebAnswer answer(
            String name,
            long entries,
            String what,
            @Nullable Object value,
            @Nullable String problem) {
        return WebAnswer.of(
                WebLines.ordered(
                        "list",
                        name,
                        "reloaded",
                        problem == null,
                        "entries",
                        entries,
                        what,
                        value,
                        "problem",
                        problem == null ? null : Text.escaped(problem)));
    }

    /** Returns why the content of the file is not in force, or null. */
    private static @Nullable String problem(long before, ListStatus after) {
        if (after.problem() != null) {
            return after.problem();
        }
        return after.done() > before
                ? null
                : "the file changed while it was read; it is taken when it stands still";
    }
}
