package io.github.senderwhitelist.mailet;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.HiddenCharacters;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.PastChange;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.RecentMails.Row;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.web.EntryPages;
import io.github.senderwhitelist.mailet.web.Explanations;
import io.github.senderwhitelist.mailet.web.ListStates;
import io.github.senderwhitelist.mailet.web.PageFiles;
import io.github.senderwhitelist.mailet.web.TextListPatch;
import io.github.senderwhitelist.mailet.web.UsageRoutes;
import io.github.senderwhitelist.mailet.web.WebRequest;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.refresh.ListStatus;

import jakarta.inject.Inject;

import org.apache.james.webadmin.Routes;
import org.apache.james.webadmin.utils.JsonTransformer;
import org.apache.james.webadmin.utils.Responses;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import spark.Response;
import spark.Route;
import spark.Service;

import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The routes of lists in James' WebAdmin, and what those do that change lists. {@code
 * webadmin.properties} switches them on:
 *
 * <pre>
 * extensions.routes=io.github.senderwhitelist.mailet.WhitelistRoutes
 * </pre>
 *
 * <p>One class works in James 3.8 and 3.9, whose versions of Spark stand on different servlets:
 * what servlets are in the signature of is not used.
 */
public class WhitelistRoutes implements Routes {
    private static final Logger LOGGER = LoggerFactory.getLogger(WhitelistRoutes.class);

    private static final String BASE = "/whitelists";
    private static final String OF_USER = BASE + "/for/:user";
    private static final String LIST = BASE + "/:list";
    private static final String ENTRIES = LIST + "/entries";
    private static final String ENTRY = ENTRIES + "/:sender";

    /** How many changes are returned at most. */
    private static final int MAX_CHANGES = 100;

    private static final JsonTransformer ANSWERS = new JsonTransformer();

    /** Takes no condition twice, and no text for a truth value. */
    private static final ObjectReader BODIES =
            JsonMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
                    .build()
                    .readerFor(Body.class);

    private final SharedLists shared;

    @Inject
    public WhitelistRoutes(SharedLists shared) {
        this.shared = shared;
    }

    @Override
    public String getBasePath() {
        return BASE;
    }

    @Override
    public void define(Service service) {
        PageFiles.define(service);
        ListStates states = new ListStates(shared);
        Explanations explanations = new Explanations(shared);
        EntryPages entries = new EntryPages(shared);
        service.get(BASE, answer(states::all));
        service.get(BASE + "/recent", answer(explanations::recent, "sender"));
        service.get(
                BASE + "/explain",
                answer(explanations::explain, "as", "confirmed", "from", "recipient", "sender"));
        service.post(
                BASE + "/explain",
                answer(explanations::explainHeaders, "as", "confirmed", "recipient", "sender"));
        service.get(OF_USER, answer(this::ofUser));
        service.delete(OF_USER, answer(this::removeUser));
        service.get(
                LIST + "/usage",
                answer(new UsageRoutes(shared)::usage, "after", "limit", "rescued", "unusedFor"));
        service.post(LIST + "/reload", answer(this::reload));
        service.get(LIST + "/for/:recipient", answer(entries::ofRecipient));
        service.get(ENTRIES, answer(entries::page, "after", "endsWithin", "limit", "prefix"));
        service.patch(ENTRIES, answer(this::patch, "replaceDenials"));
        for (String path : List.of(ENTRY, ENTRY + "/for/:recipient")) {
            service.get(path, answer(entries::entry));
            service.head(
                    path,
                    answer(
                            (request, response) -> {
                                entries.entry(request, response);
                                return null;
                            }));
            service.put(path, answer(this::put));
            service.delete(path, answer(this::delete, "origin"));
        }
        service.get(ENTRY + "/history", answer(this::history));
    }

    @FunctionalInterface
    private interface Handler {
        /** Returns a value that becomes JSON, or null for no content. */
        @Nullable Object answer(WebRequest request, Response response) throws IOException;
    }

    /**
     * Returns the route of a handler whose query may have these parameters. What is not caught here
     * James' own handlers answer and log.
     */
    private static Route answer(Handler handler, String... query) {
        return (request, response) -> {
            Object answer;
            try {
                answer = handler.answer(new WebRequest(request, query), response);
            } catch (IOException e) {
                LOGGER.warn(
                        "Whitelists, {} over WebAdmin: {}", request.requestMethod(), e.toString());
                throw WebRequest.error(
                        503,
                        "The list cannot be read or changed",
                        Text.escaped(String.valueOf(e.getMessage())));
            }
            return answer == null ? Responses.returnNoContent(response) : ANSWERS.render(answer);
        };
    }

    /** Puts an entry in place of its origin's. */
    private @Nullable Object put(WebRequest request, Response response) throws IOException {
        LivingList list = request.living(shared);
        String body = request.body("-H 'Content-Type: application/json' and -d '{}'");
        Entry entry = Body.parse(body).entry(request.sender(), request.recipients());
        Effect effect = list.put(entry, request.who());
        if (effect == Effect.NONE) {
            return null;
        }
        response.status(effect == Effect.CREATED ? 201 : 200);
        return Map.of("lines", entry.lines());
    }

    /** Removes an origin's entry. */
    private @Nullable Object delete(WebRequest request, Response response) throws IOException {
        Origin origin = request.query("origin", Origin.VALUES, "admin");
        request.living(shared)
                .remove(origin, request.sender(), request.recipients(), request.who());
        return null;
    }

