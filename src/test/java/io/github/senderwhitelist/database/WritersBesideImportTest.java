package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.tools.ChildJava;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Two servers change a list while another process imports very many entries into it. Each change is
 * acknowledged, long before it would time out, and the import is whole.
 */
@Tag("large")
class WritersBesideImportTest {
    private static final int IMPORTED = 300_000;

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
            Lines.load(database.record("vip"), IMPORTED);
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
                Database one = open(place);
                Database two = open(place)) {
            one.record("vip").create();
            List<String> command =
                    ChildJava.running(
                            WritersBesideImportTest.class, "--enable-native-access=ALL-UNNAMED");
            command.add(place);
            Process importing = new ProcessBuilder(command).inheritIO().start();
            Future<Integer> ofOne = threads.submit(() -> put(one, "one", importing));
            Future<Integer> ofTwo = threads.submit(() -> put(two, "two", importing));
            assertThat(importing.waitFor()).isZero();
            assertThat(ofOne.get()).isPositive();
            assertThat(ofTwo.get()).isPositive();
            assertThat(one.record("vip").count()).isEqualTo(IMPORTED + ofOne.get() + ofTwo.get());
        }
    }

    /** Puts entries, one after the other, as long as a process runs. */
    private static int put(Database database, String sender, Process importing) throws IOException {
        int made = 0;
        while (importing.isAlive()) {
            Edit edit = Edit.put(entry(sender + made++ + "@example.com"));
            database.record("vip").write(List.of(edit), "test");
        }
        return made;
    }
}
