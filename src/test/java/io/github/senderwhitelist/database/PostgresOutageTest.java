package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Position;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A database that is not there, or goes away. */
@Tag("large")
class PostgresOutageTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** So much more than the timeout that a slow machine does not fail the test. */
    private static final Duration FAR_TOO_LONG = Duration.ofSeconds(20);

    private static final int THREADS = 100;

    @TempDir private Path folder;

    private static void fails(ListRecord record) throws Exception {
        long start = System.nanoTime();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                calls.add(
                        threads.submit(
                                () ->
                                        assertThatThrownBy(
                                                        () ->
                                                                record.find(
                                                                        key("a@example.com"), null))
                                                .isInstanceOf(IOException.class)
                                                .hasMessageContaining("list 'vip': find a@")
                                                .hasMessageNotContaining("secret-4711")));
            }
            for (Future<?> call : calls) {
                call.get();
            }
        }
        assertThatThrownBy(() -> put(record, "x@example.com")).isInstanceOf(IOException.class);
        assertThatThrownBy(record::last).isInstanceOf(IOException.class);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(FAR_TOO_LONG);
    }

    private static void put(ListRecord record, String sender) throws IOException {
        record.write(List.of(Edit.put(entry(sender))), "admin");
    }

    private static void works(ListRecord record) {
        await().ignoreExceptionsInstanceOf(IOException.class)
                .until(
                        () -> {
                            record.create();
                            return record.count() >= 0;
                        });
    }

    @Test
    void shouldWorkWheneverTheServerIsThere() throws Exception {
        try (Postgres server = new Postgres(folder);
                Database database = server.open("public", TIMEOUT)) {
            ListRecord record = database.record("vip");
            fails(record);
            server.start();
            works(record);
            Position position = record.last();
            put(record, "a@example.com");
            server.kill();
            fails(record);
            server.start();
            works(record);
            assertThat(record.find(key("a@example.com"), null)).isEqualTo(entry("a@example.com"));
            put(record, "b@example.com");
            assertThat(Objects.requireNonNull(record.log(position)).changes())
                    .extracting(change -> change.entry().key())
                    .contains(key("a@example.com"), key("b@example.com"));
        }
    }
}
