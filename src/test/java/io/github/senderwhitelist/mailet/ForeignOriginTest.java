package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.TableSource;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Sends to the routes what a browser sends for a page, of this server or of another. */
class ForeignOriginTest {
    private static final String ALICE = "/whitelists/friends/entries/alice@example.com";
    private static final String EVE = "/whitelists/friends/entries/eve@evil.example";

    private final WebAdmin server = new WebAdmin();

    @BeforeEach
    void putAlice() throws Exception {
        server.open("friends");
        assertThat(server.send("PUT", ALICE, "{}").statusCode()).isEqualTo(201);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    /** Returns the method and path of a request to each route. */
    private List<String> requests() {
        List<String> requests = new ArrayList<>(List.of("PUT " + EVE));
        for (String route : server.routes()) {
            requests.add(
                    route.replace("{list}", "friends").replaceAll("\\{\\w+}", "alice@example.com"));
        }
        return requests;
    }

    private HttpResponse<String> send(String request, String... headers) throws Exception {
        int blank = request.indexOf(' ');
        String verb = request.substring(0, blank);
        String body = verb.equals("PUT") ? "{}" : verb.equals("PATCH") ? "eve@evil.example" : null;
        return server.send(verb, request.substring(blank + 1), body, headers);
    }

    @ParameterizedTest
    @TableSource
    void shouldRefuseEveryRequestOfAnotherServersPage(String name, String value) throws Exception {
        String foreign = value.replace("PORT", Integer.toString(server.port()));
        for (String request : requests()) {
            for (String type : List.of("application/json", "text/plain")) {
                HttpResponse<String> answer = send(request, name, foreign, "Content-Type", type);

                assertThat(answer.statusCode()).as(request).isEqualTo(403);
                if (!request.startsWith("HEAD")) {
                    assertThat(answer.body())
                            .contains("\"statusCode\":403,", "page of another server", name)
                            .doesNotContain("alice");
                }
            }
        }
        assertThat(server.send("GET", ALICE).statusCode()).isEqualTo(200);
        assertThat(Objects.requireNonNull(server.living("friends")).record().count()).isEqualTo(1);
    }

    @Test
    void shouldAnswerAPageOfItsOwnAndWhatIsNoBrowser() throws Exception {
        String own = "http://127.0.0.1:" + server.port();
        List<String[]> allowed =
                List.of(
                        new String[] {},
                        new String[] {"Sec-Fetch-Site", "none"},
                        new String[] {"Sec-Fetch-Site", "same-origin"},
                        new String[] {"Origin", own, "Sec-Fetch-Site", "same-origin"},
                        new String[] {"Origin", own},
                        // In front of WebAdmin, a proxy may speak TLS.
                        new String[] {"Origin", own.replace("http:", "https:")});
        for (String[] headers : allowed) {
            assertThat(send("PUT " + EVE, headers).statusCode()).isEqualTo(201);
            assertThat(send("GET " + EVE, headers).statusCode()).isEqualTo(200);
            assertThat(send("HEAD " + EVE, headers).statusCode()).isEqualTo(204);
            assertThat(send("DELETE " + EVE, headers).statusCode()).isEqualTo(204);
        }
    }

    /** Host names know no case; what a browser makes small, a proxy may not. */
    @Test
    void shouldCompareHostsWithoutCase() throws Exception {
        String answer = server.sendRaw("GET /whitelists HTTP/1.1\r\nOrigin: http://X\r\nFrom: me");

        assertThat(answer).startsWith("HTTP/1.1 200");
    }
}
