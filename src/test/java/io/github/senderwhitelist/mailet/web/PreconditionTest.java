package io.github.senderwhitelist.mailet.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.mailet.WebAdmin;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Changes entries over HTTP that must be in an expected state. */
class PreconditionTest {
    private static final String ALICE = "/whitelists/friends/entries/alice@example.com";
    private static final String FOR_BOB = ALICE + "/for/bob@tenant.example";

    private final WebAdmin server = new WebAdmin();

    @BeforeEach
    void open() {
        server.open("friends");
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private HttpResponse<String> put(String path, String body, String... condition)
            throws Exception {
        List<String> headers = new ArrayList<>(List.of(condition));
        headers.addAll(List.of("Content-Type", "application/json"));
        return server.send("PUT", path, body, headers.toArray(new String[0]));
    }

    private HttpResponse<String> delete(String path, String... condition) throws Exception {
        return server.send("DELETE", path, null, condition);
    }

    private String tag(String path) throws Exception {
        HttpResponse<String> answer = server.send("GET", path);
        assertThat(answer.statusCode()).isEqualTo(200);
        String tag = answer.headers().firstValue("ETag").orElse("");
        assertThat(server.send("HEAD", path).headers().firstValue("ETag")).hasValue(tag);
        return tag;
    }

    private String note(String path) throws Exception {
        return server.send("GET", path).body().replaceAll("(?s).* note=(\\w+).*", "$1");
    }

    private static void assertFailed(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).isEqualTo(412);
        assertThat(answer.body())
                .contains("\"statusCode\":412", "\"The entry says something else now\"")
                .contains("GET the entry again for its ETag")
                .hasLineCount(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {ALICE, FOR_BOB})
    void shouldTagWhatAnEntrySays(String path) throws Exception {
        put(path, "{\"note\":\"one\"}");
        String one = tag(path);
        put(path, "{\"note\":\"two\"}");
        String two = tag(path);
        put(path, "{\"note\":\"one\"}");

        assertThat(one).matches("\"[^\"]+\"").isNotEqualTo(two).isEqualTo(tag(path));
    }

    @ParameterizedTest
    @ValueSource(strings = {ALICE, FOR_BOB})
    void shouldChangeOnlyWhatIsAsExpected(String path) throws Exception {
        put(path, "{\"note\":\"one\"}");
        String one = tag(path);
        put(path, "{\"note\":\"two\"}");

        assertFailed(put(path, "{\"note\":\"three\"}", "If-Match", one));
        assertFailed(delete(path, "If-Match", one));
        assertThat(note(path)).isEqualTo("two");

        assertThat(put(path, "{\"note\":\"three\"}", "If-Match", tag(path)).statusCode())
                .isEqualTo(200);
        assertThat(note(path)).isEqualTo("three");
        assertThat(delete(path, "If-Match", one + ", " + tag(path)).statusCode()).isEqualTo(204);
        assertThat(server.send("GET", path).statusCode()).isEqualTo(404);
        assertFailed(delete(path, "If-Match", one));
    }

    @Test
    void shouldCompareWhatTheChangedOriginHas() throws Exception {
        put(FOR_BOB, "{\"note\":\"one\"}");
        put(FOR_BOB, "{\"note\":\"bobs\",\"origin\":\"user\"}");
        String before = tag(FOR_BOB);
        put(FOR_BOB, "{\"note\":\"learned\",\"origin\":\"learned\"}");
        assertThat(tag(FOR_BOB)).isNotEqualTo(before);

        assertFailed(delete(FOR_BOB + "?origin=learned", "If-Match", before));
        assertThat(delete(FOR_BOB + "?origin=user", "If-Match", before).statusCode())
                .isEqualTo(200);
        assertThat(server.send("GET", FOR_BOB).body())
                .contains("note=one", "note=learned")
                .doesNotContain("note=bobs");
    }

    @Test
    void shouldKnowWhetherThereIsAnEntry() throws Exception {
        assertFailed(put(ALICE, "{}", "If-Match", "*"));
        assertFailed(delete(ALICE, "If-Match", "*"));
        assertThat(put(ALICE, "{}", "If-None-Match", "*").statusCode()).isEqualTo(201);
        assertFailed(put(ALICE, "{\"denied\":true}", "If-None-Match", "*"));
        assertThat(server.send("GET", ALICE).body()).doesNotContain("!");
        assertThat(put(ALICE, "{\"denied\":true}", "If-Match", "*").statusCode()).isEqualTo(200);
        assertThat(delete(ALICE, "If-Match", "*").statusCode()).isEqualTo(204);
    }

    @Test
    void shouldNotTakeAWeakOrForeignTag() throws Exception {
        put(ALICE, "{}");

        assertFailed(delete(ALICE, "If-Match", "W/" + tag(ALICE)));
        assertFailed(delete(ALICE, "If-Match", "\"\""));
        assertFailed(delete(ALICE, "If-Match", "\"x\", \"a.b.c\""));
        assertThat(server.send("GET", ALICE).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"If-Match: abc", "If-Match: \"abc", "If-Match:", "If-None-Match: \"a\""})
    void shouldExplainAHeaderThatIsNotUnderstood(String header) throws Exception {
        put(ALICE, "{}");
        String name = header.substring(0, header.indexOf(':'));
        String value = header.substring(name.length() + 1).strip();

        for (HttpResponse<String> answer :
                List.of(delete(ALICE, name, value), put(ALICE, "{}", name, value))) {
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body())
                    .contains("The header " + name + " is not understood", "allowed");
        }
        assertThat(server.send("GET", ALICE).statusCode()).isEqualTo(200);
    }

    /** Of two that expect the same state, one finds it. */
    @Test
    void shouldLetOneOfTwoChange() throws Exception {
        put(ALICE, "{\"note\":\"start\"}");
        CyclicBarrier barrier = new CyclicBarrier(2);
        try (ExecutorService two = Executors.newFixedThreadPool(2)) {
            for (int round = 0; round < 50; round++) {
                String tag = tag(ALICE);
                List<Future<Integer>> answers = new ArrayList<>();
                for (String name : List.of("a", "b")) {
                    String body = "{\"note\":\"" + name + round + "\"}";
                    answers.add(
                            two.submit(
                                    () -> {
                                        barrier.await();
                                        return put(ALICE, body, "If-Match", tag).statusCode();
                                    }));
                }
                assertThat(List.of(answers.getFirst().get(), answers.getLast().get()))
                        .containsExactlyInAnyOrder(200, 412);
            }
        }
    }
}
