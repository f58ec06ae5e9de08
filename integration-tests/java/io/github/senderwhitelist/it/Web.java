package io.github.senderwhitelist.it;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Pages of a server on this machine. */
final class Web {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Web() {}

    /**
     * Returns the page at a path whatever the status is. A server that is not well answers with
     * 503.
     */
    static String get(int port, String path) throws IOException, InterruptedException {
        return send(port, "GET", path, "", "").body();
    }

    /** Sends a request with a body of JSON and a token, both of which may be empty. */
    static HttpResponse<String> send(
            int port, String method, String path, String body, String token)
            throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            return client.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                            .timeout(PATIENCE)
                            .header("Content-Type", "application/json")
                            .header("Authorization", "Bearer " + token)
                            .method(method, HttpRequest.BodyPublishers.ofString(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }
}
