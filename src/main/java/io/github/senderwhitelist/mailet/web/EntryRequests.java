package io.github.senderwhitelist.mailet.web;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Json;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.LostConditions;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingLists;
import io.github.senderwhitelist.living.PastChange;
import io.github.senderwhitelist.mailet.server.ListQuestions;
import io.github.senderwhitelist.mailet.server.ListQuestions.Listing;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** The handlers of requests about the entries of one living list. */
public final class EntryRequests {
    /** How many entries for one recipient are returned at most; learning keeps fewer. */
    private static final int MOST_ENTRIES = 10_000;

    /** How many changes are returned at most. */
    private static final int MOST_CHANGES = 100;

    private static final String LIST = "/whitelists/{list}";
    private static final String ENTRIES = LIST + "/entries";
    private static final String ENTRY = ENTRIES + "/{sender}";
    private static final String PERSONAL = ENTRY + "/for/{recipient}";

    private final LivingLists lists;
    private final ListQuestions questions;

    public EntryRequests(LivingLists lists, ListQuestions questions) {
        this.lists = lists;
        this.questions = questions;
    }

    /** Returns the routes of this class. */
    public List<WebRoute> routes() {
        List<WebRoute> routes = new ArrayList<>();
        for (String path : List.of(ENTRY, PERSONAL)) {
            routes.add(new WebRoute("GET", path, Set.of(), this::get));
            routes.add(new WebRoute("HEAD", path, Set.of(), this::head));
            routes.add(new WebRoute("PUT", path, Set.of(), this::put));
            routes.add(new WebRoute("DELETE", path, Set.of("origin"), this::delete));
        }
        Set<String> query = Set.of("sender", "for");
        Set<String> queryOrPage = new HashSet<>(query);
        queryOrPage.addAll(EntryPaging.QUERY);
        routes.add(new WebRoute("GET", ENTRIES, queryOrPage, this::getOneOrSome));
        routes.add(new WebRoute("HEAD", ENTRIES, query, this::head));
        routes.add(new WebRoute("PUT", ENTRIES, query, this::put));
        routes.add(
                new WebRoute("DELETE", ENTRIES, Set.of("sender", "for", "origin"), this::delete));
        routes.add(new WebRoute("PATCH", ENTRIES, Set.of(), this::patch));
        routes.add(new WebRoute("GET", ENTRY + "/history", Set.of(), this::history));
        routes.add(new WebRoute("GET", LIST + "/for/{recipient}", Set.of(), this::ofRecipient));
        return routes;
    }

    private LivingList list(WebRequest request) throws WebException {
        String name = request.required("list");
        LivingList list = lists.living(name);
        if (list == null) {
            throw WebException.notFound(
                    "There is no open living list of this name",
                    "'"
                            + Text.shown(name)
                            + "'; open are: "
                            + (lists.livingNames().isEmpty()
                                    ? "none"
                                    : String.join(", ", lists.livingNames())));
        }
        return list;
    }

    private WebAnswer get(WebRequest request) throws WebException, IOException {
        Key sender = request.sender();
        Key to = request.recipients();
        Entry entry = list(request).record().find(sender, to);
        if (entry == null || entry.rules().isEmpty()) {
            throw WebException.notFound(
                    "There is no such entry",
                    entry == null
                            ? null
                            : "but there are entries of this sender for some recipients");
        }
        return WebAnswer.of(WebLines.ordered("lines", WebLines.of(List.of(entry))));
    }

    /** Returns the entry that the query names, or a page of all. */
    private WebAnswer getOneOrSome(WebRequest request) throws WebException, IOException {
        if (request.optional("sender") == null && request.optional("for") == null) {
            return EntryPaging.answer(list(request).record(), request);
        }
        for (String parameter : EntryPaging.QUERY) {
            if (request.optional(parameter) != null) {
                throw WebException.badRequest(
                        "The query asks for one entry and for many",
                        parameter + "=; allowed: without sender= and for=");
            }
        }
        return get(request);
    }

    private WebAnswer head(WebRequest request) throws WebException, IOException {
        return new WebAnswer(204, "", get(request).headers());
    }

