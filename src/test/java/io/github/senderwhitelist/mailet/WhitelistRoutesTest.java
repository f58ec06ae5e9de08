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
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;

/** Asks a real server over HTTP, as administrators do. JSON has single quotes here. */
class WhitelistRoutesTest {
    private static final String ENTRIES = "/whitelists/friends/entries";
    private static final String ALICE = ENTRIES + "/alice@example.com";
    private static final String FOR_BOB = ALICE + "/for/bob@tenant.example";
    private static final String FOR = "alice@example.com to=bob@tenant.example";
    private static final String BOB = "/whitelists/for/bob@tenant.example";
    private static final String EXPLAIN = "/whitelists/explain?sender=";

    private static final ObjectMapper JSON = new ObjectMapper();

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

    private HttpResponse<String> send(String verb, String path, String body) throws Exception {
        return server.send(verb, path, body.replace('\'', '"'));
    }

    /** Returns the body of an answer, which must have this status. */
    private String ask(int status, String verb, String path, String body) throws Exception {
        HttpResponse<String> answer = send(verb, path, body);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        return answer.body().replace('"', '\'');
    }

    private String ask(int status, String verb, String path) throws Exception {
        return ask(status, verb, path, "");
    }

    private String get(String path) throws Exception {
        return ask(200, "GET", path);
    }

    private void put(String path, String body) throws Exception {
        assertThat(send("PUT", path, body).statusCode()).isIn(201, 204);
    }

    @Test
    void shouldReportTheStateOfLists() throws Exception {
        MemoryRecord table = new MemoryRecord(new Random(1));
        table.create();
        table.write(
                List.of(
                        Edit.put(Lines.entry("alice@example.com")),
                        Edit.put(Lines.entry("@example.org"))),
                "admin");
        server.open("begun", table);
        put("/whitelists/begun/entries/bob@example.com", "{}");

        String lists = get("/whitelists");
        assertThat(lists)
                .startsWith("{'lists':[{'name':'begun',")
                .containsSubsequence("'name':'friends'", "'name':'partners'");
        assertThat(lists.substring(0, lists.indexOf('}')))
                .contains("'entries':3,", "'changes':1,", "'behind':false", "'degraded':false")
                .containsPattern("'asOf':'20[0-9-]+T[0-9:.]+Z'")
                .endsWith("'problem':null");
        friends.away = "the table is away";
        await().atMost(Duration.ofSeconds(20))
                .until(
                        () ->
                                get("/whitelists")
                                        .contains(
                                                "'problem':'the changes cannot be read: the table"
                                                        + " is away'}"));
    }

    @Test
    void shouldReadTheWholeTableAgain() throws Exception {
        put(ALICE, "{}");
        assertThat(ask(204, "POST", "/whitelists/friends/reload")).isEmpty();
        friends.away = "no space left";
        assertThat(ask(503, "POST", "/whitelists/friends/reload"))
                .contains("'details':'no space left'");
    }

