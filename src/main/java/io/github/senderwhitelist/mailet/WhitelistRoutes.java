package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.mailet.server.ListQuestions;
import io.github.senderwhitelist.mailet.server.OpenLists;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.web.EntryRoutes;
import io.github.senderwhitelist.mailet.web.Errors;
import io.github.senderwhitelist.mailet.web.ExplainRoute;
import io.github.senderwhitelist.mailet.web.ListRoutes;
import io.github.senderwhitelist.mailet.web.WebRequest;

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
import java.util.List;

/**
 * The routes of lists in James' WebAdmin. {@code webadmin.properties} switches them on:
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
    private static final JsonTransformer JSON = new JsonTransformer();

    private static final String BASE = "/whitelists";
    private static final String OF_USER = BASE + "/for/:user";
    private static final String LIST = BASE + "/:list";
    private static final String ENTRIES = LIST + "/entries";
    private static final String ENTRY = ENTRIES + "/:sender";
    private static final String PERSONAL = ENTRY + "/for/:recipient";

    private final ListRoutes lists;
    private final ExplainRoute explanations;
    private final EntryRoutes entries;

    /** Makes the routes for James, whose injector calls this. */
    @Inject
    public WhitelistRoutes(SharedLists lists) {
        this(lists, lists.users());
    }

    /** Takes the lists and users of a test. */
    WhitelistRoutes(OpenLists lists, RecipientUsers users) {
        ListQuestions questions = new ListQuestions(lists, users);
        this.lists = new ListRoutes(lists, questions);
        this.explanations = new ExplainRoute(lists.judges());
        this.entries = new EntryRoutes(lists, questions);
    }

    @Override
    public String getBasePath() {
        return BASE;
    }

    @Override
    public void define(Service service) {
        get(service, BASE, answer(lists::all));
        get(
                service,
                BASE + "/explain",
                answer(explanations::explain, "as", "confirmed", "from", "recipient", "sender"));
        get(service, OF_USER, answer(lists::ofUser));
        service.delete(OF_USER, answer(lists::removeUser));
        service.post(LIST + "/reload", answer(lists::reload));
        get(service, LIST + "/for/:recipient", answer(entries::ofRecipient));
        service.get(
                ENTRIES, answer(entries::oneOrPage, "after", "for", "limit", "prefix", "sender"));
        service.head(ENTRIES, answer(entries::head, "for", "sender"));
        service.put(ENTRIES, answer(entries::put, "for", "sender"));
        service.delete(ENTRIES, answer(entries::delete, "for", "origin", "sender"));
        service.patch(ENTRIES, answer(entries::patch, "replaceDenials"));
        for (String path : List.of(ENTRY, PERSONAL)) {
            service.get(path, answer(entries::get));
            service.head(path, answer(entries::head));
            service.put(path, answer(entries::put));
            service.delete(path, answer(entries::delete, "origin"));
        }
        get(service, ENTRY + "/history", answer(entries::history));
    }

    /** Answers HEAD, too: Spark would say that all is well without asking. */
    private static void get(Service service, String path, Route route) {
        service.get(path, route);
        service.head(path, route);
    }

    /** Answers requests to one route. */
    @FunctionalInterface
    private interface Handler {
        /**
         * Returns a value that becomes JSON, or null for no content.
         *
         * @throws IOException if the database fails
         */
        @Nullable Object answer(WebRequest request, Response response) throws IOException;
    }

    /**
     * Returns the route of a handler. James' own handlers of exceptions answer what is not caught
     * here, and log it.
     *
     * @param query the parameters that its query may have
     */
    private static Route answer(Handler handler, String... query) {
        return (request, response) -> {
            Object answer;
            try {
                answer = handler.answer(new WebRequest(request, query), response);
            } catch (IOException e) {
                LOGGER.warn(
                        "Whitelists, {} over WebAdmin: {}", request.requestMethod(), e.toString());
                throw Errors.of(
                        503,
                        "The database of the list cannot be used",
                        Text.escaped(String.valueOf(e.getMessage())));
            }
            return answer == null ? Responses.returnNoContent(response) : JSON.render(answer);
        };
    }
}