    private WebAnswer put(WebRequest request) throws WebException, IOException {
        LivingList list = list(request);
        Entry entry =
                EntryBody.entry(
                        request.sender(),
                        request.recipients(),
                        request.bodyOf("application/json", "-d '{}'"));
        return put(list, entry, request)
                .with("Content-Location", path(list, entry.key(), entry.to()));
    }

    private static WebAnswer put(LivingList list, Entry entry, WebRequest request)
            throws WebException, IOException {
        Key sender = entry.key();
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
        List<Map<String, @Nullable Object>> lines = WebLines.of(List.of(entry));
        Entry before = new Entry(sender, entry.to(), there.get());
        return switch (effect) {
            case CREATED ->
                    new WebAnswer(201, Json.compact(WebLines.ordered("lines", lines)), Map.of());
            case REPLACED ->
                    WebAnswer.of(
                            WebLines.ordered(
                                    "lines",
                                    lines,
                                    "replaced",
                                    WebLines.of(List.of(before)),
                                    "lost",
                                    LostConditions.of(before, entry)));
            default -> WebAnswer.NO_CONTENT;
        };
    }

    /** Returns the path of an entry in its canonical form. */
    private static String path(LivingList list, Key sender, @Nullable Key to) {
        return "/whitelists/"
                + WebText.encoded(list.settings().name())
                + "/entries/"
                + WebText.encoded(sender.toString())
                + (to == null ? "" : "/for/" + WebText.encoded(to.toString()));
    }

    private WebAnswer delete(WebRequest request) throws WebException, IOException {
        LivingList list = list(request);
        Key sender = request.sender();
        Key to = request.recipients();
        list.remove(origin(request), sender, to, request.who());
        List<Listing> listing;
        try {
            listing = questions.listing(sender, to);
        } catch (IOException e) {
            throw new IOException(
                    "the entry is gone, but whether another lists the sender cannot be told: "
                            + e.getMessage(),
                    e);
        }
        return listing.isEmpty()
                ? WebAnswer.NO_CONTENT
                : WebAnswer.of(
                        WebLines.ordered(
                                "stillListedBy",
                                listing.stream().map(EntryRequests::shown).toList()));
    }

    private static Map<String, @Nullable Object> shown(Listing listing) {
        return WebLines.ordered(
                "list", listing.list(), "lines", WebLines.of(List.of(listing.entry())));
    }

    private static Origin origin(WebRequest request) throws WebException {
        String label = request.optional("origin");
        if (label == null) {
            return Origin.ADMIN;
        }
        return Origin.VALUES
                .parse(label)
                .orElseThrow(
                        () ->
                                WebException.badRequest(
                                        "There is no such origin",
                                        "origin='"
                                                + Text.shown(label)
                                                + "'; allowed: "
                                                + Origin.VALUES.allowed()));
    }

    private WebAnswer patch(WebRequest request) throws WebException, IOException {
        LivingList list = list(request);
        String text = request.bodyOf("text/plain", "--data-binary @FILE");
        return new EntryPatch(text).putInto(list, request.who());
    }

    private WebAnswer history(WebRequest request) throws WebException, IOException {
        Key sender = request.sender();
        List<PastChange> changes = list(request).record().history(sender, MOST_CHANGES);
        return WebAnswer.of(
                WebLines.ordered("changes", changes.stream().map(EntryRequests::change).toList()));
    }

    private static Map<String, @Nullable Object> change(PastChange change) {
        return WebLines.ordered(
                "at",
                change.at(),
                "who",
                change.who(),
                "origin",
                change.origin().label(),
                "key",
                change.key(),
                "lines",
                change.lines());
    }

    private WebAnswer ofRecipient(WebRequest request) throws WebException, IOException {
        Key recipient = WebRequest.key("recipient", request.required("recipient"));
        List<Entry> entries = list(request).record().entriesFor(recipient, MOST_ENTRIES + 1);
        boolean more = entries.size() > MOST_ENTRIES;
        return WebAnswer.of(
                WebLines.ordered(
                        "lines",
                        WebLines.of(more ? entries.subList(0, MOST_ENTRIES) : entries),
                        "more",
                        more));
    }
}
