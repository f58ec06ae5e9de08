package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.MemoryRecord;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Asks a real server over HTTP, as administrators do. */
class WhitelistRoutesTest {
    private static final String ALICE = "/whitelists/friends/entries/alice@example.com";
    private static final String FOR_BOB = ALICE + "/for/bob@tenant.example";

    private final WebAdmin server = new WebAdmin();
    private final MemoryRecord friends = server.open("friends");

    @BeforeEach
    void openAnotherList() {
        server.open("partners");
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private HttpResponse<String> send(String verb, String path)
            throws IOException, InterruptedException {
        return server.send(verb, path);
    }

    private void put(String path, String body) throws IOException, InterruptedException {
        assertThat(server.send("PUT", path, body).statusCode()).isIn(201, 204);
    }

    @Test
    void shouldReportTheStateOfLists() throws Exception {
        MemoryRecord table = new MemoryRecord(new Random(1));
        table.create();
        table.write(
                List.of(
                        Edit.put(Lines.entry("alice@example.com")),
                        Edit.put(Lines.entry("@example.org"))),
                "admin",
                false);
        server.open("begun", table);
        put("/whitelists/begun/entries/bob@example.com", "{}");

        HttpResponse<String> answer = send("GET", "/whitelists");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/json");
        JsonNode lists = new ObjectMapper().readTree(answer.body()).get("lists");
        assertThat(lists.findValuesAsText("name")).containsExactly("begun", "friends", "partners");
        JsonNode begun = lists.get(0);
        assertThat(begun.get("entries").asInt()).isEqualTo(3);
        assertThat(begun.get("changes").asInt()).isEqualTo(1);
        assertThat(begun.get("behind").asBoolean()).isFalse();
        assertThat(begun.get("degraded").asBoolean()).isFalse();
        assertThat(begun.get("asOf").asText()).matches("20[0-9-]+T[0-9:.]+Z");
        assertThat(begun.get("problem").isNull()).isTrue();

        friends.away = "the table is away";
        String problem = "\"problem\":\"the changes cannot be read: the table is away\"}";
        await().atMost(Duration.ofSeconds(20))
                .until(() -> send("GET", "/whitelists").body().contains(problem));
    }

    @Test
    void shouldReadTheWholeTableAgain() throws Exception {
        put(ALICE, "{}");

        HttpResponse<String> answer = send("POST", "/whitelists/friends/reload");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .matches(
                        "\\{\"list\":\"friends\",\"reloaded\":true,\"entries\":1,"
                                + "\"built\":\"20[0-9-]+T[0-9:.]+Z\",\"problem\":null}");
        friends.away = "no space left";
        assertThat(send("POST", "/whitelists/friends/reload").body())
                .startsWith("{\"list\":\"friends\",\"reloaded\":false,\"entries\":1,")
                .endsWith(",\"problem\":\"no space left\"}");
    }

    /**
     * Of such a body, nobody knows the length before. In James 3.8, the log of requests eats it.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "X-Logged; {\"statusCode\":400,; a body in chunks",
                "X-Other; {\"put\":1,\"unchanged\":0,\"kept\":0,\"bad\":0,; \"lost\":[]"
            })
    void shouldTakeABodyInChunksOrSayThatItIsLost(String header, String start, String end)
            throws Exception {
        byte[] list = ("#" + "x".repeat(200_000) + "\nalice@example.com\n").getBytes(UTF_8);
        HttpRequest request =
                HttpRequest.newBuilder(
                                URI.create(
                                        "http://127.0.0.1:"
                                                + server.port()
                                                + "/whitelists/friends/entries"))
                        .headers(header, "yes", "Content-Type", "text/plain")
                        .method(
                                "PATCH",
                                BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(list)))
                        .build();
        try (HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            assertThat(client.send(request, BodyHandlers.ofString()).body())
                    .startsWith(start)
                    .contains(end);
        }
    }

    @Test
    void shouldPutAnEntryWithoutConditions() throws Exception {
        HttpResponse<String> created = server.send("PUT", ALICE, "{}");

        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.headers().firstValue("Content-Location")).contains(ALICE);
        assertThat(created.body())
                .isEqualTo(
                        "{\"lines\":[{\"key\":\"alice@example.com\",\"for\":null,"
                                + "\"origin\":\"admin\",\"line\":\"alice@example.com\"}]}");
        assertThat(send("GET", ALICE).body()).isEqualTo(created.body());
        assertThat(server.send("PUT", ALICE, "{}").statusCode()).isEqualTo(204);
    }

    @Test
    void shouldPutAllConditions() throws Exception {
        put(
                ALICE,
                "{\"from\":\"2027-01-01\",\"until\":\"2027-01-31\",\"auth\":\"dkim\",\"note\":\"said"
                    + " \\\"yes\\\" #1 to=x\",\"origin\":\"admin\",\"denied\":false}");

        assertThat(send("GET", ALICE).body())
                .contains(
                        "\"line\":\"alice@example.com from=2027-01-01 until=2027-01-31 auth=dkim"
                                + " note=said \\\"yes\\\" #1 to=x\"");
    }

    @Test
    void shouldReplaceWhatTheOriginHad() throws Exception {
        put(ALICE, "{\"note\":\"old\"}");

        HttpResponse<String> replaced = server.send("PUT", ALICE, "{\"denied\":true}");

        assertThat(replaced.statusCode()).isEqualTo(200);
        assertThat(replaced.body())
                .isEqualTo(
                        "{\"lines\":[{\"key\":\"alice@example.com\",\"for\":null,"
                                + "\"origin\":\"admin\",\"line\":\"!alice@example.com\"}],"
                                + "\"replaced\":[{\"key\":\"alice@example.com\",\"for\":null,"
                                + "\"origin\":\"admin\",\"line\":\"alice@example.com note=old\"}],"
                                + "\"lost\":[]}");
        assertThat(send("GET", ALICE).body())
                .contains("\"line\":\"!alice@example.com\"")
                .doesNotContain("old");
        HttpResponse<String> again = server.send("PUT", ALICE, "{\"denied\":true}");
        assertThat(again.statusCode()).isEqualTo(204);
        assertThat(again.body()).isEmpty();
        assertThat(server.send("PUT", ALICE, "{}").body())
                .contains(
                        "\"lost\":[\"'!alice@example.com' was replaced by 'alice@example.com'\"]");
    }

    @Test
    void shouldSayWhichConditionsAreTakenAway() throws Exception {
        put(FOR_BOB, "{\"until\":\"2037-01-31\",\"auth\":\"dkim\"}");

        String body = server.send("PUT", FOR_BOB, "{\"note\":\"auth=dkim\"}").body();

        assertThat(body)
                .contains(
                        "\"lost\":[\"alice@example.com: auth=dkim was taken away: its sender needs"
                                + " no confirmation of this entry's own\",\"alice@example.com:"
                                + " until=2037-01-31 was taken away: it does not end any more\"]");
    }

    @Test
    void shouldTakeNullAndEmptyNotesForNothing() throws Exception {
        put(ALICE, "{\"until\":null,\"note\":\"\"}");

        assertThat(send("GET", ALICE).body()).contains("\"line\":\"alice@example.com\"");
    }

    @Test
    void shouldReportAListPageByPage() throws Exception {
        for (String sender : List.of("a", "b", "c")) {
            put("/whitelists/friends/entries/" + sender + "@example.com", "{}");
            put("/whitelists/friends/entries/" + sender + "@example.com/for/x@here.org", "{}");
        }
        String pages = "/whitelists/friends/entries";
        List<String> told = new ArrayList<>();
        String query = "?limit=4";
        for (int page = 0; page < 2; page++) {
            String body = send("GET", pages + query).body();
            Matcher line = Pattern.compile("\"line\":\"([^\"]+)\"").matcher(body);
            line.results().forEach(found -> told.add(found.group(1)));
            Matcher next = Pattern.compile("\"next\":(?:null|\"([\\w-]+)\")}").matcher(body);
            assertThat(next.find()).as(body).isTrue();
            assertThat(next.group(1) == null).isEqualTo(page == 1);
            query = "?after=" + next.group(1) + "&limit=10000";
        }

        assertThat(told)
                .containsExactly(
                        "a@example.com",
                        "a@example.com to=x@here.org",
                        "b@example.com",
                        "b@example.com to=x@here.org",
                        "c@example.com",
                        "c@example.com to=x@here.org");
        assertThat(send("GET", "/whitelists/partners/entries").body())
                .isEqualTo("{\"lines\":[],\"next\":null}");
    }

    @ParameterizedTest
    @CsvSource({
        "al, al@z.example ali@b.example alice@a.example alice@b.example alice@b.example.org"
                + " alm@a.example",
        "ALI, ali@b.example alice@a.example alice@b.example alice@b.example.org",
        "alice@, alice@a.example alice@b.example alice@b.example.org",
        "alice@b.example, alice@b.example alice@b.example.org",
        "@, @.a.example @a.example @b.example",
        "@a, @a.example",
        "@.a.example, @.a.example",
        "jür, jürgen@example.com",
        "alice@c, ''",
        "%00, ''",
        "zz, ''"
    })
    void shouldFindSendersByTheirBeginning(String prefix, String found) throws Exception {
        for (String sender :
                ("@a.example @.a.example @b.example al@z.example ali@b.example alice@a.example"
                                + " alice@b.example alice@b.example.org alm@a.example"
                                + " bob@a.example j%C3%BCrgen@example.com")
                        .split(" ", -1)) {
            put("/whitelists/friends/entries/" + sender, "{}");
        }
        List<String> told = new ArrayList<>();
        String query = "?limit=2&prefix=" + prefix.replace("ü", "%C3%BC");
        String after = "";
        while (after != null) {
            String body = send("GET", "/whitelists/friends/entries" + query + after).body();
            Matcher line = Pattern.compile("\"line\":\"([^\"]+)\"").matcher(body);
            line.results().forEach(each -> told.add(each.group(1)));
            Matcher next = Pattern.compile("\"next\":(?:null|\"([\\w-]+)\")}").matcher(body);
            assertThat(next.find()).as(body).isTrue();
            after = next.group(1) == null ? null : "&after=" + next.group(1);
        }

        assertThat(String.join(" ", told)).isEqualTo(found);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "prefix=ali&sender=a@example.com",
                "prefix=bob&after=YWxpY2VAZXhhbXBsZS5jb20",
                "limit=0",
                "limit=10001",
                "limit=x",
                "limit=",
                "after=",
                "after=%00",
                "after=IyBubw",
                "sender=a@example.com&limit=5",
                "for=a@example.com",
                "sender=a@example.com&after=x"
            })
    void shouldRefusePagesThatCannotBe(String query) throws Exception {
        HttpResponse<String> answer = send("GET", "/whitelists/friends/entries?" + query);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(answer.body()).contains("InvalidArgument");
    }

    @Test
    void shouldPutSeveralLines() throws Exception {
        put(
                ALICE,
                "{\"lines\":[\"alice@example.com until=2027-01-31\",\"!Alice@EXAMPLE.com"
                        + " from=2028-01-01\"]}");

        assertThat(send("GET", ALICE).body())
                .contains("\"line\":\"!alice@example.com from=2028-01-01\"")
                .contains("\"line\":\"alice@example.com until=2027-01-31\"");
    }

    @Test
    void shouldKeepOriginsApart() throws Exception {
        put(FOR_BOB, "{}");
        put(FOR_BOB, "{\"origin\":\"user\",\"denied\":true}");
        put(FOR_BOB, "{\"origin\":\"learned\"}");

        assertThat(send("GET", FOR_BOB).body())
                .contains("\"origin\":\"admin\"", "\"origin\":\"user\"", "\"origin\":\"learned\"")
                .contains("\"for\":\"bob@tenant.example\"");

        send("DELETE", FOR_BOB + "?origin=user");

        assertThat(send("GET", FOR_BOB).body())
                .contains("\"origin\":\"admin\"", "\"origin\":\"learned\"")
                .doesNotContain("\"origin\":\"user\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "alice@example.com",
                "@example.com/for/bob@tenant.example",
                "alice@example.com/for/@tenant.example"
            })
    void shouldRefuseUsersEntriesForMoreThanOneRecipient(String path) throws Exception {
        HttpResponse<String> answer =
                server.send("PUT", "/whitelists/friends/entries/" + path, "{\"origin\":\"user\"}");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("origin=user needs the whole address");
    }

    @Test
    void shouldReportWhetherAnEntryIsThere() throws Exception {
        assertThat(send("HEAD", ALICE).statusCode()).isEqualTo(404);
        assertThat(send("GET", ALICE).statusCode()).isEqualTo(404);

        put(ALICE, "{}");

        assertThat(send("HEAD", ALICE).statusCode()).isEqualTo(204);
        assertThat(send("HEAD", FOR_BOB).statusCode()).isEqualTo(404);
    }

    @Test
    void shouldReportThatThereAreEntriesForSomeRecipients() throws Exception {
        put(FOR_BOB, "{}");

        HttpResponse<String> answer = send("GET", ALICE);

        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("entries of this sender for some recipients");
    }

    @Test
    void shouldRemoveAnEntry() throws Exception {
        put(ALICE, "{}");

        HttpResponse<String> answer = send("DELETE", ALICE);

        assertThat(answer.statusCode()).isEqualTo(204);
        assertThat(send("GET", ALICE).statusCode()).isEqualTo(404);
        assertThat(send("DELETE", ALICE).statusCode()).isEqualTo(204);
    }

    @Test
    void shouldReportWhoStillListsARemovedSender() throws Exception {
        put(ALICE, "{}");
        put("/whitelists/partners/entries/@example.com", "{\"auth\":\"dkim\"}");

        HttpResponse<String> answer = send("DELETE", ALICE);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .isEqualTo(
                        "{\"stillListedBy\":[{\"list\":\"partners\",\"lines\":[{"
                                + "\"key\":\"@example.com\",\"for\":null,\"origin\":\"admin\","
                                + "\"line\":\"@example.com auth=dkim\"}]}]}");
    }

    @Test
    void shouldNotTellOfListingsThatADenialOverrules() throws Exception {
        put(FOR_BOB, "{\"origin\":\"user\"}");
        put("/whitelists/partners/entries/@example.com", "{\"denied\":true}");
        put(ALICE, "{\"until\":\"2020-01-01\"}");

        assertThat(send("DELETE", FOR_BOB).statusCode()).isEqualTo(204);
        assertThat(send("GET", FOR_BOB).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({"@example.com, @.com", "@.mail.example.com, @.example.com"})
    void shouldReportWhoStillListsADomain(String removed, String wider) throws Exception {
        put("/whitelists/friends/entries/" + removed, "{}");
        put("/whitelists/partners/entries/" + wider, "{}");

        HttpResponse<String> answer = send("DELETE", "/whitelists/friends/entries/" + removed);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).contains("\"list\":\"partners\"", "\"line\":\"" + wider + "\"");
    }

    @Test
    void shouldReportTheEntriesForARecipient() throws Exception {
        put(FOR_BOB, "{}");
        put("/whitelists/friends/entries/carol@example.org/for/bob@tenant.example", "{}");
        put("/whitelists/friends/entries/dave@example.org/for/@tenant.example", "{}");

        assertThat(send("GET", "/whitelists/friends/for/bob@tenant.example").body())
                .contains("alice@example.com to=bob", "carol@example.org to=bob", "\"more\":false")
                .doesNotContain("dave");
        assertThat(send("GET", "/whitelists/friends/for/@tenant.example").body())
                .contains("dave@example.org to=@tenant.example");
        assertThat(send("GET", "/whitelists/friends/for/nobody@tenant.example").body())
                .isEqualTo("{\"lines\":[],\"more\":false}");
    }

    @Test
    void shouldReportAllThatIsKeptOfAUser() throws Exception {
        put(FOR_BOB, "{\"origin\":\"user\",\"note\":\"mine\"}");
        put(FOR_BOB, "{\"origin\":\"learned\"}");
        put("/whitelists/partners/entries/@example.org/for/bob@tenant.example", "{}");
        put("/whitelists/partners/entries/dave@example.org/for/@tenant.example", "{}");
        put("/whitelists/partners/entries/dave@example.org/for/carol@tenant.example", "{}");

        HttpResponse<String> answer = send("GET", "/whitelists/for/BOB@Tenant.example");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .isEqualTo(
                        "{\"user\":\"bob@tenant.example\",\"lists\":[{\"list\":\"friends\","
                            + "\"lines\":[{\"key\":\"alice@example.com\","
                            + "\"for\":\"bob@tenant.example\",\"origin\":\"user\",\"line\":\"alice@example.com"
                            + " to=bob@tenant.example origin=user note=mine\"},"
                            + "{\"key\":\"alice@example.com\",\"for\":\"bob@tenant.example\","
                            + "\"origin\":\"learned\",\"line\":\"alice@example.com"
                            + " to=bob@tenant.example origin=learned\"}]},"
                            + "{\"list\":\"partners\",\"lines\":[{\"key\":\"@example.org\","
                            + "\"for\":\"bob@tenant.example\",\"origin\":\"admin\",\"line\":\"@example.org"
                            + " to=bob@tenant.example\"}]}]}");
        assertThat(send("GET", "/whitelists/for/nobody@tenant.example").body())
                .isEqualTo(
                        "{\"user\":\"nobody@tenant.example\",\"lists\":["
                                + "{\"list\":\"friends\",\"lines\":[]},"
                                + "{\"list\":\"partners\",\"lines\":[]}]}");
    }

    @Test
    void shouldReportAUserWithoutLimit() throws Exception {
        Key bob = SmallLists.address("bob@tenant.example").key();
        for (int i = 0; i < 10_050; i++) {
            Key sender = SmallLists.address("s" + i + "@example.com").key();
            friends.write(
                    List.of(Edit.put(new Entry(sender, bob, List.of(Rule.LISTS)))), "test", false);
        }

        String body = send("GET", "/whitelists/for/bob@tenant.example").body();

        assertThat(body.split("\"line\":", -1)).hasSize(10_051);
    }

    @Test
    void shouldRemoveAllThatIsKeptOfAUser() throws Exception {
        put(ALICE, "{}");
        put(FOR_BOB, "{\"origin\":\"user\"}");
        put(FOR_BOB, "{\"origin\":\"learned\"}");
        put("/whitelists/partners/entries/@example.org/for/bob@tenant.example", "{}");
        put(ALICE + "/for/carol@tenant.example", "{}");
        String question =
                "/whitelists/explain?sender=alice@example.com&recipient=bob@tenant.example";
        assertThat(send("GET", question).body()).contains("origin=user");

        HttpResponse<String> removed = send("DELETE", "/whitelists/for/Bob@tenant.example");

        assertThat(removed.statusCode()).isEqualTo(200);
        assertThat(removed.body())
                .isEqualTo(
                        "{\"user\":\"bob@tenant.example\",\"removed\":["
                                + "{\"list\":\"friends\",\"entries\":2,\"changes\":4},"
                                + "{\"list\":\"partners\",\"entries\":1,\"changes\":2}]}");
        assertThat(send("GET", FOR_BOB).statusCode()).isEqualTo(404);
        assertThat(send("GET", question).body())
                .contains("\"verdict\":\"listed\"")
                .doesNotContain("origin=");
        assertThat(send("GET", ALICE + "/history").body())
                .contains("\"key\":\"alice@example.com\"", "to=carol@tenant.example")
                .doesNotContain("bob@tenant.example");
        HttpResponse<String> again = send("DELETE", "/whitelists/for/bob@tenant.example");
        assertThat(again.statusCode()).isEqualTo(204);
        assertThat(again.body()).isEmpty();
        assertThat(send("HEAD", ALICE).statusCode()).isEqualTo(204);
    }

    /** What is left out of an answer would be taken for not being there. */
    @Test
    void shouldNotTellAPartOfWhatIsKeptOfAUser() throws Exception {
        put("/whitelists/partners/entries/@example.org/for/bob@tenant.example", "{}");
        friends.away = "no space left";

        for (String verb : List.of("GET", "DELETE")) {
            HttpResponse<String> answer = send(verb, "/whitelists/for/bob@tenant.example");

            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.body()).contains("no space left");
        }
        friends.away = null;
        assertThat(send("GET", "/whitelists/for/bob@tenant.example").body())
                .doesNotContain("example.org");
        assertThat(send("DELETE", "/whitelists/for/bob@tenant.example").statusCode())
                .isEqualTo(204);
    }

