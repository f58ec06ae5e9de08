package io.github.senderwhitelist.mailet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;

import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.database.Postgres;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.mailet.server.SharedLists;
import io.github.senderwhitelist.tools.Handles;

import jakarta.annotation.PreDestroy;
import jakarta.mail.MessagingException;

import org.apache.mailet.base.test.FakeMailContext;
import org.apache.mailet.base.test.FakeMailetConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * A server that stops as James does: singletons prepare first, mails still come in, and mailets are
 * destroyed at the end. A matcher within And, Or or Not never is, so its list stays open.
 */
class StopTest {
    private static final int ENTRIES = 300;
    private static final String SQLITE = "jdbc:sqlite:file://var/lists.db</source>";

    @TempDir private Path folder;
    private SharedLists shared = TestLists.none();
    private SenderIsWhitelisted forgotten = new SenderIsWhitelisted(shared);

    private final List<SenderIsWhitelisted> all = new ArrayList<>();

    private void start(String source) throws MessagingException {
        shared = TestLists.defined(folder, "<whitelists>" + list("own", source) + "</whitelists>");
        forgotten = new SenderIsWhitelisted(shared);
        all.add(forgotten);
        TestLists.init(forgotten, "own");
    }

    /** So that no thread of a test goes on; James has ended before. */
    @AfterEach
    void endForgotten() {
        all.forEach(SenderIsWhitelisted::destroy);
        // The rest of a stop that has used up its time.
        await().until(() -> Handles.threads("of own").isEmpty());
    }

    private static String list(String name, String source) {
        return "<whitelist name=\""
                + name
                + "\"><source>"
                + source
                + "<pollInterval>1s</pollInterval></whitelist>";
    }

    private LearnCorrespondents learning() throws MessagingException {
        LearnCorrespondents learning = new LearnCorrespondents(shared);
        learning.init(
                FakeMailetConfig.builder()
                        .mailetContext(FakeMailContext.defaultContext())
                        .setProperty("list", "own")
                        .build());
        return learning;
    }

    private LivingList list() {
        return Objects.requireNonNull(shared.living("own"));
    }

    private static String sender(int number) {
        return "a" + number + "@example.com";
    }

