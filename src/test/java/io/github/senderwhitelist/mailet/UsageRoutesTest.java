package io.github.senderwhitelist.mailet;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.UsedLine;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.usage.UsageCounter;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** {@code GET /whitelists/{list}/usage}. */
class UsageRoutesTest {
    @TempDir Path folder;
    private final WebAdmin server = new WebAdmin();
    private final List<Database> opened = new ArrayList<>();
    private Instant now = Instant.now();

    @BeforeEach
    void open() throws IOException {
        server.open("own");
        opened.add(Database.sqlite(folder.resolve("usage.db"), Duration.ofSeconds(20)));
        opened.getFirst().record("own").create();
        UsageCounter counter =
                new UsageCounter(() -> opened.getFirst().usage("own"), null, () -> now);
        server.usage.put("own", counter);
    }

    @AfterEach
    void close() throws IOException {
        server.close();
        opened.forEach(Database::close);
    }

    /** Puts a line into the list and into the database in which its use is counted. */
    private void put(String line) throws IOException {
        Objects.requireNonNull(server.living("own")).put(entry(line), "test");
        opened.getFirst().record("own").write(List.of(Edit.put(entry(line))), "test");
    }

    private void use(String line, int mails, int recipients) throws IOException {
        UsageCounter counter = Objects.requireNonNull(server.usage.get("own"));
        counter.flush(); // Learns the day.
        counter.count(UsedLine.of(entry(line)), mails, recipients);
        counter.flush();
    }

    private HttpResponse<String> get(String query) throws Exception {
        return server.send("GET", "/whitelists/own/usage" + query);
    }

    /** Returns the entries of all pages. */
    private List<String> entries(String query) throws Exception {
        return server.pages("/whitelists/own/usage" + query).stream()
                .map(line -> line.get("entry").asText())
                .toList();
    }

    @Test
    void shouldTellWhatWasUsedTheNewestFirst() throws Exception {
        put("a@example.com");
        put("!b+c@example.com to=u@here.example");
        put("d@example.com to=u@here.example origin=user");
        use("!b+c@example.com to=u@here.example", 1, 0);
        use("d@example.com to=u@here.example origin=user", 1, 0);
        now = now.plus(Duration.ofDays(1));
        use("a@example.com", 3, 2);
        String day = now.toString().substring(0, 10);

        String answer = get("").body();
        assertThat(answer)
                .contains("\"countingSince\":\"" + Instant.now().toString().substring(0, 10))
                .contains(
                        "{\"entry\":\"a@example.com\",\"origin\":\"admin\",\"used\":3,\"rescued\":2,"
                            + "\"first\":\""
                                + day
                                + "\",\"last\":\""
                                + day
                                + "\"}")
                .doesNotContain("this server");
        List<String> all =
                List.of(
                        "a@example.com",
                        "b+c@example.com to=u@here.example",
                        "d@example.com to=u@here.example");
        for (int limit = 1; limit <= 4; limit++) {
            assertThat(entries("?limit=" + limit)).isEqualTo(all);
        }
        assertThat(entries("?rescued=true")).containsExactly("a@example.com");
    }

    @Test
    void shouldTellWhatWasNotUsedOnceThatIsKnown() throws Exception {
        for (String each : "a@x.org b@x.org c@x.org @x.org".split(" ", -1)) {
            put(each);
        }
        put("l@x.org to=u@here.example origin=learned");
        use("a@x.org", 1, 0);
        HttpResponse<String> early = get("?unusedFor=30d");
        assertThat(early.statusCode()).isEqualTo(409);
        assertThat(early.body()).contains("not known yet: usage is counted since");

        try (var connection =
                        DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("usage.db"));
                var statement = connection.createStatement()) {
            statement.execute("update whitelist_counting set since = 1");
        }
        now = now.minus(Duration.ofDays(40));
        use("b@x.org", 1, 0);
        for (int limit = 1; limit <= 4; limit++) {
            assertThat(entries("?unusedFor=30d&limit=" + limit))
                    .containsExactly("@x.org", "b@x.org", "c@x.org");
        }
        assertThat(entries("?unusedFor=60d")).containsExactly("@x.org", "c@x.org");
    }

    @ParameterizedTest
    @CsvSource({
        "?after=x, 400",
        "?after=-1, 400",
        "?after=5, 200",
        "?unusedFor=1d&after=!, 409",
        "?unusedFor=30, 400",
        "?unusedFor=0d, 400",
        "?unusedFor=30d&rescued=true, 400",
        "?limit=0, 400",
        "?limit=10001, 400",
        "?rescued=yes, 400"
    })
    void shouldRefuseWhatCannotBeMeant(String query, int status) throws Exception {
        assertThat(get(query).statusCode()).isEqualTo(status);
    }

    @Test
    void shouldNameTheListsThatThereAre() throws Exception {
        HttpResponse<String> answer = server.send("GET", "/whitelists/other/usage");
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).contains("own");
    }

    @Test
    void shouldSayWhenTheDatabaseIsAway() throws Exception {
        opened.getFirst().close();
        assertThat(get("").statusCode()).isEqualTo(503);
    }
}
