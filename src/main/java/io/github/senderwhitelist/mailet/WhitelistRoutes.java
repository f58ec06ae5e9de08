package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.web.EntryRoutes;
import io.github.senderwhitelist.mailet.web.Errors;
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
    private final EntryRoutes entries;

    /** Makes the routes for James, whose injector calls this. */
    @Inject
    public WhitelistRoutes(SharedLists lists) {
        this.lists = new ListRoutes(lists);
        this.entries = new EntryRoutes(lists);
    }

    @Override
    public String getBasePath() {
        return BASE;
    }

    @Override
    public void define(Service service) {
        service.get(BASE, answer(lists::all));
        service.get(
                BASE + "/explain",
                answer(lists::explain, "as", "confirmed", "from", "recipient", "sender"));
        service.get(OF_USER, answer(lists::ofUser));
        service.delete(OF_USER, answer(lists::removeUser));
        service.post(LIST + "/reload", answer(lists::reload));
        service.get(LIST + "/for/:recipient", answer(entries::ofRecipient));
        service.get(ENTRIES, answer(entries::page, "after", "limit", "prefix"));
        service.patch(ENTRIES, answer(entries::patch, "replaceDenials"));
        for (String path : List.of(ENTRY, PERSONAL)) {
            service.get(path, answer(entries::get));
            service.head(path, answer(entries::head));
            service.put(path, answer(entries::put));
            service.delete(path, answer(entries::delete, "origin"));
        }
        service.get(ENTRY + "/history", answer(entries::history));
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
                        "The list cannot be read or changed",
                        Text.escaped(String.valueOf(e.getMessage())));
            }
            return answer == null ? Responses.returnNoContent(response) : JSON.render(answer);
        };
    }
}