    /** Its file is read only when it stands still, or changed. */
    @Test
    void shouldReadAFileAgainOrSayWhyItIsNotTaken(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("base.txt"), "alice@example.com\n");
        SharedLists shared =
                TestLists.defined(
                        "<whitelists><whitelist name='base'><source>file://base.txt</source>"
                                + "<reloadInterval>1h</reloadInterval></whitelist></whitelists>");
        SenderWhitelist mailet = TestLists.mailet(folder, shared, "base");
        server.files().putAll(shared.files());
        FileList base = Objects.requireNonNull(shared.files().get("base"));
        String reload = "/whitelists/base/reload";
        try {
            Files.writeString(file, "alice@example.com\ndave@example.com\n");
            assertThat(ask(204, "POST", reload)).isEmpty();
            assertThat(base.status().header().entries()).isEqualTo(2);
            long before = base.status().done();
            ask(204, "POST", reload);
            assertThat(base.status().done()).isGreaterThan(before);
            Files.writeString(file, "no address\n");
            assertThat(ask(503, "POST", reload)).contains("base.txt");
            Files.delete(file);
            assertThat(ask(503, "POST", reload)).contains("no such file");
            assertThat(base.status().header().entries()).isEqualTo(2);
            assertThat(ask(404, "POST", "/whitelists/enemies/reload"))
                    .contains("'enemies'; open are: base, friends, partners");
        } finally {
            mailet.destroy();
        }
        assertThat(ask(503, "POST", reload)).contains("the list is closed");
    }

    /**
     * Of such a body, nobody knows the length before. In James 3.8, the log of requests eats it.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "X-Logged; {\"statusCode\":400,; a body in chunks",
                "X-Other; {\"put\":1,\"unchanged\":0,\"kept\":0,\"bad\":0,; \"complaints\":[]"
            })
    void shouldTakeABodyInChunksOrSayThatItIsLost(String header, String start, String end)
            throws Exception {
        byte[] list = ("#" + "x".repeat(200_000) + "\nalice@example.com\n").getBytes(UTF_8);
        HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + ENTRIES))
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
    void shouldPutFindAndRemoveAnEntry() throws Exception {
        ask(404, "GET", ALICE);
        ask(404, "HEAD", ALICE);
        HttpResponse<String> created = send("PUT", ALICE, "{}");
        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.headers().firstValue("Content-Type").orElse(""))
                .startsWith("application/json");
        assertThat(get(ALICE))
                .isEqualTo("{'lines':['alice@example.com']}")
                .isEqualTo(created.body().replace('"', '\''));
        ask(204, "HEAD", ALICE);
        ask(404, "HEAD", FOR_BOB);
        assertThat(ask(204, "PUT", ALICE, "{}")).isEmpty();
        ask(204, "DELETE", ALICE);
        ask(404, "GET", ALICE);
        ask(204, "DELETE", ALICE);
    }

    /** The body of a PUT, and a line that is there then. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{'from':'2027-01-01','until':'2027-01-31','auth':'dkim','note':'said #1 to=x',"
                        + "'origin':'admin','denied':false} | alice@example.com from=2027-01-01"
                        + " until=2027-01-31 auth=dkim note=said #1 to=x",
                "{'until':null,'note':'','denied':null} | alice@example.com",
                "{'denied':true,'from':'2028-01-01'} | !alice@example.com from=2028-01-01"
            })
    void shouldPutWhatTheBodySays(String body, String line) throws Exception {
        put(ALICE, body);
        assertThat(get(ALICE)).isEqualTo("{'lines':['" + line + "']}");
    }

    @Test
    void shouldReplaceWhatTheOriginHad() throws Exception {
        put(ALICE, "{'note':'old'}");
        assertThat(ask(200, "PUT", ALICE, "{'denied':true}"))
                .isEqualTo("{'lines':['!alice@example.com']}");
        assertThat(get(ALICE)).isEqualTo("{'lines':['!alice@example.com']}");
        assertThat(ask(204, "PUT", ALICE, "{'denied':true}")).isEmpty();
    }

    /** Returns the lines of all pages. */
    private String pages(String query) throws Exception {
        List<String> told = new ArrayList<>();
        String after = "";
        for (JsonNode next = JSON.getNodeFactory().textNode(""); !next.isNull(); ) {
            JsonNode page = JSON.readTree(get(ENTRIES + query + after).replace('\'', '"'));
            page.get("lines").forEach(line -> told.add(line.asText()));
            next = page.get("next");
            after = "&after=" + URLEncoder.encode(next.asText(), UTF_8);
        }
        return String.join(" ", told);
    }

    @Test
    void shouldReportAListPageByPage() throws Exception {
        for (String sender : List.of("a", "b", "c")) {
            put(ENTRIES + "/" + sender + "@example.com", "{}");
            put(ENTRIES + "/" + sender + "@example.com/for/x@here.org", "{}");
        }
        for (int limit : new int[] {1, 4, 6, 10_000}) {
            assertThat(pages("?limit=" + limit))
                    .isEqualTo(
                            "a@example.com a@example.com to=x@here.org b@example.com b@example.com"
                                    + " to=x@here.org c@example.com c@example.com to=x@here.org");
        }
        assertThat(get("/whitelists/partners/entries")).isEqualTo("{'lines':[],'next':null}");
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
            put(ENTRIES + "/" + sender, "{}");
        }
        assertThat(pages("?limit=2&prefix=" + prefix.replace("ü", "%C3%BC"))).isEqualTo(found);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "prefix=bob&after=alice@example.com",
                "limit=0",
                "limit=10001",
                "limit=x",
                "limit=",
                "after=",
                "after=%00",
                "after=!%23",
                "sender=a@example.com"
            })
    void shouldRefusePagesThatCannotBe(String query) throws Exception {
        assertThat(ask(400, "GET", ENTRIES + "?" + query)).contains("InvalidArgument");
    }

    @Test
    void shouldKeepOriginsApart() throws Exception {
        put(FOR_BOB, "{}");
        put(FOR_BOB, "{'origin':'user','denied':true}");
        put(FOR_BOB, "{'origin':'learned'}");
        assertThat(get(FOR_BOB))
                .isEqualTo("{'lines':['%s','!%s origin=user','%s origin=learned']}", FOR, FOR, FOR);
        assertThat(ask(404, "GET", ALICE)).contains("entries of this sender for some recipients");
        send("DELETE", FOR_BOB + "?origin=user", "");
        assertThat(get(FOR_BOB)).isEqualTo("{'lines':['%s','%s origin=learned']}", FOR, FOR);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "alice@example.com",
                "@example.com/for/bob@tenant.example",
                "alice@example.com/for/@tenant.example"
            })
    void shouldRefuseUsersEntriesForMoreThanOneRecipient(String path) throws Exception {
        assertThat(ask(400, "PUT", ENTRIES + "/" + path, "{'origin':'user'}"))
                .contains("origin=user needs the whole address");
    }

    @Test
    void shouldReportTheEntriesForARecipient() throws Exception {
        put(FOR_BOB, "{}");
        put(ENTRIES + "/carol@example.org/for/bob@tenant.example", "{}");
        put(ENTRIES + "/dave@example.org/for/@tenant.example", "{}");
        assertThat(get("/whitelists/friends/for/bob@tenant.example"))
                .contains("alice@example.com to=bob", "carol@example.org to=bob", "'more':false")
                .doesNotContain("dave");
        assertThat(get("/whitelists/friends/for/@tenant.example"))
                .contains("dave@example.org to=@tenant.example");
        assertThat(get("/whitelists/friends/for/nobody@tenant.example"))
                .isEqualTo("{'lines':[],'more':false}");
    }

    @Test
    void shouldReportAllThatIsKeptOfAUser() throws Exception {
        put(FOR_BOB, "{'origin':'user','note':'mine'}");
        put(FOR_BOB, "{'origin':'learned'}");
        put("/whitelists/partners/entries/@example.org/for/bob@tenant.example", "{}");
        put("/whitelists/partners/entries/dave@example.org/for/@tenant.example", "{}");
        put("/whitelists/partners/entries/dave@example.org/for/carol@tenant.example", "{}");
        assertThat(get("/whitelists/for/BOB@Tenant.example"))
                .isEqualTo(
                        "{'user':'bob@tenant.example','lists':[{'list':'friends','lines':['%s"
                                + " origin=user note=mine','%s"
                                + " origin=learned']},{'list':'partners','lines':['@example.org"
                                + " to=bob@tenant.example']}]}",
                        FOR, FOR);
        assertThat(get("/whitelists/for/nobody@tenant.example"))
                .contains("{'list':'friends','lines':[]}");
    }

    @Test
    void shouldReportAUserWithoutLimit() throws Exception {
        Key bob = SmallLists.address("bob@tenant.example").key();
        for (int i = 0; i < 10_050; i++) {
            Key sender = SmallLists.address("s" + i + "@example.com").key();
            friends.write(List.of(Edit.put(new Entry(sender, bob, List.of(Rule.LISTS)))), "test");
        }
        assertThat(get(BOB).split(" to=bob@", -1)).hasSize(10_051);
    }

    @Test
    void shouldRemoveAllThatIsKeptOfAUser() throws Exception {
        put(ALICE, "{}");
        put(FOR_BOB, "{'origin':'user'}");
        put(FOR_BOB, "{'origin':'learned'}");
        put("/whitelists/partners/entries/@example.org/for/bob@tenant.example", "{}");
        put(ALICE + "/for/carol@tenant.example", "{}");
        String question = EXPLAIN + "alice@example.com&recipient=bob@tenant.example";
        assertThat(get(question)).contains("origin=user");

        ask(204, "DELETE", BOB.replace("bob", "Bob"));
        ask(404, "GET", FOR_BOB);
        assertThat(get(question)).contains("'verdict':'listed'").doesNotContain("origin=");
        assertThat(get(ALICE + "/history"))
                .contains("'key':'alice@example.com'", "to=carol@tenant.example")
                .doesNotContain("bob@tenant.example");
        assertThat(ask(204, "DELETE", BOB)).isEmpty();
        ask(204, "HEAD", ALICE);
    }

    /** What is left out of an answer would be taken for not being there. */
    @Test
    void shouldNotTellAPartOfWhatIsKeptOfAUser() throws Exception {
        put("/whitelists/partners/entries/@example.org/for/bob@tenant.example", "{}");
        friends.away = "no space left";
        assertThat(ask(503, "GET", BOB)).contains("no space left");
        assertThat(ask(503, "DELETE", BOB)).contains("no space left");
        friends.away = null;
        assertThat(get(BOB)).doesNotContain("example.org");
        ask(204, "DELETE", BOB);
    }

    @Test
    void shouldReportTheHistoryOfASender() throws Exception {
        server.send("PUT", ALICE, "{\"note\":\"first\"}", "X-Login", "root@example.net");
        send("DELETE", ALICE, "");
        assertThat(get(ALICE + "/history"))
                .containsSubsequence(
                        "'who':'webadmin 127.0.0.1'",
                        "'origin':'admin','key':'alice@example.com','lines':[]",
                        "'who':'root@example.net'",
                        "'lines':['alice@example.com note=first']");
        assertThat(get(ENTRIES + "/bob@example.com/history")).isEqualTo("{'changes':[]}");
    }

    @Test
    void shouldExplainADecision() throws Exception {
        put(FOR_BOB, "{}");
        assertThat(get(EXPLAIN + "alice@example.com&recipient=bob@tenant.example"))
                .contains("'verdict':'listed','reason':'listed'")
                .contains("'entry':'alice@example.com to=bob@tenant.example'")
                .contains("'lists':['friends','partners']")
                .contains("verdict for bob@tenant.example: listed");
        assertThat(get(EXPLAIN + "alice@example.com"))
                .contains("'verdict':'not-listed','reason':'stranger'");
        assertThat(get(EXPLAIN)).contains("null-sender");
        for (String comma : List.of(",", "%2C")) {
            String both = "bob@tenant.example" + comma + "carol@tenant.example";
            assertThat(get(EXPLAIN + "alice@example.com&recipient=" + both))
                    .containsSubsequence(
                            "{'as':'all','lists':[",
                            "'recipient':'bob@tenant.example','verdict':'listed',",
                            "'countsAsListed':true",
                            "'recipient':'carol@tenant.example','verdict':'not-listed',",
                            "'countsAsListed':false",
                            "verdict for bob@tenant.example: listed",
                            "verdict for carol@tenant.example: not listed, stranger");
        }
    }

    @Test
    void shouldRefuseToExplainWhatIsNotUnderstood() throws Exception {
        ask(400, "GET", "/whitelists/explain");
        ask(400, "GET", EXPLAIN + "a@b.example&recipient=@b");
        ask(400, "GET", EXPLAIN + "a@b.example&recipient=a@b.example&recipient=c@b.example");
        get(EXPLAIN + "alice@example.com&as=all");
        assertThat(ask(404, "GET", EXPLAIN + "alice@example.com&as=most"))
                .contains("as='most'; allowed: all");
        assertThat(ask(400, "GET", EXPLAIN + "alice@example.com&confirmed=spf,luck"))
                .contains("confirmed='luck'; allowed: spf, dkim");
    }

    @Test
    void shouldPutATextList() throws Exception {
        put(ALICE, "{}");
        String list =
                """
                # friends\r
                alice@example.com\r
                bob@example.com until=2027-01-31
                not an address
                bob@example.com auth=dkim # twice

                carol@example.com to=bob@tenant.example origin=user\
                """;
        assertThat(ask(200, "PATCH", ENTRIES, list))
                .startsWith("{'put':2,'unchanged':1,'kept':0,'bad':1,'complaints':['line 4: ")
                .contains("unexpected 'an'");
        assertThat(get(ENTRIES + "/bob@example.com"))
                .contains("bob@example.com until=2027-01-31", "bob@example.com auth=dkim");
    }

    @Test
    void shouldRefuseMoreLinesThanAnEntryCanHold() throws Exception {
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < 6; i++) {
            list.append("alice@example.com note=").append(i).append("x".repeat(250)).append('\n');
        }
        assertThat(ask(200, "PATCH", ENTRIES, list.toString()))
                .startsWith("{'put':0,'unchanged':0,'kept':0,'bad':1,")
                .contains("more lines for 'alice@example.com' than an entry can hold");
        ask(404, "GET", ALICE);
    }

    /** Else a nightly address book would undo a user's denials. */
    @Test
    void shouldKeepADenialThatATextListWouldReplace() throws Exception {
        put(ALICE, "{'denied':true,'note':'spam'}");
        put(ENTRIES + "/bob@example.com", "{'auth':'dkim'}");
        String list = "bob@example.com\nalice@example.com\n!carol@example.com\n";
        assertThat(ask(200, "PATCH", ENTRIES, list))
                .isEqualTo(
                        "{'put':2,'unchanged':0,'kept':1,'bad':0,'complaints':[''!alice@example.com"
                                + " note=spam' stays, 'alice@example.com' was not added; to add it,"
                                + " send ?replaceDenials=true']}");
        assertThat(get(ALICE)).contains("!alice@example.com note=spam");
        assertThat(ask(200, "PATCH", ENTRIES + "?replaceDenials=false", list))
                .startsWith("{'put':0,'unchanged':2,'kept':1,");
        assertThat(ask(200, "PATCH", ENTRIES + "?replaceDenials=true", list))
                .isEqualTo("{'put':1,'unchanged':2,'kept':0,'bad':0,'complaints':[]}");
        assertThat(get(ALICE)).isEqualTo("{'lines':['alice@example.com']}");
        ask(400, "PATCH", ENTRIES + "?replaceDenials=yes", list);
    }

    /** Of another origin, an entry is added beside the denial, which decides as before. */
    @Test
    void shouldAddATextListBesideTheDenialsOfOthers() throws Exception {
        put(FOR_BOB, "{'origin':'user','denied':true}");
        put(FOR_BOB.replace("bob@", "carol@"), "{'denied':true}");
        assertThat(ask(200, "PATCH", ENTRIES, "alice@example.com to=bob@tenant.example"))
                .startsWith("{'put':1,'unchanged':0,'kept':0,'bad':0,");
        assertThat(get(FOR_BOB)).isEqualTo("{'lines':['%s','!%s origin=user']}", FOR, FOR);
    }

    @Test
    void shouldReportThatTheDatabaseFails() throws Exception {
        friends.away = "connection refused\nat line two";
        for (String request :
                List.of("GET " + ALICE, "PUT " + ALICE, "DELETE " + ALICE, "PATCH " + ENTRIES)) {
            String[] words = request.split(" ", 2);
            String body = words[0].equals("PATCH") ? "a@example.com" : "{}";
            assertThat(ask(503, words[0], words[1], body))
                    .contains("'statusCode':503,'type':'ServerError'")
                    .contains("connection refused\\\\u000aat line two");
        }
        get("/whitelists");
    }

    @Test
    void shouldReportThatAListIsClosed() throws Exception {
        Objects.requireNonNull(server.living("friends")).close();
        ask(503, "PUT", ALICE, "{}");
        ask(503, "DELETE", ALICE);
    }
}
