package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.decision.SenderLines;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingListener;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.living.TestLivingLists;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/** Two servers with a list in one PostgreSQL database, which fails in between. */
@Tag("large")
class TwoServersTest {
    private static final int SENDERS = 200;

    @TempDir Path folder;
    private final Set<String> told = ConcurrentHashMap.newKeySet();
    private final List<Database> databases = new ArrayList<>();
    private final List<LivingList> lists = new ArrayList<>();
    private Postgres postgres;

    @BeforeEach
    void create() throws IOException {
        postgres = new Postgres(folder);
    }

    @AfterEach
    void close() throws IOException {
        for (LivingList list : lists) {
            list.close();
        }
        for (Database database : databases) {
            database.close();
        }
        postgres.close();
    }

    private LivingList open() {
        Database database = postgres.open("public", Duration.ofSeconds(2));
        databases.add(database);
        LivingList list =
                TestLivingLists.open(
                        database.record("vip"),
                        "vip",
                        folder.resolve(lists.size() + ".base"),
                        Duration.ofMillis(100),
                        Duration.ofSeconds(2),
                        new LivingListener() {
                            @Override
                            public void tableRead(LivingStatus status) {
                                told.add("read");
                            }

                            @Override
                            public void failed(String what, Throwable cause) {
                                told.add("failed");
                            }

                            @Override
                            public void recovered() {
                                told.add("recovered");
                            }
                        });
        lists.add(list);
        return list;
    }

    private static Key sender(int i) {
        return key("sender" + i + "@example.com");
    }

    private static boolean lists(LivingList list, Key sender) throws Exception {
        SenderLines lines = list.current();
        return lines.mightContain(sender) && lines.find(sender, null) != null;
    }

    private static void change(LivingList list, int i, boolean listed) throws IOException {
        if (listed) {
            list.put(entry("sender" + i + "@example.com"), "test");
        } else {
            list.remove(Origin.ADMIN, sender(i), null, "test");
        }
    }

    @Test
    void shouldBothKnowWhatOneChanges() throws Exception {
        postgres.start();
        LivingList one = open();
        LivingList two = open();
        SplittableRandom random = new SplittableRandom(1);
        boolean[] listed = new boolean[SENDERS];
        for (int change = 0; change < 1_000; change++) {
            int i = random.nextInt(SENDERS);
            listed[i] = random.nextBoolean();
            LivingList here = random.nextBoolean() ? one : two;
            change(here, i, listed[i]);
            assertThat(lists(here, sender(i))).as("at once").isEqualTo(listed[i]);
        }
        for (LivingList list : lists) {
            await().until(() -> agrees(list, listed));
            assertThat(list.status().behind()).isFalse();
        }
        // Strangers cost no look into the base.
        long before = one.counters().get(Count.LOOKUPS);
        for (int i = SENDERS; i < 2 * SENDERS; i++) {
            assertThat(lists(one, sender(i))).isFalse();
        }
        assertThat(one.counters().get(Count.LOOKUPS) - before).isLessThan(10);
    }

    private static boolean agrees(LivingList list, boolean[] listed) throws Exception {
        for (int i = 0; i < listed.length; i++) {
            if (lists(list, sender(i)) != listed[i]) {
                return false;
            }
        }
        return true;
    }

    @Test
    void shouldOutliveTheDatabase() throws Exception {
        LivingList early = open();
        assertThat(early.status().behind()).isTrue();
        assertThat(early.status().problem()).isNotNull();

        postgres.start();
        await().until(() -> !early.status().behind());
        change(early, 1, true);
        LivingList other = open();
        await().until(() -> lists(other, sender(1)));

        postgres.kill();
        await().until(() -> other.status().behind());
        assertThat(lists(other, sender(1))).as("as known last").isTrue();
        assertThat(lists(other, sender(2))).isFalse();
        await().until(() -> other.status().problem() != null);
        assertThatThrownBy(() -> change(other, 2, true)).isInstanceOf(IOException.class);

        postgres.start();
        await().until(() -> !other.status().behind());
        await().until(() -> other.status().problem() == null);
        assertThat(lists(other, sender(1))).isTrue();
        assertThat(lists(other, sender(2))).isFalse();
        assertThat(told).contains("failed", "recovered", "read");
    }
}
