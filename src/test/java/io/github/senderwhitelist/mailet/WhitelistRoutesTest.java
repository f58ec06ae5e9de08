package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.MemoryRecord;
import io.github.senderwhitelist.mailet.server.LearningQueue;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.refresh.FileList;
import io.github.senderwhitelist.tools.SmallLists;
import io.github.senderwhitelist.tools.TableSource;
import io.github.senderwhitelist.tools.TextResource;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Asks a real server over HTTP, as administrators do. JSON has single quotes here. */
class WhitelistRoutesTest {
    private static final String ENTRIES = "/whitelists/friends/entries";
    private static final String ALICE = ENTRIES + "/alice@example.com";
    private static final String BOB = "/whitelists/for/bob@tenant.example";

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
        assertThat(answer.headers().firstValue("Content-Type").orElse("application/json"))
                .startsWith("application/json");
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

    private static final Pattern STEP =
            Pattern.compile("(\\w+) (\\S+)(?: (.*?))? -> (\\d+)(?: (=|has) ?(.*))?");

    static Stream<Arguments> conversations() {
        return TextResource.scenarios(WhitelistRoutesTest.class, "conversations.txt");
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("conversations")
    void shouldAnswerAsInConversations(String name, List<String> lines) throws Exception {
        String answer = "";
        for (String line : lines) {
            if (line.startsWith("away")) {
                String failure = line.substring(4).strip();
                friends.away = failure.isEmpty() ? null : failure.translateEscapes();
            } else if (line.startsWith("- ")) {
                assertThat(answer).as(name).doesNotContain(line.substring(2));
            } else {
                Matcher step = STEP.matcher(line);
                assertThat(step.matches()).as(line).isTrue();
                String path = step.group(2).replace("~", ENTRIES);
                String body = Objects.requireNonNullElse(step.group(3), "").translateEscapes();
                answer = ask(Integer.parseInt(step.group(4)), step.group(1), path, body);
                if ("=".equals(step.group(5))) {
                    assertThat(answer).as(line).isEqualTo(step.group(6));
                } else if (step.group(5) != null) {
                    assertThat(answer)
                            .as(line)
                            .containsSubsequence(step.group(6).split(" \\.\\.\\. "));
                }
            }
        }
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
                .startsWith("{'health':{'status':'healthy','problems':[]},'mailets':['all'],")
                .containsSubsequence("'name':'begun'", "'name':'friends'", "'name':'partners'");
        assertThat(lists.substring(lists.indexOf("{'name'"), lists.indexOf(",'filter'")))
                .contains("'kind':'living'", "'entries':3,", "'changes':1,", "'behind':false")
                .contains("'degraded':false")
                .containsPattern("'asOf':'20[0-9-]+T[0-9:.]+Z'")
                .endsWith("'problem':null");
        friends.away = "the table is away";
        await().atMost(Duration.ofSeconds(20))
                .until(
                        () ->
                                get("/whitelists")
                                        .contains(
                                                "'problem':'the changes cannot be read: the table"
                                                        + " is away'"));
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
            // A file that became shorter would be waited for.
            Files.writeString(file, "no address\n".repeat(9));
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
        var chunks = BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(list));
        assertThat(server.send("PATCH", ENTRIES, chunks, header, "yes").body())
                .startsWith(start)
                .contains(end);
    }

    /** Returns the lines of all pages. */
    private String pages(String query) throws Exception {
        return server.pages(ENTRIES + query).stream()
                .map(JsonNode::asText)
                .collect(Collectors.joining(" "));
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
    @TableSource
    void shouldFindSendersByTheirBeginning(String prefix, String found) throws Exception {
        for (String sender :
                ("@a.example @.a.example @b.example al@z.example ali@b.example alice@a.example"
                                + " alice@b.example alice@b.example.org alm@a.example"
                                + " bob@a.example j%C3%BCrgen@example.com"
                                + " mr.wei%C3%9F@b%C3%BCcher.net")
                        .split(" ", -1)) {
            put(ENTRIES + "/" + sender, "{}");
        }
        assertThat(pages("?limit=2&prefix=" + prefix.replace("ü", "%C3%BC"))).isEqualTo(found);
    }

    @Test
    void shouldFindWhatEndsWithinSomeDays() throws Exception {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        put(ALICE, "{\"until\":\"" + today.plusDays(20) + "\"}");
        put(ENTRIES + "/bob@example.com", "{\"until\":\"" + today.plusDays(5) + "\"}");
        put(ENTRIES + "/carol@example.com", "{}");

        assertThat(get(ENTRIES + "?endsWithin=30d"))
                .isEqualTo(
                        "{'lines':['bob@example.com until=%s','alice@example.com until=%s'],'next':null}"
                                .formatted(today.plusDays(5), today.plusDays(20)));
        assertThat(ask(400, "GET", ENTRIES + "?endsWithin=soon")).contains("endsWithin='soon'");
        assertThat(ask(400, "GET", ENTRIES + "?endsWithin=30d&prefix=ali"))
                .contains("endsWithin and prefix; allowed: one of the two");
        assertThat(ask(400, "GET", ENTRIES + "?endsWithin=30d&after=alice@example.com"))
                .contains("a database gives one page");
    }

    @Test
    void shouldReportAUserWithoutLimitAndAListsEntriesForARecipientWhole() throws Exception {
        Key bob = SmallLists.address("bob@tenant.example").key();
        String ofList = BOB.replace("/for", "/friends/for");
        List<Edit> edits = new ArrayList<>();
        for (int i = 0; i <= 10_000; i++) {
            Key sender = SmallLists.address("s" + i + "@example.com").key();
            edits.add(Edit.put(new Entry(sender, bob, List.of(Rule.LISTS))));
        }
        friends.write(edits.subList(0, 10_000), "test");
        assertThat(get(ofList).split(" to=bob@", -1)).hasSize(10_001);
        friends.write(edits.subList(10_000, 10_001), "test");
        assertThat(get(BOB).split(" to=bob@", -1)).hasSize(10_002);
        assertThat(ask(400, "GET", ofList))
                .contains("more than 10000 entries for 'bob@tenant.example'; ask for pages");
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

    /** Else a user would come back whose mails of before the erasure still wait. */
    @Test
    void erasureShouldIncludeWhatWaitsToBeLearned() throws Exception {
        LearningQueue queue = server.learning("friends");
        queue.add(
                Lines.key("bob@tenant.example"),
                1,
                () -> {
                    Thread.sleep(200);
                    put(ALICE + "/for/bob@tenant.example", "{'origin':'learned'}");
                    return new Learned(1, 0);
                });
        assertThat(send("DELETE", BOB, "").statusCode()).isEqualTo(204);
        TestServer.drain(queue);
        assertThat(get(BOB)).doesNotContain("alice");
    }

    @Test
    void shouldReportThatAListIsClosed() throws Exception {
        Objects.requireNonNull(server.living("friends")).close();
        ask(503, "PUT", ALICE, "{}");
        ask(503, "DELETE", ALICE);
    }
}
