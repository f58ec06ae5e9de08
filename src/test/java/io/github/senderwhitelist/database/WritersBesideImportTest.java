package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.tools.ChildJava;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/**
 * Two servers change a list while another process imports very many entries into it. Each change is
 * acknowledged, long before it would time out, and the import is whole.
 */
@Tag("large")
class WritersBesideImportTest {
    private static final int IMPORTED = 300_000;
    private static final int PART = 10_000;

    /** Far more than changes take here, and less than it takes to import. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    @TempDir private Path folder;

    /** Opens the database, whose place is a file or a URL. */
    private static Database open(String place) throws IOException {
        return place.startsWith("jdbc:")
                ? Database.postgres(place, "postgres", "", TIMEOUT, 5)
                : Database.sqlite(Path.of(place), TIMEOUT);
    }

    /** The other process. */
    public static void main(String... arguments) throws IOException {
        try (Database database = open(arguments[0])) {
            ListRecord record = database.record("vip");
            for (int from = 0; from < IMPORTED; from += PART) {
                record.load(
                        IntStream.range(from, from + PART)
                                .mapToObj(
                                        i ->
                                                entry(
                                                        "imported"
                                                                + i
                                                                + "@example.com to=u"
                                                                + i % 1_000
                                                                + "@here.org"))
                                .toList(),
                        false);
            }
            record.endLoad();
        }
    }

    /** A server that puts entries, one after the other, until it is closed. */
    private static final class Server implements Closeable {
        private final Database database;
        private final ListRecord record;
        private volatile boolean ends;

        Server(String place) throws IOException {
            database = open(place);
            record = database.record("vip");
            record.create();
            put(entry("first@example.com"));
        }

        /** Returns how many changes it made. */
        int put(String sender) throws IOException {
            int made = 0;
            while (!ends) {
                put(entry(sender + made++ + "@example.com"));
            }
            return made;
        }

        private void put(Entry entry) throws IOException {
            record.write(List.of(Edit.put(entry)), "test");
        }

        @Override
        public void close() {
            database.close();
        }
    }

    @Test
    void shouldPutAtOnceInSqlite() throws Exception {
        putBesideImport(folder.resolve("lists.db").toString());
    }

    @Test
    void shouldPutAtOnceInPostgres() throws Exception {
        try (Postgres postgres = Postgres.started(folder)) {
            putBesideImport(postgres.url("public"));
        }
    }

    private static void putBesideImport(String place) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(2);
                Server one = new Server(place);
                Server two = new Server(place)) {
            Process importing = importInto(place);
            Future<Integer> ofOne = threads.submit(() -> one.put("one"));
            Future<Integer> ofTwo = threads.submit(() -> two.put("two"));
            assertThat(importing.waitFor()).isZero();
            one.ends = true;
            two.ends = true;
            assertThat(ofOne.get()).isPositive();
            assertThat(ofTwo.get()).isPositive();
            assertThat(one.record.count()).isEqualTo(IMPORTED + ofOne.get() + ofTwo.get() + 1);
        }
    }

    private static Process importInto(String place) throws IOException {
        List<String> command =
                ChildJava.running(
                        WritersBesideImportTest.class, "--enable-native-access=ALL-UNNAMED");
        command.add(place);
        return new ProcessBuilder(command).inheritIO().start();
    }
}
