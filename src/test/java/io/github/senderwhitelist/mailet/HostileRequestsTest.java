package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "user+tag@example.com, user+tag@example.com",
                "user%2Btag@example.com, user+tag@example.com",
                "user%252Btag@example.com, user%2btag@example.com",
                "100%25@example.com, 100%@example.com",
                "a%2Fb@example.com, a/b@example.com",
                "o'hara@example.com, o'hara@example.com",
                "%22a%20b%22@example.com, \\\"a b\\\"@example.com",
                "%22!a%22@example.com, \\\"!a\\\"@example.com",
                "%23a@example.com, \\\"#a\\\"@example.com",
                "ALICE@Example.COM, alice@example.com",
                "j%C3%BCrgen@example.com, jürgen@example.com",
                "x@b%C3%BCcher.example, x@xn--bcher-kva.example",
                "@b%C3%BCcher.example, @xn--bcher-kva.example",
                "%F0%9F%93%A7@example.com, 📧@example.com",
                "%40.example.com, @.example.com",
                "%E2%80%8Balice@example.com%C2%A0, alice@example.com",
                "%EF%BB%BF@example.com%E2%80%8F, @example.com"
            })
    void shouldKnowSendersHoweverTheyAreEncoded(String encoded, String sender) throws Exception {
        HttpResponse<String> created = server.send("PUT", ENTRIES + "/" + encoded, "{}");

        assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
        assertThat(created.body()).isEqualTo("{\"lines\":[\"" + sender + "\"]}");
        String path = ENTRIES + "/" + encoded;
        assertThat(server.send("GET", path).body()).isEqualTo(created.body());
        assertThat(server.send("DELETE", path).statusCode()).isEqualTo(204);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "%20",
                "alice",
                "alice@",
                "a%20b@example.com",
                "alice@example.com%20to=bob@example.com",
                "a%22b@example.com",
                "a;x=y@example.com",
                "alice@example.com;x",
                "/alice@example.com",
                "!alice@example.com",
                "*@example.com",
                "@",
                "@.",
                "@example..com",
                "@.%5B192.0.2.1%5D",
                "a%E2%80%AEb@",
                "al%E2%80%8Bice@example.com",
                "alice@exam%C2%ADple.com",
                "%E2%80%8B!alice@example.com",
                "%E2%80%8B"
            })
    void shouldRefuseWhatIsNoSender(String sender) throws Exception {
        for (String verb : new String[] {"GET", "PUT", "DELETE"}) {
            assertError(server.send(verb, ENTRIES + "/" + sender, "{}"), 400);
            assertError(server.send(verb, ALICE + "/for/" + sender, "{}"), 400);
        }
        assertError(server.send("GET", "/whitelists/for/" + sender), 400);
        assertError(server.send("DELETE", "/whitelists/for/" + sender), 400);
        assertError(server.send("GET", "/whitelists/friends/for/" + sender), 400);
        assertThat(server.send("HEAD", ENTRIES + "/" + sender).statusCode()).isEqualTo(400);
    }

    /** A form would send a plus sign for a space, but whoever writes one means a tag. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/whitelists/explain?sender=alice+tag@example.com",
                "/whitelists/explain?sender=a@b.example&from=alice+tag@example.com",
                "/whitelists/explain?sender=a@b.example&recipient=c@d.example,bob+tag@here.example",
                ENTRIES + "?prefix=alice+tag@"
            })
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
    @ValueSource(
            strings = {
                "a%00@example.com",
                "a%0Ab@example.com",
                "a%0D%0Aorigin=user@example.com",
                "alice@example.com%0Abob@example.com",
                "%FF@example.com",
                "%C3@example.com",
                "%C0%AF@example.com",
                "%ED%A0%80@example.com"
            })
    void shouldRefuseBytesThatAreNoText(String sender) throws Exception {
        assertThat(server.send("PUT", ENTRIES + "/" + sender, "{}").statusCode()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(ints = {65, 300, 3000})
    void shouldRefuseLongSenders(int length) throws Exception {
        String sender = "x".repeat(length) + "@" + "y".repeat(length) + ".example";

        assertError(server.send("PUT", ENTRIES + "/" + sender, "{}"), 400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "null",
                "{",
                "{}{}",
                "{}x",
                "\"alice\"",
                "{'denied':true}",
                "{\"denied\":\"true\"}",
                "{\"denied\":1}",
                "{\"Denied\":true}",
                "{\"untill\":\"2027-01-31\"}",
                "{\"until\":20270131}",
                "{\"until\":{}}",
                "{\"until\":[\"2027-01-31\"]}",
                "{\"until\":\"\"}",
                "{\"until\":\"31.1.2027\"}",
                "{\"until\":\"2027-02-30\"}",
                "{\"until\":\"2027-01-31 origin=learned\"}",
                "{\"until\":\"2027-01-31\\u2003auth=spf\"}",
                "{\"until\":\"2027-01-31\\u00a0auth=spf\"}",
                "{\"until\":\"2027-01-31\\nauth=spf\"}",
                "{\"auth\":\"none#\"}",
                "{\"auth\":\"dkim\",\"denied\":true}",
                "{\"from\":\"2027-02-01\",\"until\":\"2027-01-01\"}",
                "{\"until\":\"2027-01-31\",\"until\":\"2028-01-31\"}",
                "{\"until\":null,\"until\":\"2028-01-31\"}",
                "{\"origin\":\"root\"}",
                "{\"note\":\"a\\u0000b\"}",
                "{\"note\":\"a\\nb\"}",
                "{\"to\":\"bob@example.com\"}",
                "{\"lines\":[\"alice@example.com\"]}"
            })
    void shouldRefuseBodiesThatAreNoEntry(String body) throws Exception {
        assertError(server.send("PUT", ALICE, body), 400);
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

    @ParameterizedTest
    @CsvSource({
        "POST, /whitelists",
        "PUT, /whitelists",
        "DELETE, /whitelists/explain",
        "PATCH, /whitelists/friends/entries/alice@example.com",
        "POST, /whitelists/friends/entries/alice@example.com",
        "POST, /whitelists/friends/entries",
        "PUT, /whitelists/friends/entries/alice@example.com/history",
        "DELETE, /whitelists/friends/for/bob@tenant.example",
        "PUT, /whitelists/for/bob@tenant.example",
        "POST, /whitelists/for/bob@tenant.example"
    })
    void shouldRefuseOtherMethods(String verb, String path) throws Exception {
        assertError(server.send(verb, path, "{}"), 404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/whitelists/",
                "/whitelists/friends",
                "/whitelists/friends/",
                "/whitelists/friends/entries/alice@example.com/",
                "/whitelists/friends/entries/alice@example.com/for",
                "/whitelists/friends/entries/a/b@example.com",
                "/whitelists/friends/entries/",
                "/whitelists/friends/entries/alice@example.com/for/",
                "/whitelists/enemies/entries/alice@example.com",
                "/whitelists/Friends/entries/alice@example.com",
                "/whitelists/%3Cscript%3E/entries/alice@example.com",
                "/whitelists/friends/../friends/entries/alice@example.com"
            })
    void shouldNotFindOtherPaths(String path) throws Exception {
        assertError(server.send("PUT", path, "{}"), 404);
        assertError(server.send("GET", path), 404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/whitelists/for/@tenant.example",
                "/whitelists/for/@.tenant.example",
                "/whitelists/for/bob@tenant.example?origin=user",
                "/whitelists/for/bob@tenant.example?list=friends"
            })
    void shouldRefuseUsersWhoAreNone(String path) throws Exception {
        assertError(server.send("GET", path), 400);
        assertError(server.send("DELETE", path), 400);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PUT", "PATCH", "DELETE"})
    void shouldReloadByPostOnly(String verb) throws Exception {
        assertError(server.send(verb, "/whitelists/friends/reload", "{}"), 404);
    }

    @Test
    void shouldReloadNoUnknownList() throws Exception {
        for (String name : new String[] {"enemies", "for", "%3Cscript%3E", "a%0Ab", "%20", ""}) {
            HttpResponse<String> answer = server.send("POST", "/whitelists/" + name + "/reload");
            assertThat(answer.statusCode()).as(name).isIn(400, 404);
            assertThat(answer.body()).doesNotContain("\n", "Exception");
        }
        assertError(server.send("POST", "/whitelists/enemies/reload"), 404);
        assertError(server.send("POST", "/whitelists/friends/reload?x=1"), 400);
    }

    @Test
    void shouldNameTheListsWhenThereIsNoneOfTheName() throws Exception {
        assertThat(server.send("PUT", "/whitelists/x/entries/@example.com", "{}").body())
                .contains("'x'; open are: friends");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?limit=1&limit=2",
                "?limitt=1",
                "?sender=alice@example.com",
                "?limit=1&",
                "?after=alice+tag@example.com",
                "?limit=%",
                "?limit=1&prefix=a%C3"
            })
    void shouldRefuseQueriesWithMistakes(String query) throws Exception {
        assertThat(server.sendRaw("GET " + ENTRIES + query)).startsWith("HTTP/1.1 400");
    }

    @Test
    void shouldRefuseUnknownOrigins() throws Exception {
        assertError(server.send("DELETE", ALICE + "?origin=root"), 400);
        assertError(server.send("DELETE", ALICE + "?orgin=user"), 400);
        assertError(server.send("PUT", ALICE + "?origin=user", "{}"), 400);
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
    @ValueSource(
            strings = {
                "GET " + ENTRIES + "/100%@example.com",
                "GET " + ENTRIES + "/%zz@example.com",
                "GET " + ENTRIES + "/a%2",
                "GET " + ENTRIES + "/a b@example.com",
                "GET " + ENTRIES + "/\u0001@example.com",
                "GET " + ENTRIES + "/%00@example.com",
                "PUT " + ALICE,
                "PUT " + ALICE + "?%",
                "PATCH " + ENTRIES,
                "BREW " + ALICE,
                "HEAD " + ENTRIES + "/jürgen@example.com"
            })
    void shouldRefuseMalformedRequests(String start) throws Exception {
        assertThat(server.sendRaw(start))
                .matches("(?s)HTTP/1.1 4\\d\\d .*")
                .doesNotContain("Exception", "\tat ");
    }
}
