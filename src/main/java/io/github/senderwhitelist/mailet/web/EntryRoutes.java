package io.github.senderwhitelist.mailet.web;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonInclude;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.living.EntryPut;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.PastChange;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingLists;
import io.github.senderwhitelist.mailet.server.ListQuestions;
import io.github.senderwhitelist.mailet.server.ListQuestions.Listing;

import org.jspecify.annotations.Nullable;

import spark.Response;

import java.io.IOException;
import java.net.URLEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

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
            throw Errors.of(
                    404,
                    "There is no such entry",
                    entry == null
                            ? null
                            : "but there are entries of this sender for some recipients");
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
     * @param lost which denial or conditions were taken away, in words
     */
    private record Replaced(List<EntryLine> lines, List<EntryLine> replaced, List<String> lost) {}

    /** Puts an entry in place of its origin's. */
    public @Nullable Object put(WebRequest request, Response response) throws IOException {
        LivingList list = list(request);
        Key sender = request.sender();
        Key to = request.recipients();
        String body = request.body("-H 'Content-Type: application/json' and -d '{}'");
        EntryPut put = new EntryPut(EntryBody.parse(body).entry(sender, to), false);
        Effect effect = list.write(List.of(put.edit()), request.who()).getFirst();
        response.header(
                "Content-Location",
                "/whitelists/"
                        + encoded(list.settings().name())
                        + "/entries/"
                        + encoded(sender.toString())
                        + (to == null ? "" : "/for/" + encoded(to.toString())));
        List<EntryLine> lines = EntryLine.of(put.entry());
        return switch (effect) {
            case CREATED -> {
                response.status(201);
                yield new Lines(lines, null);
            }
            case REPLACED -> new Replaced(lines, EntryLine.of(put.before()), put.lost());
            default -> null;
        };
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
            List<EntryLine.Named> listing = new ArrayList<>();
            for (Listing each : questions.listing(sender, to)) {
                listing.add(new EntryLine.Named(each.list(), EntryLine.of(each.entry())));
            }
            return listing.isEmpty() ? null : new StillListed(listing);
        } catch (IOException e) {
            throw new IOException(
                    "the entry is gone, but whether another lists the sender cannot be told: "
                            + e.getMessage(),
                    e);
        }
    }

    private static Origin origin(@Nullable String label) {
        String written = Objects.requireNonNullElse(label, "admin");
        return Origin.VALUES
                .parse(written)
                .orElseThrow(
                        () ->
                                Errors.badRequest(
                                        "There is no such origin",
                                        "origin='%s'; allowed: " + Origin.VALUES.allowed(),
                                        written));
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

    private record Change(String at, String who, String origin, String key, List<String> lines) {}

    /** Returns the last changes of a sender. */
    public Object history(WebRequest request, Response response) throws IOException {
        List<Change> changes = new ArrayList<>();
        for (PastChange each : list(request).record().history(request.sender(), MAX_CHANGES)) {
            changes.add(
                    new Change(
                            each.at().toString(),
                            each.who(),
                            each.origin().label(),
                            each.key(),
                            each.lines()));
        }
        return new History(changes);
    }

    /** Returns the entries for one recipient. */
    public Object ofRecipient(WebRequest request, Response response) throws IOException {
        Key recipient = WebRequest.key("recipient", request.path("recipient"));
        List<Entry> entries = list(request).record().entriesFor(recipient, MAX_ENTRIES + 1);
        boolean more = entries.size() > MAX_ENTRIES;
        return new Lines(EntryLine.of(more ? entries.subList(0, MAX_ENTRIES) : entries), more);
    }
}
