package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/** The commands on living lists, on a database in a file. */
class LivingCommandsTest extends CommandTest {
    /** Makes James' folder, which defines a list. */
    @BeforeEach
    void define() throws IOException {
        define("<whitelist name=\"own\"><source>jdbc:sqlite:file://db.db</source></whitelist>");
    }

    /** Runs a command on the list, and returns its exit code. */
    private int own(String command, String... arguments) {
        List<String> line = new ArrayList<>(List.of(command, "own"));
        line.addAll(List.of(arguments));
        return inJames(line.toArray(new String[0]));
    }

    private List<String> exported() {
        assertThat(own("export")).as(err()).isZero();
        return out().lines().toList();
    }

    private String file(String name, String... lines) throws IOException {
        return Files.writeString(folder.resolve(name), String.join("\n", lines) + "\n").toString();
    }

    /** What users deny while an import goes on stays denied. */
    @Test
    void shouldKeepWhatIsDeniedWhileItImports() throws Exception {
        String[] lines = numbered("s", 20_000);
        String list = file("list", lines);
        own("add", "a@x.org");
        Set<String> denied = ConcurrentHashMap.newKeySet();
        AtomicBoolean done = new AtomicBoolean();
        try (Database database = Database.sqlite(folder.resolve("db.db"), Duration.ofSeconds(30))) {
            ListRecord table = database.record("own");
            Thread user =
                    Thread.ofVirtual()
                            .unstarted(
                                    () -> {
                                        SplittableRandom random = new SplittableRandom(5);
                                        while (!done.get()) {
                                            String line = "!" + lines[random.nextInt(20_000)];
                                            put(table, line);
                                            denied.add(line);
                                        }
                                    });
            user.start();
            assertThat(own("import", list)).as(err()).isZero();
            done.set(true);
            user.join();
        }
        assertThat(denied).isNotEmpty();
        denied.removeAll(exported());
        assertThat(denied).isEmpty();
    }

    private static void put(ListRecord table, String line) {
        try {
            table.write(List.of(Edit.put(((ListLine.Good) ListLine.parse(line)).entry())), "user");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String[] numbered(String start, int count) {
        return IntStream.range(100_000, 100_000 + count)
                .mapToObj(i -> start + i + "@example.com")
                .toArray(String[]::new);
    }

    @Test
    @Tag("large")
    void shouldLoadVeryManyEntriesIntoAFile() throws IOException {
        Path list = folder.resolve("list.txt");
        Files.write(
                list,
                IntStream.range(0, 100_001)
                        .mapToObj(i -> "s%s@example.com to=u%s@x.example".formatted(i, i % 500))
                        .toList());
        assertThat(own("import", list.toString())).as(err()).isZero();
        assertThat(out()).startsWith("own: 100,001 added, 0 unchanged; 100,001 lines; ");
        try (Database database = Database.sqlite(folder.resolve("db.db"), Duration.ofSeconds(10))) {
            Key user = Key.of("u7".getBytes(UTF_8), "x.example".getBytes(UTF_8));
            assertThat(database.record("own").entriesFor(user, 1_000)).hasSize(200);
        }
        assertThat(own("import", list.toString())).as(err()).isZero();
        assertThat(out()).startsWith("own: 0 added, 100,001 unchanged; ");

        String denied = "!s7@example.com to=u7@x.example";
        String confirmed = "s8@example.com auth=spf to=u8@x.example";
        assertThat(own("add", denied, confirmed)).isZero();
        assertThat(own("import", list.toString())).as(err()).isZero();
        assertThat(out())
                .startsWith("own: 1 added, 99,999 unchanged, 1 denial kept, 1 condition lost; ");
        assertThat(exported()).contains(denied).doesNotContain(confirmed);
        assertThat(own("import", "--replace-denials", list.toString())).isZero();
        assertThat(out()).startsWith("own: 1 added, 100,000 unchanged, 1 denial replaced; ");
        assertThat(exported()).doesNotContain(denied).contains(denied.substring(1));
    }

    @Test
    void shouldExportMoreThanAPage() throws IOException {
        String[] lines = numbered("s", 2_500);
        own("import", file("list", lines));
        assertThat(exported()).containsExactly(lines);
    }

    /** Returns a record in which somebody else puts a line before the first write. */
    private static ListRecord meanwhile(ListRecord record, String line) {
        AtomicBoolean isFirst = new AtomicBoolean(true);
        return (ListRecord)
                Proxy.newProxyInstance(
                        ListRecord.class.getClassLoader(),
                        new Class<?>[] {ListRecord.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("write") && isFirst.getAndSet(false)) {
                                put(record, line);
                            }
                            return method.invoke(record, arguments);
                        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "!alice@example.com to=old@here.example origin=user note=now",
                "alice@example.com to=new@here.example origin=user note=meanwhile"
            })
    void renameShouldKeepWhatIsAddedForEitherAddressMeanwhile(String line) throws IOException {
        Key old = SmallLists.address("old@here.example").key();
        Key now = SmallLists.address("new@here.example").key();
        try (Database database = Database.sqlite(folder.resolve("db.db"), Duration.ofSeconds(20))) {
            ListRecord record = database.record("own");
            record.create();
            put(record, "alice@example.com to=old@here.example origin=user note=old");
            assertThat(EntryCommands.Rename.move(meanwhile(record, line), old, now)).isEqualTo(1);
            assertThat(record.entriesFor(old, 100)).isEmpty();
        }
        assertThat(exported()).contains(line.replace("old@", "new@"));
    }
}
