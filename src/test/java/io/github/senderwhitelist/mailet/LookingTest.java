package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.Streams;

import io.github.senderwhitelist.tools.TableSource;

import org.apache.mailet.Attribute;
import org.apache.mailet.base.test.FakeMail;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** What administrators see of lists in files, of the last mails, and of pasted headers. */
class LookingTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String TO = "one@here.example";

    @TempDir private Path folder;

    private final WebAdmin server =
            new WebAdmin(
                    "<whitelist name='base'><source>file://base.txt</source></whitelist>"
                            + "<whitelist name='filters'><source>file://filters.txt</source>"
                            + "<exactLookup>off</exactLookup></whitelist>");

    private final List<SenderWhitelist> mailets = new ArrayList<>();

    @AfterEach
    void close() throws IOException {
        mailets.forEach(SenderWhitelist::destroy);
        server.close();
    }

    private SenderWhitelist mailet(String list, String... lines) throws Exception {
        Files.writeString(folder.resolve("base.txt"), String.join("\n", lines) + "\n");
        return mailet(list);
    }

    private SenderWhitelist mailet(String list) throws Exception {
        SenderWhitelist mailet = TestLists.mailet(folder, server, list, "sender", "either");
        mailets.add(mailet);
        return mailet;
    }

    private static FakeMail mail(String sender, String from, String... to) throws Exception {
        return TestServer.mail(
                sender, TestServer.message("From: " + from + "\r\n\r\nText\r\n"), to);
    }

    private JsonNode get(String path) throws Exception {
        HttpResponse<String> answer = server.send("GET", "/whitelists" + path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return JSON.readTree(answer.body());
    }

    private HttpResponse<String> post(String query, String headers) throws Exception {
        return server.send(
                "POST", "/whitelists/explain" + query, headers, "Content-Type", "text/plain");
    }

    private List<String> recent(String sender) throws Exception {
        JsonNode rows = get("/recent?sender=" + URLEncoder.encode(sender, UTF_8)).get("mails");
        return Streams.stream(rows)
                .map(row -> row.get("sender").asText() + " " + row.get("recipient").asText())
                .toList();
    }

    @Test
    void recentShouldHaveTheLastVerdictsNewestFirst() throws Exception {
        SenderWhitelist mailet = mailet("base", "alice@example.com");
        mailet.service(mail("Alice@example.com", "Bob <bob@example.org>", TO, "two@here.example"));
        mailet.service(mail("eve@example.net", "x, y", TO));
        mailet.service(mail("", "eve@example.net", TO));

        JsonNode mails = get("/recent").get("mails");
        assertThat(mails).hasSize(4);
        JsonNode oldest = mails.get(3);
        assertThat(oldest.get("at").asText()).matches("20[0-9-]+T[0-9:.]+Z");
        ((ObjectNode) oldest).remove("at");
        assertThat(oldest)
                .hasToString(
                        ("{'sender':'alice@example.com','from':'bob@example.org','confirmed':'','recipient':'"
                                        + TO
                                        + "','verdict':'listed','reason':'listed','entry':"
                                        + "'alice@example.com','as':'SenderWhitelist=base'}")
                                .replace('\'', '"'));
        assertThat(mails.get(0).get("sender").asText()).isEqualTo("<>");
        assertThat(mails.get(1).get("from").isNull()).isTrue();
        assertThat(recent("ALICE"))
                .containsExactly("alice@example.com two@here.example", "alice@example.com " + TO);
        assertThat(recent("@example.org")).hasSize(2);
        assertThat(recent("nobody")).isEmpty();
        assertThat(recent("null")).as("where From: is unclear").isEmpty();
    }

    @Test
    void recentShouldHaveWhatConfirmedTheSenderAsAnExplanationTakesIt() throws Exception {
        SenderWhitelist mailet = mailet("base", "a@x.example auth=any", "b@x.example");
        for (String sender : List.of("a@x.example", "b@x.example", "a@x.example")) {
            FakeMail mail = mail(sender, "eve@y.example", TO);
            mail.setAttribute(TestServer.SPF);
            mailet.service(mail);
        }
        FakeMail signed =
                mail("r@z.example", "a@x.example\r\nDKIM-Signature: d=x.example; b=aGk=", TO);
        signed.setAttribute(
                Attribute.convertToAttribute("jDKIM.AUTHRESULT", "pass (identity @x.example)"));
        mailet.service(signed);
        mailet.service(mail("a@x.example", "a@x.example", TO));

        List<JsonNode> mails = Streams.stream(get("/recent").get("mails")).toList();
        assertThat(mails.stream().map(row -> row.get("confirmed").asText()))
                .containsExactly("", "dkim:x.example", "spf", "", "spf");
        for (JsonNode row : mails) {
            String query =
                    Stream.of("sender", "from", "recipient", "confirmed", "as")
                            .map(
                                    each ->
                                            each
                                                    + "="
                                                    + URLEncoder.encode(
                                                            row.get(each).asText(), UTF_8))
                            .collect(Collectors.joining("&"));
            assertThat(get("/explain?" + query).at("/explanations/0/verdicts/0/reason"))
                    .isEqualTo(row.get("reason"));
        }
    }

    @Test
    void recentShouldKeepSoManyAndNoLongAddressOrMail() throws Exception {
        SenderWhitelist mailet = mailet("base", "alice@example.com");
        String[] many = new String[600];
        Arrays.setAll(many, i -> "r" + i + "@here.example");
        WeakReference<FakeMail> judged = judge(mailet, many);
        assertThat(recent("")).hasSize(500).first().asString().endsWith(" r599@here.example");
        assertThat(recent("")).last().asString().endsWith(" r100@here.example");

        mailet.service(mail("x".repeat(100_000) + "@example.com", "x", TO));
        assertThat(recent("").getFirst()).hasSizeBetween(320, 400).contains("…");
        await().until(
                        () -> {
                            System.gc();
                            return judged.get() == null;
                        });
    }

    private static WeakReference<FakeMail> judge(SenderWhitelist mailet, String... to)
            throws Exception {
        FakeMail mail = mail("alice@example.com", "alice@example.com", to);
        mailet.service(mail);
        return new WeakReference<>(mail);
    }

    @Test
    void recentShouldForgetAUserWhileMailsCome() throws Exception {
        SenderWhitelist mailet = mailet("base", "alice@example.com");
        mailet.service(mail("alice@example.com", "alice@example.com", TO, "two@here.example"));
        mailet.service(mail(TO, "somebody@example.com", "two@here.example"));
        mailet.service(mail("carol@example.com", TO, "two@here.example"));
        assertThat(get("/for/" + TO).get("mails")).hasSize(3);
        try (ExecutorService threads = Executors.newFixedThreadPool(2)) {
            Callable<Object> others =
                    () -> {
                        for (int i = 0; i < 100; i++) {
                            mailet.service(mail("carol@example.com", "x", "two@here.example"));
                        }
                        return true;
                    };
            List<Future<Object>> done = List.of(threads.submit(others), threads.submit(others));
            assertThat(server.send("DELETE", "/whitelists/for/" + TO).statusCode()).isEqualTo(204);
            for (Future<Object> each : done) {
                each.get();
            }
        }
        assertThat(get("/for/" + TO).get("mails")).isEmpty();
        assertThat(recent("")).hasSize(201).noneMatch(row -> row.contains(TO));
    }

    @Test
    void theLastHourShouldCountVerdictsByTheMinute() throws Exception {
        SenderWhitelist mailet = mailet("base", "alice@example.com");
        mailet.service(mail("alice@example.com", "x", TO));
        mailet.service(mail("bob@example.com", "x", TO));
        mailet.service(mail("bob@example.com", "x", TO));
        JsonNode hour = get("").get("lastHour");
        assertThat(hour.get("listed")).hasSize(60);
        assertThat(sum(hour.get("listed"), 58)).isEqualTo(1);
        assertThat(sum(hour.get("notListed"), 58)).isEqualTo(2);
        assertThat(sum(hour.get("unavailable"), 0)).isZero();
    }

    private static int sum(JsonNode numbers, int from) {
        return IntStream.range(from, 60).map(i -> numbers.get(i).asInt()).sum();
    }

    @ParameterizedTest
    @TableSource
    void headersShouldBeReadAsThoseOfAMail(
            String headers, String sender, String from, String confirmed) throws Exception {
        mailet("base", "a@x.example auth=any");
        JsonNode read = JSON.readTree(post("?recipient=" + TO, headers).body());
        assertThat(read.at("/sender").asText()).as(read.toString()).isEqualTo(sender);
        assertThat(read.at("/from").asText()).isEqualTo(from);
        assertThat(read.at("/confirmed").asText()).isEqualTo(confirmed);
        assertThat(read.at("/explanations/0/verdicts/0/recipient").asText()).isEqualTo(TO);
    }

    /** The second half of a letter of two bytes is a bracket here, as in a mail. */
    @Test
    void headersShouldGetTheVerdictOfTheMail() throws Exception {
        SenderWhitelist mailet = mailet("base", "a@x.example", "b@x.example");
        for (String from :
                List.of(
                        "a@x.example",
                        "b@x.example, a@x.example",
                        "c@x.example",
                        "\"a@x.example\" <d@x.example>")) {
            FakeMail mail = mail("r@y.example", from, TO);
            mailet.service(mail);
            String said = get("/recent").get("mails").get(0).get("verdict").asText();
            JsonNode read =
                    JSON.readTree(post("?sender=r@y.example", "From: " + from + "\n").body());
            assertThat(read.at("/explanations/0/verdicts/0/verdict").asText())
                    .as(from)
                    .isEqualTo(said);
        }
    }

    @Test
    void headersShouldBeRefusedWhereTheyCannotBeRead() throws Exception {
        mailet("base", "a@x.example");
        String from = "From: a@x.example\nX: ";
        String full = from + "dkim=pass header.i=;".repeat(4000);
        assertThat(post("", full.substring(0, 1 << 16)).statusCode()).isEqualTo(200);
        HttpResponse<String> tooLong = post("", full.substring(0, (1 << 16) + 1));
        assertThat(tooLong.statusCode()).isEqualTo(413);
        assertThat(tooLong.body()).contains("allowed: 65536 bytes");
        for (String nothing : List.of(" \n", "no header at all", "From: a, b\n", "\u0000\u0000")) {
            assertThat(post("", nothing).statusCode()).as(nothing).isEqualTo(400);
        }
        assertThat(post("", "no header").body()).contains("add sender= with the envelope");
        assertThat(post("?as=none", from).statusCode()).isEqualTo(404);
        assertThat(post("?confirmed=luck", from).statusCode()).isEqualTo(400);
        String hostile = post("?sender=%3Cimg%20src=x%20onerror=a()%3E", from).body();
        assertThat(JSON.readTree(hostile).get("sender").asText()).startsWith("<img");
        var latin1 = BodyPublishers.ofString("From: \u00e9\u00ff <a@x.example>", ISO_8859_1);
        String explain = "/whitelists/explain?sender=a@x.example";
        assertThat(server.send("POST", explain, latin1).statusCode()).isEqualTo(200);
    }

    @Test
    void aListInAFileShouldTellItsStateAndBadLines() throws Exception {
        mailet("base", "alice@example.com", "not an <b>address", "# x", "bob@example.com", "@x y");
        JsonNode list = get("").at("/lists/0");
        assertThat(list.toString())
                .contains("\"name\":\"base\",\"kind\":\"file\",\"entries\":2,")
                .contains("\"measured\":null");
        assertThat(list.at("/problem").isNull()).isTrue();
        assertThat(list.at("/refused/count").asInt()).isEqualTo(2);
        assertThat(list.at("/refused/lines/0").asText()).startsWith("2: ");
        assertThat(list.at("/refused/lines/1").asText()).startsWith("5: ");
        assertThat(list.at("/refreshes")).hasSize(1);
        assertThat(list.at("/filter/bytes").asLong()).isPositive();

        Files.delete(folder.resolve("base.txt"));
        for (int i = 0; i < 7; i++) {
            server.send("POST", "/whitelists/base/reload");
        }
        JsonNode all = get("");
        assertThat(all.at("/health/status").asText()).isEqualTo("degraded");
        assertThat(all.at("/lists/0/refused").isNull()).isTrue();
        assertThat(all.at("/lists/0/refreshes")).hasSize(2);
        assertThat(all.at("/lists/0/refreshes/0/problem").asText()).contains("no such file");
        assertThat(all.at("/lists/0/refreshes/0/entries").asInt()).isEqualTo(2);
    }

    @Test
    void aListInAFileShouldBeReadButNotChanged() throws Exception {
        mailet(
                "base",
                "bob@example.com",
                "Alice@EXAMPLE.com to=" + TO,
                "alice@example.com until=2099-01-01",
                "",
                "\ufeffalice@example.com. auth=dkim");
        Files.writeString(folder.resolve("filters.txt"), "alice@example.com\n");
        mailet("filters");
        String alice = "/base/entries/alice@example.com";
        assertThat(get(alice).toString())
                .isEqualTo(
                        "{\"lines\":[\"alice@example.com until=2099-01-01\",\"alice@example.com"
                                + " auth=dkim\"],\"lineNumbers\":[3,5]}");
        assertThat(get(alice + "/for/" + TO).get("lineNumbers").get(0).asInt()).isEqualTo(2);
        assertThat(server.send("HEAD", "/whitelists" + alice).statusCode()).isEqualTo(204);
        assertThat(server.send("GET", "/whitelists/base/entries/al@example.com").statusCode())
                .isEqualTo(404);
        for (String change : List.of("PUT", "DELETE")) {
            HttpResponse<String> answer = server.send(change, "/whitelists" + alice, "{}");
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("'base' is the list in the file", "edit it there");
        }
        assertThat(server.send("GET", "/whitelists/filters/entries").body())
                .contains("exactLookup=off");
        mailets.forEach(SenderWhitelist::destroy);
        mailets.clear();
        assertThat(server.send("GET", "/whitelists/base/entries").statusCode()).isEqualTo(503);
        assertThat(server.send("GET", "/whitelists" + alice).statusCode()).isEqualTo(503);
    }

    /** Pages go on where the last one ended, whatever was used. */
    @Test
    void unusedEntriesOfAListInAFileShouldBeToldPageByPage() throws Exception {
        Files.writeString(folder.resolve("filters.txt"), "alice@example.com\n");
        SenderWhitelist mailet = mailet("base", "c@x.example", "a@x.example", "b@x.example");
        mailet("filters");
        mailet.service(mail("b@x.example", "b@x.example", TO));
        assertThat(get("/base/usage").get("lines")).hasSize(1);
        assertThat(get("/filters/usage").get("lines")).isEmpty();
        try (var connection =
                        DriverManager.getConnection(
                                "jdbc:sqlite:" + folder.resolve("var/whitelist/usage.db"));
                var statement = connection.createStatement()) {
            statement.execute("update whitelist_counting set since = 1");
        }
        String place = "";
        for (String entry : List.of("a@x.example", "c@x.example")) {
            JsonNode page = get("/base/usage?unusedFor=30d&limit=1" + place);
            assertThat(page.get("lines")).hasSize(1);
            assertThat(page.get("lines").get(0).get("entry").asText()).isEqualTo(entry);
            place = "&after=" + page.get("next").asText();
        }
        HttpResponse<String> ofFilters =
                server.send("GET", "/whitelists/filters/usage?unusedFor=30d");
        assertThat(ofFilters.statusCode()).isEqualTo(400);
        assertThat(ofFilters.body()).contains("exactLookup=off");
    }

    @Test
    void whatEndsSoonShouldBeFoundInAFile() throws Exception {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        String soon = "bob@x.example until=" + today.plusDays(5);
        mailet("base", "alice@x.example until=" + today.plusDays(50), soon, "carol@x.example");
        JsonNode found = get("/base/entries?endsWithin=30d");
        assertThat(found.get("lines")).hasSize(1);
        assertThat(found.get("lines").get(0).asText()).isEqualTo(soon);
    }

    @Test
    void aLargeListInAFileShouldBeSearchedToItsEnd() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(
                    IntStream.range(0, 200_000)
                            .mapToObj(i -> "u" + i + "@d" + i % 1000 + ".example")
                            .collect(Collectors.joining("\n"))
                            .getBytes(UTF_8));
        }
        Files.write(folder.resolve("base.txt"), packed.toByteArray());
        mailet("base");
        assertThat(all("@d7.example", 30))
                .hasSize(200)
                .allMatch(line -> line.endsWith("@d7.example"));
        assertThat(all("u19999", 3)).hasSize(11);
        assertThat(all("", 10_000)).hasSize(200_000).doesNotHaveDuplicates();
        assertThat(get("/base/entries/u199999@d999.example").get("lineNumbers").get(0).asInt())
                .isEqualTo(200_000);
    }

    private List<String> all(String prefix, int limit) throws Exception {
        String path = "/whitelists/base/entries?limit=" + limit + "&prefix=" + prefix;
        return server.pages(path).stream().map(JsonNode::asText).toList();
    }
}
