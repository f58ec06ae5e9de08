package io.github.senderwhitelist.usage;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.LineUse;
import io.github.senderwhitelist.database.UsedLine;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Target;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** What is counted in memory reaches the database once, whatever happens meanwhile. */
class UsageCounterTest {
    private static final Instant MONDAY = Instant.parse("2026-11-23T10:00:00Z");

    @TempDir private Path folder;
    private @Nullable Database opened;
    private Instant now = MONDAY;
    private boolean isAway;

    private final UsageCounter counter =
            new UsageCounter(
                    () -> {
                        if (isAway) {
                            throw new IOException("away");
                        }
                        return database().usage("own");
                    },
                    null,
                    () -> now);

    private Database database() {
        return Objects.requireNonNull(opened);
    }

    @BeforeEach
    void open() throws IOException {
        opened = Database.sqlite(folder.resolve("lists.db"), Duration.ofSeconds(20));
        database().record("own").create();
        put("a@example.com");
    }

    @AfterEach
    void close() {
        database().close();
    }

    private void put(String line) throws IOException {
        database().record("own").write(List.of(Edit.put(entry(line))), "test");
    }

    private static UsedLine line(String line) {
        return UsedLine.of(entry(line));
    }

    private List<LineUse> kept() throws IOException {
        return database().usage("own").newest(0, false, 1_000_000);
    }

    @Test
    void shouldLoseNothingWhileMailsGoOn() throws Exception {
        put("b@example.com");
        AtomicBoolean done = new AtomicBoolean();
        int each = 100_000;
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            var flushing =
                    threads.submit(
                            () -> {
                                while (!done.get()) {
                                    counter.flush();
                                }
                                return true;
                            });
            var first = threads.submit(() -> count(each, "a@example.com", "b@example.com"));
            var second = threads.submit(() -> count(each, "b@example.com", "a@example.com"));
            first.get();
            second.get();
            done.set(true);
            flushing.get();
        }
        counter.flush();
        assertThat(kept())
                .hasSize(2)
                .allMatch(use -> use.used() == 2L * each && use.rescued() == 4L * each);
        assertThat(counter.used()).isEqualTo(4L * each);
    }

    private void count(int times, String one, String other) {
        for (int i = 0; i < times; i++) {
            counter.count(line(one), 1, 2);
            counter.count(line(other), 1, 2);
        }
    }

    @Test
    void shouldKeepTheDaysOfWhatWaitsWhileTheDatabaseIsAway() throws Exception {
        isAway = true;
        counter.count(line("a@example.com"), 1, 0);
        now = MONDAY.plus(Duration.ofDays(2));
        assertThatThrownBy(counter::flush).hasMessage("away");
        counter.count(line("a@example.com"), 1, 0);
        now = MONDAY.plus(Duration.ofDays(9));
        isAway = false;
        counter.flush();
        counter.flush();
        assertThat(kept()).hasSize(1);
        LineUse use = kept().getFirst();
        assertThat(use.used()).isEqualTo(2);
        assertThat(use.first()).isEqualTo("2026-11-23");
        assertThat(use.last()).isEqualTo("2026-11-25");
    }

    /** A write that fails, unlike an opening, has taken what it was to write. */
    @Test
    void shouldKeepWhatCouldNotBeWritten() throws Exception {
        counter.flush();
        counter.count(line("a@example.com"), 1, 0);
        run("alter table whitelist_usage rename to away");
        assertThatThrownBy(counter::flush).isInstanceOf(IOException.class);
        counter.count(line("a@example.com"), 1, 0);
        assertThatThrownBy(counter::flush).isInstanceOf(IOException.class);
        run("alter table away rename to whitelist_usage");
        counter.flush();
        assertThat(kept()).singleElement().extracting(LineUse::used).isEqualTo(2L);
    }

    @Test
    void shouldGoOnWhenTheDatabaseWasRestoredToBeforeItsFirstUse() throws Exception {
        UsageCounter ofFile =
                new UsageCounter(
                        () -> {
                            database().record("own").create();
                            return database().usage("own");
                        },
                        () -> each(1),
                        () -> MONDAY);
        ofFile.flush();
        run("delete from whitelist_list");
        ofFile.count(line("1@example.com"), 1, 0);
        assertThatThrownBy(ofFile::flush).isInstanceOf(IOException.class);
        ofFile.flush();
        assertThat(kept()).singleElement().extracting(LineUse::used).isEqualTo(1L);
    }

    private void run(String sql) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("lists.db"));
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void shouldDropNewLinesOnlyWhenTooManyWait() {
        isAway = true;
        for (int i = 0; i < UsageCounter.MAX_WAITING + 5; i++) {
            counter.count(line("a" + i + "@example.com"), 1, 0);
        }
        counter.count(line("a0@example.com"), 1, 0);
        assertThat(counter.dropped()).isEqualTo(5);
    }

    @Test
    void shouldNotBringBackWhatWasRemovedMeanwhile() throws Exception {
        put("a@example.com to=u@here.org");
        counter.count(line("a@example.com"), 1, 0);
        counter.count(line("a@example.com to=u@here.org"), 1, 0);
        database()
                .record("own")
                .write(List.of(Edit.remove(Target.of(entry("a@example.com")))), "test");
        counter.flush();
        assertThat(kept())
                .extracting(use -> use.line().toString())
                .containsExactly("a@example.com to=u@here.org");

        counter.count(line("a@example.com to=u@here.org"), 1, 0);
        counter.forget(key("u@here.org"));
        counter.flush();
        assertThat(kept()).isEmpty();
    }

    @Test
    void shouldWriteAnyNumberOfLinesAndNone() throws Exception {
        counter.flush();
        assertThat(kept()).isEmpty();
        for (int i = 0; i < 2_500; i++) {
            put("a" + i + "@example.com");
            counter.count(line("a" + i + "@example.com"), 1, 0);
        }
        counter.flush();
        assertThat(kept()).hasSize(2_500);
    }

    /** A list in a file that has the lines of even numbers, and then only every sixth. */
    @Test
    void shouldForgetWhatIsGoneFromAFileOnEachPage() throws Exception {
        AtomicReference<SenderLines> file = new AtomicReference<>(each(2));
        UsageCounter ofFile =
                new UsageCounter(() -> database().usage("own"), file::get, () -> MONDAY);
        for (int i = 0; i < 4_000; i++) {
            ofFile.count(line(i + "@example.com"), 1, 0);
        }
        ofFile.flush();
        assertThat(kept()).hasSize(2_000);
        ofFile.flush();
        file.set(each(6));
        ofFile.flush();
        assertThat(kept())
                .hasSize(667)
                .allMatch(use -> Integer.parseInt(use.line().toString().split("@", 2)[0]) % 6 == 0);
    }

    private static SenderLines each(int number) {
        return new SenderLines() {
            @Override
            public @Nullable Entry find(Key key, @Nullable Key to) {
                boolean isThere = Integer.parseInt(key.toString().split("@", 2)[0]) % number == 0;
                return isThere ? new Entry(key, to, List.of(Rule.LISTS)) : null;
            }

            @Override
            public boolean hasPersonal() {
                return false;
            }

            @Override
            public String describe() {
                return "numbers";
            }
        };
    }
}
