package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.grack.nanojson.JsonObject;
import com.grack.nanojson.JsonParser;
import com.grack.nanojson.JsonParserException;

import io.github.senderwhitelist.address.Text;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Set;

/**
 * A client of the WebAdmin of a running James. Redirections are not followed, so the login stays
 * there.
 */
final class WebClient implements Closeable {
    private static final Duration CONNECT = Duration.ofSeconds(10);
    private static final Duration ANSWER = Duration.ofMinutes(2);
    private static final Set<Integer> GOOD = Set.of(200, 201, 204);
    private static final int NOT_FOUND = 404;
    private static final int NOT_AS_EXPECTED = 412;

    /**
     * The answer of the whitelist's routes.
     *
     * @param body the answer, without members if it has no body
     * @param tag the header ETag, or null
     */
    record Answer(int status, JsonObject body, @Nullable String tag) {
        /** Returns whether there is such a thing. */
        boolean found() {
            return status != NOT_FOUND;
        }

        /** Returns whether it was in the state that the request expects. */
        boolean asExpected() {
            return status != NOT_AS_EXPECTED;
        }
    }

    private final String server;
    private final @Nullable WebLogin login;
    private final HttpClient client =
            HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .followRedirects(HttpClient.Redirect.NEVER)
                    .connectTimeout(CONNECT)
                    .build();

    /**
     * Makes a client.
     *
     * @param server the URL of WebAdmin, without a slash at its end
     * @param login what logs in, or null
     */
    WebClient(String server, @Nullable WebLogin login) {
        this.server = server;
        this.login = login;
    }

    /** Returns text as a part of a path or of a query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8).replace("+", "%20");
    }

    /**
     * Asks for a path.
     *
     * @param path the path with its query, encoded
     * @param body an entry to PUT, or a text list, or null
     * @param condition a header that says what state is expected: its name and its value, or none
     */
    Answer ask(String verb, String path, @Nullable String body, String... condition)
            throws IOException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(server + path)).timeout(ANSWER);
        if (body == null) {
            request.method(verb, BodyPublishers.noBody());
        } else {
            request.method(verb, BodyPublishers.ofString(body, UTF_8))
                    .header(
                            "Content-Type",
                            verb.equals("PUT") ? "application/json" : "text/plain; charset=utf-8");
        }
        if (login != null) {
            request.header(login.header(), login.value());
        }
        if (condition.length > 0) {
            request.headers(condition);
        }
        HttpResponse<String> answer = send(request.build());
        JsonObject said = answer.body().isBlank() ? new JsonObject() : parsed(answer);
        int status = answer.statusCode();
        if (said != null
                && (GOOD.contains(status)
                        || ((status == NOT_FOUND || status == NOT_AS_EXPECTED)
                                && said.has("details")))) {
            return new Answer(status, said, answer.headers().firstValue("ETag").orElse(null));
        }
        throw new IOException(server + ": " + explained(verb, status, said));
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException {
        try {
            return client.send(request, BodyHandlers.ofString(UTF_8));
        } catch (ConnectException e) {
            throw new IOException(
                    server
                            + ": no connection"
                            + (e.getMessage() == null ? "" : " (" + e.getMessage() + ")")
                            + "; is James running, and its WebAdmin switched on at this address?",
                    e);
        } catch (HttpTimeoutException e) {
            throw new IOException(
                    server
                            + ": no answer in time; what was asked may have been done or not. Run"
                            + " the command once more",
                    e);
        } catch (IOException e) {
            throw new IOException(server + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(server + ": interrupted", e);
        }
    }

    /** Returns the answer, or null if it is no JSON object. */
    private static @Nullable JsonObject parsed(HttpResponse<String> answer) {
        try {
            return JsonParser.object().from(answer.body());
        } catch (JsonParserException e) {
            return null;
        }
    }

    private String explained(String verb, int status, @Nullable JsonObject body) {
        if (status == 401) {
            return login == null
                    ? "a login is needed (status 401); give WebAdmin's password with"
                            + " --password-file or --password-env, or a token with --token-file"
                    : login
                            + " is refused (status 401); WebAdmin takes a password or a token, as"
                            + " its webadmin.properties say, and before James 3.9.0 tokens only";
        }
        if (status == 403) {
            return forbidden(verb);
        }
        if (body == null || !body.has("message")) {
            return "status "
                    + status
                    + " and no answer of the whitelist's routes; is this a WebAdmin of James with"
                    + " extensions.routes for them?";
        }
        String details = body.getString("details");
        return "status "
                + status
                + ", "
                + Text.escaped(
                        body.getString("message", "") + (details == null ? "" : ": " + details));
    }

    private String forbidden(String verb) {
        String with = login == null ? "without a login" : "with " + login;
        return switch (verb) {
            case "GET" -> "reading is not allowed " + with + " (status 403)";
            case "DELETE" ->
                    "removing is not allowed "
                            + with
                            + " (status 403); in webadmin.properties, password.nodelete and"
                            + " password.readonly do that";
            default ->
                    "changing is not allowed "
                            + with
                            + " (status 403); in webadmin.properties, password.readonly does that";
        };
    }

    @Override
    public void close() {
        client.close();
    }
}
