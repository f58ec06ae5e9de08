package io.github.senderwhitelist.mailet.web;

import com.fasterxml.jackson.annotation.JsonInclude;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.SharedLists;

import org.jspecify.annotations.Nullable;

import spark.Response;

import java.io.IOException;
import java.util.List;

/** The routes of the entries of one living list. */
public final class EntryRoutes {
    /** How many entries for one recipient are returned at most; learning keeps fewer. */
    private static final int MAX_ENTRIES = 10_000;

    /** How many changes are returned at most. */
    private static final int MAX_CHANGES = 100;

    private final SharedLists lists;

    public EntryRoutes(SharedLists lists) {
        this.lists = lists;
    }

    /**
     * The lines of one entry, or of several.
     *
     * @param more whether there are others; null where that is no question
     */
    private record Lines(
            List<String> lines,
            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Boolean more) {}

    /** Returns the lines of entries, as a text list has them. */
    static List<String> lines(List<Entry> entries) {
        return entries.stream().flatMap(entry -> entry.lines().stream()).toList();
    }

    private LivingList list(WebRequest request) {
        String name = request.path("list");
        LivingList list = lists.living(name);
        if (list == null) {
            throw ListRoutes.unknown("living list", name, lists.living().keySet());
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
        return new Lines(entry.lines(), null);
    }

    /** Answers whether there is an entry. */
    public @Nullable Object head(WebRequest request, Response response) throws IOException {
        get(request, response);
        return null;
    }

    /** Returns a page of all entries. */
    public Object page(WebRequest request, Response response) throws IOException {
        return EntryPage.of(list(request).record(), request);
    }

    /** Puts an entry in place of its origin's. */
    public @Nullable Object put(WebRequest request, Response response) throws IOException {
        LivingList list = list(request);
        Key sender = request.sender();
        Key to = request.recipients();
        String body = request.body("-H 'Content-Type: application/json' and -d '{}'");
        Entry entry = EntryBody.parse(body).entry(sender, to);
        Effect effect = list.put(entry, request.who());
        if (effect == Effect.NONE) {
            return null;
        }
        response.status(effect == Effect.CREATED ? 201 : 200);
        return new Lines(entry.lines(), null);
    }

    /** Removes an origin's entry. */
    public @Nullable Object delete(WebRequest request, Response response) throws IOException {
        LivingList list = list(request);
        Origin origin = request.query("origin", Origin.VALUES, "admin");
        list.remove(origin, request.sender(), request.recipients(), request.who());
        return null;
    }

    /** Adds the entries of a text list. */
    public Object patch(WebRequest request, Response response) throws IOException {
        LivingList list = list(request);
        ValueType<Boolean> values = ValueType.either("true", "false");
        boolean replaceDenials = request.query("replaceDenials", values, "false");
        String text = request.body("-H 'Content-Type: text/plain' and --data-binary @FILE");
        return new TextListPatch().add(list, text, replaceDenials, request.who());
    }

    /** The last changes of a sender, the newest first. */
    private record History(List<Change> changes) {}

    private record Change(String at, String who, String origin, String key, List<String> lines) {}

    /** Returns the last changes of a sender. */
    public Object history(WebRequest request, Response response) throws IOException {
        return new History(
                list(request).record().history(request.sender(), MAX_CHANGES).stream()
                        .map(
                                each ->
                                        new Change(
                                                each.at().toString(),
                                                each.who(),
                                                each.origin().label(),
                                                each.key(),
                                                each.lines()))
                        .toList());
    }

    /** Returns the entries for one recipient. */
    public Object ofRecipient(WebRequest request, Response response) throws IOException {
        Key recipient = WebRequest.key("recipient", request.path("recipient"));
        List<Entry> entries = list(request).record().entriesFor(recipient, MAX_ENTRIES + 1);
        boolean more = entries.size() > MAX_ENTRIES;
        return new Lines(lines(more ? entries.subList(0, MAX_ENTRIES) : entries), more);
    }
}