    private record Change(Instant at, String who, String origin, String key, List<String> lines) {
        static Change of(PastChange each) {
            return new Change(
                    each.at(), each.who(), each.origin().label(), each.key(), each.lines());
        }
    }

    /** Returns the last changes of a sender, the newest first. */
    private Object history(WebRequest request, Response response) throws IOException {
        return Map.of(
                "changes",
                request.living(shared).record().history(request.sender(), MAX_CHANGES).stream()
                        .map(Change::of)
                        .toList());
    }

    /** Reads a list again, from its file or its database, whether it changed or not. */
    private @Nullable Object reload(WebRequest request, Response response) throws IOException {
        String name = request.path("list");
        FileList file = shared.files().get(name);
        LivingList living = shared.living(name);
        if (file != null) {
            long before = file.status().done();
            ListStatus after = file.reload();
            if (after.problem() != null) {
                throw new IOException(after.problem());
            }
            if (after.done() == before) {
                throw new IOException(
                        "the file changed while it was read; it is taken when it stands still");
            }
        } else if (living != null) {
            living.reload();
        } else {
            throw WebRequest.unknown(name, shared);
        }
        return null;
    }

    /** Adds the entries of a text list. */
    private Object patch(WebRequest request, Response response) throws IOException {
        LivingList list = request.living(shared);
        ValueType<Boolean> values = ValueType.either("true", "false");
        boolean replaceDenials = request.query("replaceDenials", values, "false");
        String text = request.body("-H 'Content-Type: text/plain' and --data-binary @FILE");
        return new TextListPatch(text).add(list, replaceDenials, request.who());
    }

    /** All that is kept of a user, with the lists that keep nothing. */
    private record Kept(String user, List<LinesOfList> lists, List<Row> mails) {}

    private record LinesOfList(String list, List<String> lines) {}

    /** Returns all that is kept of a user. What is cut or left out would look complete. */
    private Object ofUser(WebRequest request, Response response) throws IOException {
        Key user = WebRequest.address("user", request.path("user"));
        List<LinesOfList> kept = new ArrayList<>();
        for (Map.Entry<String, LivingList> list : shared.living().entrySet()) {
            var entries = list.getValue().record().entriesFor(user, Integer.MAX_VALUE);
            kept.add(new LinesOfList(list.getKey(), EntryPages.lines(entries)));
        }
        List<Row> mails = shared.recent().rowsOf(new Address(user), shared.users());
        return new Kept(user.toString(), kept, mails);
    }

    /** Removes all of a user in every list that can be changed, though another cannot. */
    private @Nullable Object removeUser(WebRequest request, Response response) throws IOException {
        Key user = WebRequest.address("user", request.path("user"));
        shared.recent().forget(new Address(user), shared.users());
        List<String> failures = new ArrayList<>();
        if (!shared.drainLearning()) {
            failures.add("more waits to be learned, perhaps of this user");
        }
        failures.addAll(shared.forgetUsage(user));
        for (LivingList list : shared.living().values()) {
            try {
                list.removeAllFor(user, request.who());
                list.record().forgetHistory(user);
            } catch (IOException e) {
                failures.add(String.valueOf(e.getMessage()));
            }
        }
        if (!failures.isEmpty()) {
            throw new IOException(
                    "not all is removed; do it once more: " + String.join("; ", failures));
        }
        return null;
    }

    /**
     * The body that puts an entry: the conditions of one line. Of them a line is made and parsed as
     * that of any list, so both allow the same and complain in the same words.
     */
    record Body(
            boolean denied,
            @Nullable String from,
            @Nullable String until,
            @Nullable String auth,
            @Nullable String origin,
            @Nullable String note) {
        static Body parse(String text) {
            String wrong = "no object";
            try {
                Body body = BODIES.readValue(text);
                if (body != null) {
                    return body;
                }
            } catch (JsonMappingException e) {
                wrong = e.getPath().isEmpty() ? wrong : e.getPath().getFirst().getFieldName();
            } catch (JsonProcessingException e) {
                wrong = e.getOriginalMessage();
            }
            throw WebRequest.refused(
                    "%s; allowed: an object of denied (true or false), from, until, auth, origin,"
                            + " note (texts)",
                    wrong);
        }

        /** Returns the entry for a sender and recipients, or all if these are null. */
        Entry entry(Key sender, @Nullable Key to) {
            String line =
                    (denied ? "!" : "")
                            + sender
                            + (to == null ? "" : " to=" + to)
                            + word("from", from)
                            + word("until", until)
                            + word("auth", auth)
                            + word("origin", origin)
                            + (note == null || note.isEmpty() ? "" : " note=" + note);
            return switch (ListLine.parse(line)) {
                case ListLine.Good(Entry entry)
                        when entry.key().equals(sender) && Objects.equals(entry.to(), to) ->
                        entry;
                case ListLine.Bad(String reason) -> throw WebRequest.refused(reason);
                case ListLine other ->
                        throw WebRequest.refused("the body is about others than the URL");
            };
        }

        /** Returns a value that is one word of a line, so that it says nothing else beside. */
        private static String word(String name, @Nullable String value) {
            if (value == null) {
                return "";
            }
            if (value.chars().anyMatch(c -> c == '"' || HiddenCharacters.isWhiteSpace(c))) {
                throw WebRequest.refused(
                        "%s='%s'; allowed: no blanks and no quotes in it", name, value);
            }
            return " " + name + "=" + value;
        }
    }
}
