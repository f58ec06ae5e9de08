package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.tools.TableSource;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Objects;

/** Sends what no careful client sends. Each answer is one of our own, and nothing is put. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileRequestsTest {
    private static final String ENTRIES = "/whitelists/friends/entries";
    private static final String ALICE = ENTRIES + "/alice@example.com";

    private final WebAdmin server = new WebAdmin();

    @BeforeAll
    void open() {
        server.open("friends");
    }

    @AfterEach
    void shouldHavePutNothing() throws IOException {
        assertThat(Objects.requireNonNull(server.living("friends")).record().count()).isZero();
    }

    @AfterAll
    void close() throws IOException {
        server.close();
    }

    private static void assertError(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/json");
        assertThat(answer.body())
                .matches(
                        "\\{\"statusCode\":"
                                + status
                                + ",\"type\":\"(InvalidArgument|notFound)\",\"message\":\"[^\n]*\","
                                + "\"details\":(null|\"[^\n]*\")}");
        assertThat(answer.body()).hasSizeLessThan(1500);
    }

    /** What is put under an encoded sender is found again, and is told in canonical form. */
    @ParameterizedTest
    @TableSource
    void shouldKnowSendersHoweverTheyAreEncoded(String encoded, String sender) throws Exception {
        HttpResponse<String> created = server.send("PUT", ENTRIES + "/" + encoded, "{}");

        assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
        assertThat(created.body()).isEqualTo("{\"lines\":[\"" + sender + "\"]}");
        String path = ENTRIES + "/" + encoded;
        assertThat(server.send("GET", path).body()).isEqualTo(created.body());
        assertThat(server.send("DELETE", path).statusCode()).isEqualTo(204);
    }

    @ParameterizedTest
    @TableSource
    void shouldRefuse(String verbs, String path, String body, int status) throws Exception {
        for (String verb : verbs.split(" ", -1)) {
            HttpResponse<String> answer = server.send(verb, path.replace("~", ENTRIES), body);
            if (verb.equals("HEAD")) {
                assertThat(answer.statusCode()).isEqualTo(status);
            } else {
                assertError(answer, status);
            }
        }
    }

    /** A form would send a plus sign for a space, but whoever writes one means a tag. */
    @ParameterizedTest
    @TableSource
    void shouldRefuseAnAddressWithAPlusSignThatStandsForASpace(String path) throws Exception {
        String answer = server.send("GET", path).body();
        assertError(server.send("GET", path), 400);
        assertThat(answer).contains("plus sign", "+tag@", "%2B");
        assertThat(server.send("GET", path.replace("+", "%2B")).statusCode()).isEqualTo(200);
    }

    /** What does not show is named, and nothing of another line, or of another direction, shows. */
    @ParameterizedTest
    @TableSource
    void shouldSayWhatIsWrong(String path, String body, String details) throws Exception {
        HttpResponse<String> answer = server.send("PUT", path.replace("~", ENTRIES), body);

        assertThat(answer.body()).contains(details).doesNotContain("\u001b", "\u202e");
    }

    /** In a path, the server may refuse these before they get to us. */
    @ParameterizedTest
    @TableSource
    void shouldRefuseBytesThatAreNoText(String sender) throws Exception {
        assertThat(server.send("PUT", ENTRIES + "/" + sender, "{}").statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(ints = {65, 300, 3000})
    void shouldRefuseLongSendersAndNotes(int length) throws Exception {
        String sender = "x".repeat(length) + "@" + "y".repeat(length) + ".example";

        assertError(server.send("PUT", ENTRIES + "/" + sender, "{}"), 400);
        String note = "{\"note\":\"" + "x".repeat(256 + length) + "\"}";
        assertError(server.send("PUT", ALICE, note), 400);
    }

    @Test
    void shouldRefuseDeepBodies() throws Exception {
        assertError(server.send("PUT", ALICE, "[".repeat(500_000)), 400);
        assertError(server.send("PUT", ALICE, "{\"a\":".repeat(150_000)), 400);
    }

    /** An entry without conditions lists a sender for all time, so nothing is ever taken for it. */
    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n", "{}", "{\"denied\":true}", "{\"note\":\"a=b\"}"})
    void shouldNeverTakeAnEmptyBodyOrAFormForAnEntry(String body) throws Exception {
        String form = "application/x-www-form-urlencoded";
        HttpResponse<String> answer = server.send("PUT", ALICE, body, "Content-Type", form);

        assertError(answer, 400);
        assertThat(answer.body())
                .contains("the body is empty", "-H 'Content-Type: application/json'", "-d '{}'");
        if (body.isBlank()) {
            assertError(server.send("PUT", ALICE, body), 400);
            assertError(server.send("PATCH", ENTRIES, body), 400);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 20, 10_000_000})
    void shouldRefuseLongBodies(int length) throws Exception {
        String body = "#" + "x".repeat(length);

        assertError(server.send("PUT", ALICE, body), 413);
        assertError(server.send("PATCH", ENTRIES, body, "Content-Type", "text/plain"), 413);
    }

    @Test
    void shouldRefuseABodyThatIsNotUtf8() throws Exception {
        var latin1 = BodyPublishers.ofString("alice@example.com note=J\u00fcrgen", ISO_8859_1);
        HttpResponse<String> answer = server.send("PATCH", ENTRIES, latin1);

        assertError(answer, 400);
        assertThat(answer.body()).contains("the body is not UTF-8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"5\r\na@x.o\r\nzz\r\n", "5\r\na@x.o\r\n", "5\r\na@x."})
    void shouldPutNothingOfABodyThatDoesNotArriveWhole(String chunks) throws Exception {
        String request =
                "PATCH "
                        + ENTRIES
                        + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n"
                        + chunks;
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(request.getBytes(UTF_8));
            socket.shutdownOutput();

            assertThat(new String(socket.getInputStream().readAllBytes(), UTF_8))
                    .startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void shouldTakeALongListOfNothing() throws Exception {
        HttpResponse<String> answer = server.send("PATCH", ENTRIES, "x\n".repeat(1 << 15));

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .startsWith("{\"put\":0,\"unchanged\":0,\"kept\":0,\"bad\":32768,");
        assertThat(answer.body()).hasSizeLessThan(10_000);
    }

    @Test
    void shouldReloadNoUnknownList() throws Exception {
        for (String name : new String[] {"enemies", "for", "%3Cscript%3E", "a%0Ab", "%20", ""}) {
            HttpResponse<String> answer = server.send("POST", "/whitelists/" + name + "/reload");
            assertThat(answer.statusCode()).as(name).isIn(400, 404);
            assertThat(answer.body()).doesNotContain("\n", "Exception");
        }
    }

    @ParameterizedTest
    @TableSource
    void shouldRefuseQueriesWithMistakes(String query) throws Exception {
        assertThat(server.sendRaw("GET " + ENTRIES + query)).startsWith("HTTP/1.1 400");
    }

    /** Some are refused by the server before they get to us. */
    @ParameterizedTest
    @TableSource
    void shouldRefuseMalformedRequests(String start) throws Exception {
        assertThat(server.sendRaw(start))
                .matches("(?s)HTTP/1.1 4\\d\\d .*")
                .doesNotContain("Exception", "\tat ");
    }

    // Browsers

    private List<String> requests() {
        return server.routes().stream()
                .map(route -> route.replace("{list}", "friends"))
                .map(route -> route.replaceAll("\\{\\w+}", "alice@example.com"))
                .toList();
    }

    private HttpResponse<String> send(String request, String... headers) throws Exception {
        String[] words = request.split(" ", 2);
        String body = words[0].equals("PATCH") ? "eve@evil.example" : "{}";
        return server.send(words[0], words[1], body, headers);
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
                            .contains("\"statusCode\":403,", "page of another server", name);
                }
            }
        }
    }

    /** In front of WebAdmin, a proxy may speak TLS. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Accept: */*",
                "Sec-Fetch-Site: none",
                "Sec-Fetch-Site: same-origin",
                "Origin: http://127.0.0.1:PORT",
                "Origin: https://127.0.0.1:PORT"
            })
    void shouldAnswerAPageOfItsOwnAndWhatIsNoBrowser(String header) throws Exception {
        String own = header.replace("PORT", Integer.toString(server.port()));
        String[] sides = own.split(": ", 2);

        assertThat(send("PUT " + ALICE, sides).statusCode()).isEqualTo(201);
        assertThat(send("GET " + ALICE, sides).statusCode()).isEqualTo(200);
        assertThat(send("HEAD " + ALICE, sides).statusCode()).isEqualTo(204);
        assertThat(send("DELETE " + ALICE, sides).statusCode()).isEqualTo(204);
    }

    /** Host names know no case; what a browser makes small, a proxy may not. */
    @Test
    void shouldCompareHostsWithoutCase() throws Exception {
        String answer = server.sendRaw("GET /whitelists HTTP/1.1\r\nOrigin: http://X\r\nFrom: me");

        assertThat(answer).startsWith("HTTP/1.1 200");
    }
}
