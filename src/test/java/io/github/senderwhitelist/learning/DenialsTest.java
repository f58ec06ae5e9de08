package io.github.senderwhitelist.learning;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.database.Lines;
import io.github.senderwhitelist.learning.Learner.Learned;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingListener;
import io.github.senderwhitelist.living.TestLivingLists;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** Denials of a user who has many entries, with a real database. */
class DenialsTest {
    private static final Key SAM = SmallLists.address("sam@here.ex").key();
    private static final Learned DENIED = new Learned(1, 0);
    private static final Learned REFUSED = new Learned(0, 1);

    @TempDir private Path folder;
    private int reads;

    @SuppressWarnings("NullAway.Init") // opened before each test
    private Database database;

    @SuppressWarnings("NullAway.Init")
    private LivingList list;

    @BeforeEach
    void open() throws IOException {
        database = Database.sqlite(folder.resolve("lists.db"), Duration.ofSeconds(20));
        list =
                TestLivingLists.open(
                        counting(database.record("own")),
                        "own",
                        folder.resolve("own.base"),
                        Duration.ofMinutes(1),
                        Duration.ofMinutes(5),
                        new LivingListener() {});
    }

    @AfterEach
    void close() throws IOException {
        list.close();
        database.close();
    }

    /** Counts how often all entries of a user are read. */
    private ListRecord counting(ListRecord table) {
        return (ListRecord)
                Proxy.newProxyInstance(
                        ListRecord.class.getClassLoader(),
                        new Class<?>[] {ListRecord.class},
                        (proxy, method, arguments) -> {
                            reads += method.getName().equals("entriesFor") ? 1 : 0;
                            try {
                                return method.invoke(table, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private void put(String line) throws IOException {
        list.put(Lines.entry(line), "test");
    }

    private Learned deny(int maxPerUser, int maxNewPerDay, String sender) throws IOException {
        LearningLimits limits = new LearningLimits(365, maxPerUser, maxNewPerDay);
        Instant now = Instant.parse("2026-11-23T10:00:00Z");
        return new Denials(list, limits, () -> now).deny(SAM, SmallLists.address(sender).key());
    }

    @Test
    void shouldNotReadAllEntriesOfTheUserForEachDenial() throws IOException {
        for (int i = 0; i < 10; i++) {
            put("a" + i + "@x.ex auth=any to=sam@here.ex origin=learned");
        }
        assertThat(deny(5, 2, "b@x.ex")).isEqualTo(DENIED);
        assertThat(deny(5, 2, "c@x.ex")).isEqualTo(DENIED);
        assertThat(deny(5, 2, "d@x.ex")).isEqualTo(REFUSED);
        assertThat(reads).isZero();
    }

    @Test
    void shouldCountOnlyTheDenialsThatMovingHasMade() throws IOException {
        put("!a@x.ex to=sam@here.ex origin=user");
        put("b@x.ex to=sam@here.ex origin=user");
        assertThat(deny(2, 9, "c@x.ex")).isEqualTo(DENIED);
        assertThat(deny(2, 9, "d@x.ex")).isEqualTo(DENIED);
        assertThat(deny(2, 9, "e@x.ex")).isEqualTo(REFUSED);
    }
}