    private void put(int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            list().put(Lines.entry(sender(i)), "test");
        }
    }

    private void learn(String list, Callable<Learned> task) {
        shared.learning(list).add(Lines.entry("sam@here.example").key(), 1, task);
    }

    private boolean isListed(String sender) throws MessagingException {
        return !forgotten.match(TestServer.mail(sender, "u@here.example")).isEmpty();
    }

    private void assertAllListed() throws MessagingException {
        for (int i = 0; i < ENTRIES; i++) {
            assertThat(isListed(sender(i))).as(sender(i)).isTrue();
        }
        assertThat(isListed("stranger@example.com")).isFalse();
    }

    /** Does what James does first when it stops. */
    private void beginToStop() throws ReflectiveOperationException {
        for (Method method : SharedLists.class.getMethods()) {
            if (method.isAnnotationPresent(PreDestroy.class)) {
                method.invoke(shared);
            }
        }
    }

    /** Returns how many entries the database's file has without the files beside it. */
    private long inTheFileAlone() throws IOException {
        Path copy = Files.createTempDirectory(folder, "copy").resolve("lists.db");
        Files.copy(folder.resolve("var/lists.db"), copy);
        try (Database alone = Database.sqlite(copy, Duration.ofSeconds(20))) {
            return alone.record("own").count();
        }
    }

    private boolean hasLog() throws IOException {
        Path log = folder.resolve("var/lists.db-wal");
        return Files.exists(log) && Files.size(log) > 0;
    }

    @Test
    void shouldAnswerAndChangeWhileItStopsAndLeaveAWholeFile() throws Exception {
        start(SQLITE);
        put(0, ENTRIES - 2);
        beginToStop();
        assertThat(hasLog()).isFalse();
        assertThat(inTheFileAlone()).isEqualTo(ENTRIES - 2);

        put(ENTRIES - 2, ENTRIES);
        list().put(Lines.entry("!mallory@example.com"), "test");
        assertAllListed();
        assertThat(isListed("mallory@example.com")).isFalse();
        await().until(() -> !hasLog());
        assertThat(inTheFileAlone()).isEqualTo(ENTRIES + 1);
    }

    @Test
    void shouldLeaveNothingOpenWhenAllAreDestroyed() throws Exception {
        start(SQLITE);
        LearnCorrespondents learning = learning();
        put(0, 10);
        beginToStop();
        learning.destroy();
        put(10, ENTRIES);
        assertAllListed();
        forgotten.destroy();

        assertThat(folder.resolve("var/lists.db-wal")).doesNotExist();
        assertThat(inTheFileAlone()).isEqualTo(ENTRIES);
        assertThat(shared.isEmpty()).isTrue();
        assertThat(Handles.files(folder.toString())).isEmpty();
        assertThat(Handles.mappings(folder.toString())).isEmpty();
        assertThat(Handles.threads("of own")).isEmpty();
    }

    @Test
    void shouldKeepADatabaseOpenWhileAnotherOfItsListsIsUsed() throws Exception {
        String both = list("own", SQLITE) + list("other", SQLITE);
        shared = TestLists.defined(folder, "<whitelists>" + both + "</whitelists>");
        forgotten = new SenderIsWhitelisted(shared);
        all.add(forgotten);
        TestLists.init(forgotten, "own,other");
        SenderIsWhitelisted other = new SenderIsWhitelisted(shared);
        TestLists.init(other, "own");
        forgotten.destroy();
        forgotten = other;
        all.add(other);

        put(0, 1);
        assertThat(isListed(sender(0))).isTrue();
        assertThat(shared.living().keySet()).containsExactly("own");
    }

    /**
     * The next start has the entries of before though its database is away.
     *
     * @param before whether it is away already when the server stops
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("large")
    void shouldKnowAllEntriesWhenItStartsWithoutItsDatabase(boolean before) throws Exception {
        try (Postgres postgres = Postgres.started(folder.resolve("postgres"))) {
            String source =
                    postgres.url("public") + "</source><user>postgres</user><password>x</password>";
            start(source);
            put(0, ENTRIES);
            if (before) {
                await().untilAsserted(this::assertAllListed);
                postgres.kill();
                await().until(() -> list().status().problem() != null);
            }
            beginToStop();
            assertAllListed();
            if (!before) {
                postgres.kill();
            }
            start(source);
            assertAllListed();
            learning().destroy();
        }
    }

    /** One database that does not answer holds up only its own list. */
    @Test
    @Tag("large")
    void shouldBringEachListToTheDiskThoughTheDatabaseOfAnotherHangs() throws Exception {
        try (Postgres postgres = Postgres.started(folder.resolve("postgres"))) {
            String url = postgres.url("public");
            String xml = list("far", url + "</source><user>postgres</user><password>x</password>");
            List<String> near = List.of("own", "b", "c", "d", "e");
            for (String name : near) {
                xml += list(name, SQLITE.replace("lists", name));
            }
            shared = TestLists.defined(folder, "<whitelists>" + xml + "</whitelists>");
            List<String> written = Collections.synchronizedList(new ArrayList<>());
            for (String name : Stream.concat(near.stream(), Stream.of("far")).toList()) {
                SenderIsWhitelisted matcher = new SenderIsWhitelisted(shared);
                all.add(matcher);
                TestLists.init(matcher, name);
                Objects.requireNonNull(shared.living(name)).put(Lines.entry(sender(1)), "test");
                learn(
                        name,
                        () -> {
                            written.add(name);
                            return new Learned(1, 0);
                        });
            }
            try (Connection other = DriverManager.getConnection(url + "&user=postgres&password=x");
                    Statement lock = other.createStatement()) {
                other.setAutoCommit(false);
                lock.execute("lock table whitelist_list, whitelist_log, whitelist_entry");
                beginToStop();
                assertThat(written).containsAll(near);
                for (String name : near) {
                    Path log = folder.resolve("var/" + name + ".db-wal");
                    // Each look for changes opens the file for a moment.
                    await().atMost(Duration.ofSeconds(1))
                            .untilAsserted(() -> assertThat(log).doesNotExist());
                }
            }
        }
    }

    /** All parts of a stop together may take some seconds, not each of them. */
    @Test
    @Timeout(90)
    void shouldStopThoughNothingThatWaitsIsEverWritten() throws Exception {
        start(SQLITE);
        CountDownLatch never = new CountDownLatch(1);
        List<LearnCorrespondents> mailets = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            mailets.add(learning());
        }
        put(0, ENTRIES);
        learn(
                "own",
                () -> {
                    never.await();
                    return new Learned(0, 0);
                });
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        Logger logger = (Logger) LoggerFactory.getLogger(SharedLists.class);
        logger.addAppender(log);
        beginToStop();
        mailets.forEach(LearnCorrespondents::destroy);
        logger.detachAppender(log);
        never.countDown();
        assertThat(log.list).singleElement().asString().contains("need more than the 5 s");
    }
}
