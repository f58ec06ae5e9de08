package io.github.senderwhitelist.learning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.learning.DeletedUsers.Swept;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingListener;
import io.github.senderwhitelist.living.TestLivingLists;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What is kept of users whom the server does not have any more, with a real database. */
class DeletedUsersTest {
    private static final Instant START = Instant.parse("2026-11-23T10:00:00Z");

    @TempDir private Path folder;
    private final Set<String> users = new HashSet<>(List.of("sam@here.ex", "eve@here.ex"));
    private boolean fails;
    private Instant now = START;

    @SuppressWarnings("NullAway.Init") // opened before each test
    private Database database;

    @SuppressWarnings("NullAway.Init")
    private LivingList list;

    @BeforeEach
    void open() throws IOException {
        database = Database.sqlite(folder.resolve("lists.db"), Duration.ofSeconds(20));
        list =
                TestLivingLists.open(
                        database.record("own"),
                        "own",
                        folder.resolve("own.base"),
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(5),
                        new LivingListener() {});
        put("a@x.ex auth=any to=sam@here.ex origin=learned");
        put("b@x.ex auth=any to=eve@here.ex origin=learned");
        put("!b@x.ex to=eve@here.ex origin=user");
        put("c@x.ex to=eve@here.ex");
        put("d@x.ex to=@here.ex");
        put("e@x.ex");
    }

    @AfterEach
    void close() throws IOException {
        list.close();
        database.close();
    }

    private void put(String line) throws IOException {
        list.put(Lines.entry(line), "test");
    }

    private DeletedUsers deleted() {
        return new DeletedUsers(
                list, Disk.LOCAL, folder.resolve("var/own.missing"), this::has, 30, () -> now);
    }

    private boolean has(Address address) throws IOException {
        if (fails) {
            throw new IOException("no directory");
        }
        return users.contains(address.toString());
    }

    private Swept sweepOn(int day) throws IOException {
        now = START.plus(Duration.ofDays(day));
        return deleted().sweep();
    }

    /** Sweeps each night from the next one until a day. */
    private Swept sweepUntil(int day) throws IOException {
        int next = (int) Duration.between(START, now).toDays() + 1;
        for (; next < day; next++) {
            sweepOn(next);
        }
        return sweepOn(day);
    }

    private List<String> lines() throws IOException {
        List<String> lines = new ArrayList<>();
        list.record().page(null, 100_000).forEach((Entry entry) -> lines.addAll(entry.lines()));
        return lines;
    }

    @Test
    void shouldRemoveAfterTheGraceWhatTheUserAndLearningPut() throws Exception {
        assertThat(sweepOn(0)).isEqualTo(new Swept(0, List.of(), 0));
        users.remove("eve@here.ex");
        assertThat(sweepOn(1)).isEqualTo(new Swept(1, List.of(), 0));
        assertThat(sweepUntil(30)).isEqualTo(new Swept(1, List.of(), 0));
        assertThat(lines()).hasSize(6);

        assertThat(sweepOn(31)).isEqualTo(new Swept(0, List.of("eve@here.ex"), 2));
        assertThat(lines())
                .containsExactlyInAnyOrder(
                        "a@x.ex auth=any to=sam@here.ex origin=learned",
                        "c@x.ex to=eve@here.ex",
                        "d@x.ex to=@here.ex",
                        "e@x.ex");
        assertThat(list.record().history(SmallLists.address("b@x.ex").key(), 10)).isEmpty();
        assertThat(sweepOn(32).removed()).isEmpty();
    }

    @Test
    void shouldBeginAgainWhenTheUserWasThereInBetween() throws Exception {
        users.remove("eve@here.ex");
        sweepOn(0);
        users.add("eve@here.ex");
        assertThat(sweepOn(20).missing()).isZero();
        users.remove("eve@here.ex");
        sweepOn(29);
        assertThat(sweepUntil(58).removed()).isEmpty();
        assertThat(sweepOn(59).removed()).containsExactly("eve@here.ex");
    }

    @Test
    void shouldRemoveNothingWhenTheServerCannotTell() throws Exception {
        users.clear();
        sweepOn(0);
        assertThat(sweepUntil(29).removed()).isEmpty();
        fails = true;
        assertThatThrownBy(() -> sweepOn(31)).hasMessageContaining("no directory");
        assertThat(lines()).hasSize(6);
        fails = false;
        assertThat(sweepOn(32).removed()).containsExactly("eve@here.ex", "sam@here.ex");
    }

    @Test
    void shouldBeginAgainWhenTheNotesAreDamaged() throws Exception {
        users.clear();
        sweepOn(0);
        Path notes = folder.resolve("var/own.missing");
        assertThat(Files.readString(notes))
                .isEqualTo("swept 2026-11-23\neve@here.ex 2026-11-23\nsam@here.ex 2026-11-23\n");
        Files.writeString(notes, "eve@here.ex 2026-11-2\nnothing\n\nsam@here.ex 2026-11-23\n");
        assertThat(sweepOn(31).removed()).containsExactly("sam@here.ex");
    }

    @Test
    void shouldCountNoDaysThatOnlyTheClockSaw() throws Exception {
        users.clear();
        sweepOn(0);
        assertThat(sweepOn(3650)).isEqualTo(new Swept(2, List.of(), 0));
        assertThat(sweepOn(1)).isEqualTo(new Swept(2, List.of(), 0));
        assertThat(sweepOn(-3650)).isEqualTo(new Swept(2, List.of(), 0));
        // Two days for each time that the clock went forward, however far.
        assertThat(sweepOn(2)).isEqualTo(new Swept(2, List.of(), 0));
        assertThat(sweepUntil(27).missing()).isEqualTo(2);
        assertThat(sweepOn(28).removed()).containsExactly("eve@here.ex", "sam@here.ex");
    }
}
