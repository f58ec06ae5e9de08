package io.github.senderwhitelist.living;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** What is kept of a user is removed on one of two servers, and goes from the files of both. */
class ErasureTest {
    private static final String USER = "bob.erasable@tenant.example";
    private static final int MANY = 3_000;

    @TempDir private Path folder;
    private final List<LivingList> servers = new ArrayList<>();

    private static Key key(String address) {
        return SmallLists.address(address).key();
    }

    private static Entry entry(int i, String to, String... notes) {
        return new Entry(
                key("friend" + i + "@stranger.example"),
                key(to),
                Stream.of(notes)
                        .map(note -> new Rule(false, null, null, null, Origin.LEARNED, note))
                        .toList());
    }

    private Path work(int server) {
        return folder.resolve("server" + server);
    }

    private LivingList open(int server, Database database) {
        LivingList list =
                TestLivingLists.open(
                        database.record("own"),
                        "own",
                        work(server).resolve("own.base"),
                        Duration.ofMillis(20),
                        Duration.ofSeconds(30),
                        new LivingListener() {
                            @Override
                            public void failed(String what, Throwable cause) {
                                throw new AssertionError(what, cause);
                            }
                        });
        servers.add(list);
        return list;
    }

    /** Returns what names the user in the files of a server, and in what it has in memory. */
    private List<String> traces(int server) throws Exception {
        List<String> traces = new ArrayList<>();
        try (Stream<Path> files = Files.walk(work(server))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String text = new String(Files.readAllBytes(file), ISO_8859_1);
                if (text.contains("erasable")) {
                    traces.add(file.getFileName() + ", in plain");
                }
                traces.addAll(entries(file));
            }
        }
        LivingList list = servers.get(server);
        for (int i = 0; i < MANY; i++) {
            if (list.current().find(key("friend" + i + "@stranger.example"), key(USER)) != null) {
                traces.add("active");
                break;
            }
        }
        return traces;
    }

    /** Returns the entries of a base that are for the user; they are coded there. */
    private static List<String> entries(Path base) throws IOException {
        List<String> entries = new ArrayList<>();
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, base, 0)) {
            BlockStore.Walk walk = Objects.requireNonNull(snapshot.store()).walk();
            for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
                if (key(USER).equals(entry.to())) {
                    entries.add(entry.toString());
                }
            }
        }
        return entries;
    }

    @Test
    void shouldLeaveTheFilesOfAllServersWithTheNextMerge() throws Exception {
        try (Database one = Database.sqlite(folder.resolve("lists.db"), Duration.ofSeconds(20));
                Database two = Database.sqlite(folder.resolve("lists.db"), Duration.ofSeconds(20));
                LivingList first = open(0, one);
                LivingList second = open(1, two)) {
            List<Entry> entries = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                entries.add(entry(i, i % 3 == 0 ? USER : "carol@tenant.example", ""));
            }
            first.write(entries.stream().map(ListRecord.Edit::put).toList(), "test");
            await().until(() -> second.status().changes() == MANY);
            for (LivingList server : servers) {
                server.merge();
                assertThat(server.status().entries()).isGreaterThan(MANY - 2);
            }
            for (int server = 0; server < servers.size(); server++) {
                assertThat(traces(server)).hasSizeGreaterThan(MANY / 4).contains("active");
            }

            assertThat(first.removeAllFor(key(USER), "test")).isEqualTo(MANY / 3);
            first.record().forgetHistory(key(USER));

            await().until(() -> second.status().changes() >= MANY / 3);
            for (LivingList server : servers) {
                server.merge();
            }
            for (int server = 0; server < servers.size(); server++) {
                assertThat(traces(server)).isEmpty();
                assertThat(servers.get(server).status().entries()).isEqualTo(MANY - MANY / 3);
                assertThat(servers.get(server).status().changes()).isZero();
            }
        }
    }
}
