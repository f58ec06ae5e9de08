package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What somebody else does while a user is renamed. */
class RenameCommandTest {
    private static final Key OLD = SmallLists.address("old@here.example").key();
    private static final Key NEW = SmallLists.address("new@here.example").key();

    @TempDir private Path folder;
    @AutoClose private Database database;
    private ListRecord others;

    @BeforeEach
    void open() throws IOException {
        database = Database.sqlite(folder.resolve("lists.db"), Duration.ofSeconds(20));
        others = database.record("own");
        others.create();
    }

    private List<String> lines(Key user) throws IOException {
        return others.entriesFor(user, 100).stream()
                .flatMap(entry -> entry.lines().stream())
                .toList();
    }

    private void put(String line) throws IOException {
        Edit edit = Edit.put(((ListLine.Good) ListLine.parse(line)).entry());
        others.write(List.of(edit), "somebody");
    }

    /** Returns a record in which somebody else puts a line before the first write. */
    private ListRecord meanwhile(String line) {
        AtomicInteger writes = new AtomicInteger();
        return (ListRecord)
                Proxy.newProxyInstance(
                        ListRecord.class.getClassLoader(),
                        new Class<?>[] {ListRecord.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("write") && writes.getAndIncrement() == 0) {
                                put(line);
                            }
                            try {
                                return method.invoke(others, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "!alice@example.com to=old@here.example origin=user note=now",
                "alice@example.com to=new@here.example origin=user note=meanwhile"
            })
    void shouldKeepWhatIsAddedForEitherAddressMeanwhile(String line) throws IOException {
        put("alice@example.com to=old@here.example origin=user note=old");
        assertThat(EntryCommands.Rename.move(meanwhile(line), OLD, NEW)).isEqualTo(1);
        assertThat(lines(OLD)).isEmpty();
        assertThat(lines(NEW)).contains(line.replace("old@", "new@"));
    }
}
