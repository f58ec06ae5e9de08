package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.EntryPut;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** What somebody else does while a user is renamed. */
class RenameCommandTest {
    private static final String LIST = "own";
    private static final Key OLD = SmallLists.address("old@here.example").key();
    private static final Key NEW = SmallLists.address("new@here.example").key();

    @TempDir private Path folder;
    private LivingPlace others;

    @BeforeEach
    void open() throws IOException {
        others = new LivingPlace(database(), LIST, "somebody");
    }

    @AfterEach
    void close() throws IOException {
        others.close();
    }

    private Database database() throws IOException {
        Database database = Database.sqlite(folder.resolve("lists.db"), Duration.ofSeconds(20));
        database.record(LIST).create();
        return database;
    }

    private List<String> lines(Key user) throws IOException {
        return others.entriesFor(user).stream().flatMap(entry -> entry.lines().stream()).toList();
    }

    private void put(String line) throws IOException {
        others.put(List.of(new EntryPut(((ListLine.Good) ListLine.parse(line)).entry(), false)));
    }

    /** A place in which somebody else puts a line at a moment, once. */
    private final class Meanwhile extends LivingPlace {
        private final String moment;
        private String line;

        Meanwhile(String moment, String line) throws IOException {
            super(database(), LIST, "renaming");
            this.moment = moment;
            this.line = line;
        }

        private void at(String now) throws IOException {
            if (now.equals(moment) && !line.isEmpty()) {
                RenameCommandTest.this.put(line);
                line = "";
            }
        }

        @Override
        void add(Entry entry) throws IOException {
            at("before add");
            super.add(entry);
            at("after add");
        }

        @Override
        void removeKnown(Entry known) throws IOException {
            at("before removal");
            super.removeKnown(known);
        }
    }

    private List<String> renamed(String moment, String line) throws IOException {
        put("alice@example.com to=old@here.example origin=user note=old");
        try (LivingPlace place = new Meanwhile(moment, line)) {
            assertThat(RenameCommand.move(place, OLD, NEW)).isEqualTo(1);
        }
        assertThat(lines(OLD)).isEmpty();
        return lines(NEW);
    }

    @ParameterizedTest
    @ValueSource(strings = {"before removal", "after add"})
    void shouldMoveWhatIsPutForTheOldAddressMeanwhile(String moment) throws IOException {
        assertThat(renamed(moment, "!alice@example.com to=old@here.example origin=user note=now"))
                .contains("!alice@example.com to=new@here.example origin=user note=now");
    }

    @Test
    void shouldKeepWhatIsPutForTheNewAddressMeanwhile() throws IOException {
        String meanwhile = "alice@example.com to=new@here.example origin=user note=meanwhile";
        assertThat(renamed("before add", meanwhile))
                .containsExactlyInAnyOrder(
                        "alice@example.com to=new@here.example origin=user note=old", meanwhile);
    }
}
