package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.net.http.HttpResponse;
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

    @Test
    void shouldNameACharacterThatDoesNotShow() throws Exception {
        assertThat(server.send("PUT", ENTRIES + "/al%E2%80%8Bice@example.com", "{}").body())
                .contains("al\\\\u200bice@example.com' has U+200B, a character that does not show");
    }

    /** In a path, the server may refuse these before they get to us. */
    @ParameterizedTest
    @TableSource
    void shouldRefuseBytesThatAreNoText(String sender) throws Exception {
        assertThat(server.send("PUT", ENTRIES + "/" + sender, "{}").statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(ints = {65, 300, 3000})
    void shouldRefuseLongSenders(int length) throws Exception {
        String sender = "x".repeat(length) + "@" + "y".repeat(length) + ".example";

        assertError(server.send("PUT", ENTRIES + "/" + sender, "{}"), 400);
    }

    @Test
    void shouldRefuseMoreThanAnEntryCanHold() throws Exception {
        assertError(server.send("PUT", ALICE, "{\"note\":\"" + "x".repeat(256) + "\"}"), 400);
    }

    @Test
    void shouldRefuseDeepBodies() throws Exception {
        assertError(server.send("PUT", ALICE, "[".repeat(500_000)), 400);
        assertError(server.send("PUT", ALICE, "{\"a\":".repeat(150_000)), 400);
    }

    /** An entry without conditions lists a sender for all time, so nothing is ever taken for it. */
    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\n"})
    void shouldNeverTakeAnEmptyBodyForAnEntry(String body) throws Exception {
        HttpResponse<String> answer = server.send("PUT", ALICE, body);

        assertError(answer, 400);
        assertThat(answer.body()).contains("-H 'Content-Type: application/json'", "-d '{}'");
        assertError(server.send("PATCH", ENTRIES, body), 400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"denied\":true}", "{\"note\":\"a=b\"}"})
    void shouldRefuseTheBodiesOfForms(String body) throws Exception {
        HttpResponse<String> answer =
                server.send(
                        "PUT", ALICE, body, "Content-Type", "application/x-www-form-urlencoded");

        assertError(answer, 400);
        assertThat(answer.body()).contains("The body is empty", "application/json");
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 20, 2_000_000})
    void shouldRefuseLongBodies(int length) throws Exception {
        String body = "#" + "x".repeat(length);

        assertError(server.send("PUT", ALICE, body), 413);
        assertError(server.send("PATCH", ENTRIES, body, "Content-Type", "text/plain"), 413);
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
        HttpResponse<String> answer = server.send("PATCH", ENTRIES, "x\n".repeat(1 << 19));

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .startsWith("{\"put\":0,\"unchanged\":0,\"kept\":0,\"bad\":524288,");
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

    @Test
    void shouldNameTheListsWhenThereIsNoneOfTheName() throws Exception {
        assertThat(server.send("PUT", "/whitelists/x/entries/@example.com", "{}").body())
                .contains("'x'; open are: friends");
    }

    @ParameterizedTest
    @TableSource
    void shouldRefuseQueriesWithMistakes(String query) throws Exception {
        assertThat(server.sendRaw("GET " + ENTRIES + query)).startsWith("HTTP/1.1 400");
    }

    @Test
    void shouldShowNothingOfAnotherLine() throws Exception {
        HttpResponse<String> answer =
                server.send("PUT", ALICE, "{\"from\":\"a\\u001b[2J\\u202eb\"}");

        assertError(answer, 400);
        assertThat(answer.body()).doesNotContain("\u001b", "\u202e");
    }

    /** Some are refused by the server before they get to us. */
    @ParameterizedTest
    @TableSource
    void shouldRefuseMalformedRequests(String start) throws Exception {
        assertThat(server.sendRaw(start))
                .matches("(?s)HTTP/1.1 4\\d\\d .*")
                .doesNotContain("Exception", "\tat ");
    }
}
