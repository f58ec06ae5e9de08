package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.SharedLists;

import jakarta.mail.MessagingException;

import org.apache.james.core.healthcheck.Result;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import reactor.core.publisher.Mono;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;

/** The health of a list whose database refuses changes, though it can be read. */
class RefusedChangesTest {
    @TempDir private Path folder;
    private SharedLists shared = TestLists.none();
    private SenderWhitelist mailet = new SenderWhitelist(new TestFiles(Path.of("")), shared);

    private void start(Path at, String source) throws MessagingException {
        shared =
                TestLists.defined(
                        "<whitelists><whitelist name=\"own\"><source>"
                                + source
                                + "<pollInterval>100ms</pollInterval></whitelist></whitelists>");
        mailet = TestLists.mailet(at, shared, "own");
    }

    private void startWithSqlite(Path at) throws MessagingException {
        start(at, "jdbc:sqlite:file://lists.db</source>");
    }

    @AfterEach
    void stop() {
        mailet.destroy();
    }

    /** Puts an entry, and returns whether it was not refused. */
    private boolean put(String sender, int noteLength) {
        try {
            LivingList list = Objects.requireNonNull(shared.living("own"));
            list.put(Lines.entry(sender + "@example.com note=" + "x".repeat(noteLength)), "test");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private String health() {
        Result health =
                Objects.requireNonNull(Mono.from(new WhitelistHealthCheck(shared).check()).block());
        return health.getStatus() + ": " + health.getCause().orElse("");
    }

    private static void run(String url, String... statements) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            for (String each : statements) {
                statement.execute(each);
            }
        }
    }

    private void becomesHealthy() {
        await().until(() -> health().startsWith("HEALTHY"));
        assertThat(put("later", 1)).isTrue();
        assertThat(health()).startsWith("HEALTHY");
    }

    @Test
    void shouldBeDegradedWhileEntriesAreRefused() throws Exception {
        startWithSqlite(folder);
        assertThat(put("first", 1)).isTrue();
        assertThat(health()).startsWith("HEALTHY");
        String url = "jdbc:sqlite:" + folder.resolve("lists.db");
        run(
                url,
                "create trigger full before insert on whitelist_entry begin"
                        + " select raise(abort, 'no more entries'); end");
        assertThat(put("second", 1)).isFalse();
        assertThat(health()).startsWith("DEGRADED").contains("own: ", "no more entries");
        await().until(() -> health().contains("changes are refused"));
        // What is there already is no change, and shows nothing.
        assertThat(put("first", 1)).isTrue();
        assertThat(health()).startsWith("DEGRADED").contains("no more entries");

        run(url, "drop trigger full");
        becomesHealthy();
    }
}