    @Test
    void shouldReportTheHistoryOfASender() throws Exception {
        server.send("PUT", ALICE, "{\"note\":\"first\"}", "X-Login", "root@example.net");
        send("DELETE", ALICE);

        HttpResponse<String> answer = send("GET", ALICE + "/history");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .containsSubsequence(
                        "\"who\":\"webadmin 127.0.0.1\"",
                        "\"origin\":\"admin\",\"key\":\"alice@example.com\",\"lines\":[]",
                        "\"who\":\"root@example.net\"",
                        "\"lines\":[\"alice@example.com note=first\"]");
        assertThat(send("GET", "/whitelists/friends/entries/bob@example.com/history").body())
                .isEqualTo("{\"changes\":[]}");
    }

    @Test
    void shouldExplainADecision() throws Exception {
        put(FOR_BOB, "{}");

        String listed =
                send(
                                "GET",
                                "/whitelists/explain?sender=alice@example.com"
                                        + "&recipient=bob@tenant.example")
                        .body();
        String stranger = send("GET", "/whitelists/explain?sender=alice@example.com").body();

        assertThat(listed)
                .contains("\"verdict\":\"listed\",\"reason\":\"listed\"")
                .contains("\"entry\":\"alice@example.com to=bob@tenant.example\"")
                .contains("\"lists\":[\"friends\",\"partners\"]")
                .contains("verdict for bob@tenant.example: listed");
        assertThat(stranger).contains("\"verdict\":\"not-listed\",\"reason\":\"stranger\"");
        assertThat(send("GET", "/whitelists/explain?sender=").body()).contains("null-sender");
        assertThat(send("GET", "/whitelists/explain").statusCode()).isEqualTo(400);
        assertThat(send("GET", "/whitelists/explain?sender=a@b.example&recipient=@b").statusCode())
                .isEqualTo(400);
        assertThat(
                        send(
                                        "GET",
                                        "/whitelists/explain?sender=a@b.example"
                                                + "&recipient=a@b.example&recipient=c@b.example")
                                .statusCode())
                .isEqualTo(400);
        for (String recipients :
                List.of(
                        "recipient=bob@tenant.example,carol@tenant.example",
                        "recipient=bob@tenant.example%2Ccarol@tenant.example")) {
            assertThat(
                            send(
                                            "GET",
                                            "/whitelists/explain?sender=alice@example.com&"
                                                    + recipients)
                                    .body())
                    .containsSubsequence(
                            "{\"as\":\"all\",\"lists\":[",
                            "\"recipient\":\"bob@tenant.example\",\"verdict\":\"listed\",",
                            "\"countsAsListed\":true",
                            "\"recipient\":\"carol@tenant.example\",\"verdict\":\"not-listed\",",
                            "\"countsAsListed\":false",
                            "verdict for bob@tenant.example: listed",
                            "verdict for carol@tenant.example: not listed, stranger");
        }
    }

