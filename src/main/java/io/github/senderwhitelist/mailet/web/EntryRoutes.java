package io.github.senderwhitelist.mailet.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonInclude;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.list.LostConditions;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.PastChange;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingLists;
import io.github.senderwhitelist.mailet.server.ListQuestions;

import org.jspecify.annotations.Nullable;

import spark.Response;

import java.io.IOException;
import java.net.URLEncoder;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The routes of the entries of one living list. */
public final class EntryRoutes {
    /** How many entries for one recipient are returned at most; learning keeps fewer. */
    private static final int MAX_ENTRIES = 10_000;

    /** How many changes are returned at most. */
    private static final int MAX_CHANGES = 100;

    private final LivingLists lists;
    private final ListQuestions questions;

    public EntryRoutes(LivingLists lists, ListQuestions questions) {
        this.lists = lists;
        this.questions = questions;
    }

    /**
     * The lines of one entry, or of several.
     *
     * @param more whether there are others; null where that is no question
     */
    private record Lines(
            List<EntryLine> lines,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean more) {}

    private LivingList list(WebRequest request) {
        String name = request.path("list");
        LivingList list = lists.living(name);
        if (list == null) {
            throw ListRoutes.unknown("living list", name, lists.livingNames());
        }
        return list;
    }

    /**
     * Returns the lines of all origins for a sender and recipients, from the database: what other
     * servers have changed is there, too.
     */
    public Object get(WebRequest request, Response response) throws IOException {
        Entry entry = list(request).record().find(request.sender(), request.recipients());
        if (entry == null || entry.rules().isEmpty()) {
            String but = "but there are entries of this sender for some recipients";
            throw Errors.of(404, "There is no such entry", entry == null ? null : but);
        }
        return new Lines(EntryLine.of(entry), null);
    }

    /** Answers whether there is an entry. */
    public @Nullable Object head(WebRequest request, Response response) throws IOException {
        get(request, response);
        return null;
    }

    /** Returns the entry that the query names, or a page of all. */
    public Object oneOrPage(WebRequest request, Response response) throws IOException {
        if (request.query("sender") == null && request.query("for") == null) {
            return EntryPage.of(list(request).record(), request);
        }
        for (String parameter : List.of("after", "limit", "prefix")) {
            if (request.query(parameter) != null) {
                throw Errors.badRequest(
                        "The query asks for one entry and for many",
                        parameter + "=; allowed: without sender= and for=");
            }
        }
        return get(request, response);
    }

    /**
     * An entry that took the place of another.
     *
     * @param lost which conditions were taken away, in words
     */
    private record Replaced(List<EntryLine> lines, List<EntryLine> replaced, List<String> lost) {}

    /** Puts an entry in place of its origin's. */
    public @Nullable Object put(WebRequest request, Response response) throws IOException {
        LivingList list = list(request);
        Key sender = request.sender();
        Key to = request.recipients();
        String body = request.body("-H 'Content-Type: application/json' and -d '{}'");
        Entry entry = new EntryBody(sender, to).entry(body);
        AtomicReference<List<Rule>> there = new AtomicReference<>(List.of());
        Effect effect =
                list.update(
                                List.of(Target.of(entry)),
                                rules -> {
                                    there.set(rules);
                                    return entry.rules();
                                },
                                request.who())
                        .getFirst();
        response.header(
                "Content-Location",
                "/whitelists/"
                        + encoded(list.settings().name())
                        + "/entries/"
                        + encoded(sender.toString())
                        + (to == null ? "" : "/for/" + encoded(to.toString())));
        List<EntryLine> lines = EntryLine.of(entry);
        if (effect == Effect.CREATED) {
            response.status(201);
            return new Lines(lines, null);
        }
        Entry before = new Entry(sender, to, there.get());
        return effect == Effect.REPLACED
                ? new Replaced(lines, EntryLine.of(before), LostConditions.of(before, entry))
                : null;
    }

    /** Returns text as a part of a path. */
    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8).replace("+", "%20").replace("%40", "@");
    }

    /** Which lists still list a sender whose entry was removed. */
    private record StillListed(List<EntryLine.Named> stillListedBy) {}

    /** Removes an origin's entry, and answers which others list the sender. */
    public @Nullable Object delete(WebRequest request, Response response) throws IOException {
        LivingList list = list(request);
        Key sender = request.sender();
        Key to = request.recipients();
        list.remove(origin(request.query("origin")), sender, to, request.who());
        try {
            List<EntryLine.Named> listing =
                    questions.listing(sender, to).stream()
                            .map(
                                    each ->
                                            new EntryLine.Named(
                                                    each.list(), EntryLine.of(each.entry())))
                            .toList();
            return listing.isEmpty() ? null : new StillListed(listing);
        } catch (IOException e) {
            throw new IOException(
                    "the entry is gone, but whether another lists the sender cannot be told: "
                            + e.getMessage(),
                    e);
        }
    }

    private static Origin origin(@Nullable String label) {
        Optional<Origin> origin = Origin.VALUES.parse(label == null ? "admin" : label);
        return origin.orElseThrow(
                () ->
                        Errors.badRequest(
                                "There is no such origin",
                                "origin='%s'; allowed: " + Origin.VALUES.allowed(),
                                String.valueOf(label)));
    }

    /** Adds the entries of a text list. */
    public Object patch(WebRequest request, Response response) throws IOException {
        LivingList list = list(request);
        String replace = request.query("replaceDenials");
        if (replace != null && !List.of("true", "false").contains(replace)) {
            throw Errors.badRequest(
                    "What is to become of denials is not understood",
                    "replaceDenials='%s'; allowed: true or false",
                    replace);
        }
        return new TextListPatch(list, "true".equals(replace), request.who())
                .add(request.body("-H 'Content-Type: text/plain' and --data-binary @FILE"));
    }

    /** The last changes of a sender, the newest first. */
    private record History(List<Change> changes) {}

    private record Change(String at, String who, String origin, String key, List<String> lines) {
        static Change of(PastChange change) {
            return new Change(
                    change.at().toString(),
                    change.who(),
                    change.origin().label(),
                    change.key(),
                    change.lines());
        }
    }

    /** Returns the last changes of a sender. */
    public Object history(WebRequest request, Response response) throws IOException {
        List<PastChange> changes = list(request).record().history(request.sender(), MAX_CHANGES);
        return new History(changes.stream().map(Change::of).toList());
    }

    /** Returns the entries for one recipient. */
    public Object ofRecipient(WebRequest request, Response response) throws IOException {
        Key recipient = WebRequest.key("recipient", request.path("recipient"));
        List<Entry> entries = list(request).record().entriesFor(recipient, MAX_ENTRIES + 1);
        boolean more = entries.size() > MAX_ENTRIES;
        return new Lines(EntryLine.of(more ? entries.subList(0, MAX_ENTRIES) : entries), more);
    }
}
