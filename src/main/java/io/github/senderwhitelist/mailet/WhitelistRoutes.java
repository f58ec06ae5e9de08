package io.github.senderwhitelist.mailet;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.RecipientUsers;
import io.github.senderwhitelist.mailet.server.ListQuestions;
import io.github.senderwhitelist.mailet.server.OpenLists;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.mailet.web.EntryRequests;
import io.github.senderwhitelist.mailet.web.FileRequests;
import io.github.senderwhitelist.mailet.web.ListRequests;
import io.github.senderwhitelist.mailet.web.PageOrigin;
import io.github.senderwhitelist.mailet.web.UserRequests;
import io.github.senderwhitelist.mailet.web.WebAnswer;
import io.github.senderwhitelist.mailet.web.WebBody;
import io.github.senderwhitelist.mailet.web.WebException;
import io.github.senderwhitelist.mailet.web.WebRequest;
import io.github.senderwhitelist.mailet.web.WebRoute;
import io.github.senderwhitelist.mailet.web.WebText;

import jakarta.inject.Inject;

import org.apache.james.webadmin.Routes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import spark.Request;
import spark.Response;
import spark.Service;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The routes of lists in James' WebAdmin. {@code webadmin.properties} switches them on:
 *
 * <pre>
 * extensions.routes=io.github.senderwhitelist.mailet.WhitelistRoutes
 * </pre>
 *
 * <p>One class works in James 3.8 and 3.9, whose versions of Spark stand on different servlets:
 * what servlets are in the signature of is not used. All paths come here, to be distinguished by
 * their text as it was sent, because the two versions do not decode paths alike.
 */
public class WhitelistRoutes implements Routes {
    private static final Logger LOGGER = LoggerFactory.getLogger(WhitelistRoutes.class);
    private static final String BASE = "/whitelists";
    private static final int LONGEST_BODY = 1 << 20;
    private static final int TOO_LONG = 413;

    /** The attribute in which James' filter for tokens leaves who has logged in. */
    private static final String LOGIN = "LOGIN";

    private final List<WebRoute> routes = new ArrayList<>();

    /** Makes the routes for James, whose injector calls this. */
    @Inject
    public WhitelistRoutes(SharedLists lists) {
        this(lists, lists.users());
    }

    /** Takes the lists and users of a test. */
    WhitelistRoutes(OpenLists lists, RecipientUsers users) {
        ListQuestions questions = new ListQuestions(lists, users);
        routes.addAll(new ListRequests(questions, lists.judges()).routes());
        routes.addAll(new EntryRequests(lists, questions).routes());
        routes.addAll(new UserRequests(lists).routes());
        routes.addAll(new FileRequests(lists).routes());
    }

    /** Returns all routes. */
    List<WebRoute> routes() {
        return routes;
    }

    @Override
    public String getBasePath() {
        return BASE;
    }

    @Override
    public void define(Service service) {
        for (String path : List.of(BASE, BASE + "/*")) {
            service.get(path, this::answer);
            service.head(path, this::answer);
            service.put(path, this::answer);
            service.post(path, this::answer);
            service.patch(path, this::answer);
            service.delete(path, this::answer);
        }
    }

    private String answer(Request request, Response response) {
        WebAnswer answer = answer(request);
        response.status(answer.status());
        response.type("application/json");
        if (answer.status() == TOO_LONG) {
            // The rest of the body may not have been read, and must not be taken for a request.
            response.header("Connection", "close");
        }
        answer.headers().forEach(response::header);
        return answer.body();
    }

    /** Answers a request. No failure gets past this. */
    private WebAnswer answer(Request request) {
        try {
            return answerByRoute(request);
        } catch (WebException e) {
            return e.answer();
        } catch (IOException e) {
            LOGGER.warn("Whitelists, {} over WebAdmin: {}", request.requestMethod(), e.toString());
            return WebAnswer.error(
                    503,
                    "The database of the list cannot be used",
                    Text.escaped(String.valueOf(e.getMessage())));
        } catch (RuntimeException e) {
            LOGGER.error("Whitelists, {} over WebAdmin failed", request.requestMethod(), e);
            return WebAnswer.error(500, "The server failed; its log says why", null);
        }
    }

