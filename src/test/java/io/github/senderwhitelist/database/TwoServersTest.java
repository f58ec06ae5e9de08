package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
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
    void serversShouldOutliveTheDatabase() throws Exception {
        LivingList early = open();
        assertThat(early.status().behind()).isTrue();
        assertThat(early.status().problem()).isNotNull();

        postgres.start();
        await().until(() -> !early.status().behind());
        LivingList other = open();
        boolean[] listed = new boolean[SENDERS];
        SplittableRandom random = new SplittableRandom(1);
        for (int change = 0; change < 300; change++) {
            int i = random.nextInt(SENDERS);
            listed[i] = random.nextBoolean();
            LivingList here = random.nextBoolean() ? early : other;
            change(here, i, listed[i]);
            assertThat(lists(here, sender(i))).as("at once").isEqualTo(listed[i]);
        }
        await().until(() -> agrees(early, listed) && agrees(other, listed));

        postgres.kill();
        await().until(() -> other.status().behind() && other.status().problem() != null);
        assertThat(agrees(other, listed)).as("as known last").isTrue();
        assertThatThrownBy(() -> change(other, SENDERS, true)).isInstanceOf(IOException.class);

        postgres.start();
        await().until(() -> !other.status().behind() && other.status().problem() == null);
        assertThat(agrees(other, listed)).isTrue();
        assertThat(lists(other, sender(SENDERS))).isFalse();
        assertThat(told).contains("failed", "recovered", "read");
    }

    private static boolean agrees(LivingList list, boolean[] listed) throws Exception {
        for (int i = 0; i < listed.length; i++) {
            if (lists(list, sender(i)) != listed[i]) {
                return false;
            }
        }
        return true;
    }
}