    @Test
    void shouldRefuseToExplainWhatIsNotUnderstood() throws Exception {
        String question = "/whitelists/explain?sender=alice@example.com";
        assertThat(send("GET", question + "&as=all").statusCode()).isEqualTo(200);
        HttpResponse<String> nobody = send("GET", question + "&as=most");
        assertThat(nobody.statusCode()).isEqualTo(404);
        assertThat(nobody.body()).contains("as='most'; allowed: all");
        HttpResponse<String> unclear = send("GET", question + "&confirmed=spf,luck");
        assertThat(unclear.statusCode()).isEqualTo(400);
        assertThat(unclear.body()).contains("confirmed='luck'; allowed: spf, dkim");
    }

    @Test
    void shouldPutATextList() throws Exception {
        put(ALICE, "{}");

        HttpResponse<String> answer =
                server.send(
                        "PATCH",
                        "/whitelists/friends/entries",
                        """
                        # friends\r
                        alice@example.com\r
                        bob@example.com until=2027-01-31
                        not an address
                        bob@example.com auth=dkim # twice

                        carol@example.com to=bob@tenant.example origin=user\
                        """,
                        "Content-Type",
                        "text/plain");

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body())
                .startsWith(
                        "{\"put\":2,\"unchanged\":1,\"kept\":0,\"bad\":1,\"complaints\":[{\"line\":4,")
                .contains("unexpected 'an'");
        assertThat(send("GET", "/whitelists/friends/entries/bob@example.com").body())
                .contains("bob@example.com until=2027-01-31", "bob@example.com auth=dkim");
    }

    /** Else a nightly address book would undo a user's denials. */
    @Test
    void shouldKeepADenialThatATextListWouldReplace() throws Exception {
        put(ALICE, "{\"denied\":true,\"note\":\"spam\"}");
        put("/whitelists/friends/entries/bob@example.com", "{\"auth\":\"dkim\"}");
        String list = "bob@example.com\nalice@example.com\n!carol@example.com\n";
        String entries = "/whitelists/friends/entries";

        HttpResponse<String> answer = server.send("PATCH", entries, list);

        assertThat(answer.body())
                .isEqualTo(
                        "{\"put\":2,\"unchanged\":0,\"kept\":1,\"bad\":0,\"complaints\":[{\"line\":2,\"reason\":\"'!alice@example.com"
                            + " note=spam' stays, 'alice@example.com' was not added; to add it,"
                            + " send ?replaceDenials=true\"}],\"lost\":[\"bob@example.com:"
                            + " auth=dkim was taken away: its sender needs no confirmation of this"
                            + " entry's own\"]}");
        assertThat(send("GET", ALICE).body()).contains("!alice@example.com note=spam");
        assertThat(server.send("PATCH", entries + "?replaceDenials=false", list).body())
                .startsWith("{\"put\":0,\"unchanged\":2,\"kept\":1,");
        assertThat(server.send("PATCH", entries + "?replaceDenials=true", list).body())
                .startsWith("{\"put\":1,\"unchanged\":2,\"kept\":0,")
                .contains(
                        "\"lost\":[\"'!alice@example.com note=spam' was replaced by"
                                + " 'alice@example.com'\"]");
        assertThat(send("GET", ALICE).body()).contains("\"line\":\"alice@example.com\"");
        assertThat(server.send("PATCH", entries + "?replaceDenials=yes", list).statusCode())
                .isEqualTo(400);
    }

    /** Of another origin, an entry is added beside the denial, which decides as before. */
    @Test
    void shouldAddATextListBesideTheDenialsOfOthers() throws Exception {
        put(FOR_BOB, "{\"origin\":\"user\",\"denied\":true}");
        put(FOR_BOB.replace("bob@", "carol@"), "{\"denied\":true}");
        String line = "alice@example.com to=bob@tenant.example";

        assertThat(server.send("PATCH", "/whitelists/friends/entries", line).body())
                .startsWith("{\"put\":1,\"unchanged\":0,\"kept\":0,\"bad\":0,");
        assertThat(send("GET", FOR_BOB).body())
                .contains("\"origin\":\"admin\"", "\"!alice@example.com to=bob");
    }

    @Test
    void shouldReportHowFarATextListCame() throws Exception {
        friends.away = "no space left";

        HttpResponse<String> answer =
                server.send("PATCH", "/whitelists/friends/entries", "\nalice@example.com");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body())
                .contains("at the entries from line 2 on, after 0 entries", "no space left");
    }

    @Test
    void shouldTakeHardAddressesInTheQuery() throws Exception {
        String hard =
                "/whitelists/friends/entries?sender=%22a/b%20%25%22@example.com"
                        + "&for=bob%2Bx@tenant.example";
        HttpResponse<String> created = server.send("PUT", hard, "{}");

        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.body()).contains("\"for\":\"bob+x@tenant.example\"");
        assertThat(send("HEAD", hard).statusCode()).isEqualTo(204);
        assertThat(send("GET", hard).body()).isEqualTo(created.body());
        assertThat(send("DELETE", hard).statusCode()).isEqualTo(204);
        assertThat(send("HEAD", hard).statusCode()).isEqualTo(404);
    }

    @Test
    void shouldReportThatTheDatabaseFails() throws Exception {
        friends.away = "connection refused\nat line two";

        for (String verb : new String[] {"GET", "PUT", "DELETE"}) {
            HttpResponse<String> answer = server.send(verb, ALICE, "{}");

            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(answer.body())
                    .contains("\"statusCode\":503,\"type\":\"ServerError\"")
                    .contains("connection refused\\\\u000aat line two");
        }
        assertThat(send("GET", "/whitelists").statusCode()).isEqualTo(200);
    }

    @Test
    void shouldReportThatARemovedSenderCannotBeAskedFor() throws Exception {
        MemoryRecord broken = new MemoryRecord(new Random(1));
        broken.away = "down";
        server.open("broken", broken);
        put(ALICE, "{}");

        HttpResponse<String> answer = send("DELETE", ALICE);

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.body()).contains("the entry is gone, but");
        assertThat(send("HEAD", ALICE).statusCode()).isEqualTo(404);
    }

    @Test
    void shouldReportThatAListIsClosed() throws Exception {
        Objects.requireNonNull(server.living("friends")).close();

        assertThat(server.send("PUT", ALICE, "{}").statusCode()).isEqualTo(503);
        assertThat(send("DELETE", ALICE).statusCode()).isEqualTo(503);
    }
}