    private WebAnswer answerByRoute(Request request) throws WebException, IOException {
        PageOrigin.check(
                request.headers("Origin"),
                request.headers("Sec-Fetch-Site"),
                request.headers("Host"));
        List<String> segments = WebText.segments(request.uri());
        String verb = request.requestMethod();
        requireNoCondition(verb, request);
        WebRoute route = route(verb, segments);
        if (route == null && verb.equals("HEAD")) {
            route = route("GET", segments);
        }
        Map<String, String> inPath = route == null ? null : route.match(segments);
        if (route == null || inPath == null) {
            return unanswered(segments);
        }
        return route.handler()
                .answer(
                        new WebRequest(
                                parameters(inPath, route, request.queryString()),
                                body(request, verb),
                                who(request)));
    }

    /** Refuses a change under a condition, which would be made whether that holds or not. */
    private static void requireNoCondition(String verb, Request request) throws WebException {
        for (String header : List.of("If-Match", "If-None-Match")) {
            if (request.headers(header) != null && !verb.equals("GET") && !verb.equals("HEAD")) {
                throw WebException.badRequest(
                        "The header " + header + " is not supported",
                        "leave it out: entries have no ETag, and a PUT replaces all that its"
                                + " origin has of an entry at once; nothing was changed");
            }
        }
    }

    private @Nullable WebRoute route(String verb, List<String> segments) {
        for (WebRoute route : routes) {
            if (route.verb().equals(verb) && route.match(segments) != null) {
                return route;
            }
        }
        return null;
    }

    /** Returns the answer when no route has both the path and the method. */
    private WebAnswer unanswered(List<String> segments) {
        String allowed =
                routes.stream()
                        .filter(route -> route.match(segments) != null)
                        .map(WebRoute::verb)
                        .sorted()
                        .collect(Collectors.joining(", "));
        return allowed.isEmpty()
                ? WebAnswer.error(404, "There is nothing at this path", null)
                : WebAnswer.error(405, "The path does not know this method", "allowed: " + allowed)
                        .with("Allow", allowed);
    }

    /** Returns the parameters of the path and of the query. An unknown one may be a mistake. */
    private static Map<String, String> parameters(
            Map<String, String> inPath, WebRoute route, @Nullable String query)
            throws WebException {
        Map<String, String> parameters = new HashMap<>(inPath);
        for (Map.Entry<String, String> each : WebText.query(query).entrySet()) {
            if (!route.query().contains(each.getKey())) {
                throw WebException.badRequest(
                        "The query has an unknown parameter",
                        "'"
                                + Text.shown(each.getKey())
                                + "'; allowed: "
                                + (route.query().isEmpty()
                                        ? "none"
                                        : String.join(", ", new TreeSet<>(route.query()))));
            }
            parameters.put(each.getKey(), each.getValue());
        }
        return parameters;
    }

    private static String body(Request request, String verb) throws WebException {
        if (!verb.equals("PUT") && !verb.equals("PATCH")) {
            return "";
        }
        byte[] body = WebBody.read(request, LONGEST_BODY + 1);
        if (body.length > LONGEST_BODY) {
            throw new WebException(
                    TOO_LONG,
                    "The body is too long",
                    "allowed: " + LONGEST_BODY + " bytes; send less at once");
        }
        return WebText.utf8(body, "The body");
    }

    /** Returns the caller: the login that a token has proved, else the address of the client. */
    private static String who(Request request) {
        Object login = request.attribute(LOGIN);
        return login == null ? "webadmin " + request.ip() : Text.shown(login.toString());
    }
}
