package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.LogRows;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.tools.ChildJava;
import io.github.senderwhitelist.tools.Extent;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Kills processes that change a list, with signal 9, at random moments, again and again: while
 * several threads put and remove entries, while the database is closed, and while it is opened. The
 * next process must find every change that was acknowledged, in the entries and in the log. Of a
 * change that was not, both must have the same: it was made, or it was not.
 *
 * <p>One process writes, or two into the same database, each with senders of its own. Each of two
 * is killed and started again while the other one writes. In place of a process that is alone on
 * PostgreSQL, the server is killed now and then. The moments are not those of a seed: they depend
 * on how fast the machine is.
 */
@Tag("kill")
@Tag("large")
class TableKillTest {
    private static final int THREADS = 4;

    /** How many senders each thread has for itself. */
    private static final int SENDERS = 50;

    /**
     * The process that is killed. Arguments: the file of the database or its URL, the writer, the
     * position in the log that it reads from, and the next version.
     */
    public static void main(String... arguments) throws Exception {
        // It would be said, too.
        ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
        String domain = domain(Integer.parseInt(arguments[1]));
        String position = arguments[2];
        AtomicInteger version = new AtomicInteger(Integer.parseInt(arguments[3]));
        SplittableRandom random = new SplittableRandom(version.get());
        while (true) {
            try (Database database = open(arguments[0])) {
                ListRecord record = database.record("vip");
                record.create();
                position = tell(record, domain, position);
                long end = System.nanoTime() + random.nextInt(1, 500) * 1_000_000L;
                List<Thread> threads = new ArrayList<>();
                for (int i = 0; i < THREADS; i++) {
                    int thread = i;
                    SplittableRandom own = random.split();
                    threads.add(
                            Thread.startVirtualThread(
                                    () -> {
                                        while (System.nanoTime() < end) {
                                            int next = version.getAndIncrement();
                                            write(record, domain, thread, next, own);
                                        }
                                    }));
                }
                for (Thread thread : threads) {
                    thread.join();
                }
            } catch (IOException e) {
                fail(e);
            }
        }
    }

    private static Database open(String place) throws IOException {
        return place.startsWith("jdbc:")
                ? Database.postgres(place, "postgres", "", Duration.ofSeconds(10), THREADS)
                : Database.sqlite(Path.of(place), Duration.ofSeconds(30));
    }

    /** Ends this process without another word. */
    private static void fail(IOException failure) {
        synchronized (System.out) {
            say("failed " + failure);
            Runtime.getRuntime().halt(1);
        }
    }

    private static String domain(int writer) {
        return "@writer" + writer + ".example.com";
    }

    /** Says what entries and log hold of this writer, and returns the position of the log. */
    private static String tell(ListRecord record, String domain, String position)
            throws IOException {
        List<String> told = new ArrayList<>();
        Position now =
                record.forEach(
                        entry -> {
                            String note = entry.rules().getFirst().note();
                            told.add("entry " + entry.key() + " " + note);
                        },
                        why -> {
                            throw new IOException(why);
                        });
        if (!position.equals("-")) {
            String[] parts = position.split("/", -1);
            long seq = Long.parseLong(parts[1]);
            LogRows rows = record.log(new Position(parts[0], seq, Long.parseLong(parts[2])));
            if (!rows.continues()) {
                throw new IOException("the log does not continue from " + position);
            }
            rows.changes().forEach(change -> told.add("change " + change.key() + " -"));
            // Another writer may have changed something since.
            now = rows.to();
        }
        told.removeIf(line -> !line.contains(domain));
        String next = now.epoch() + "/" + now.seq() + "/" + now.token();
        told.add("open " + next);
        told.forEach(TableKillTest::say);
        return next;
    }

    /** Puts the version of an entry, or removes the entry, whose version is 0 then. */
    private static void write(
            ListRecord record, String domain, int thread, int version, SplittableRandom random) {
        String sender = "s" + (thread * SENDERS + random.nextInt(SENDERS)) + domain;
        boolean removes = random.nextInt(3) == 0;
        say("begins " + thread + " " + sender + " " + (removes ? 0 : version));
        Key key = key(sender);
        Edit edit =
                removes
                        ? Edit.remove(new Target(Origin.ADMIN, key, null))
                        : Edit.put(entry(sender + " note=" + version));
        try {
            say("ended " + thread + " " + record.write(List.of(edit), "test").getFirst());
        } catch (IOException e) {
            fail(e);
        }
    }

    private static void say(String line) {
        synchronized (System.out) {
            System.out.println(line);
            System.out.flush();
        }
    }

    /** What a process has begun and not been told the end of. */
    private record Begun(String sender, int version) {}

    /** What a writer was told, and must therefore find. */
    private static final class Writer {
        private final String place;

        /** The server to kill now and then, or null. */
        private final @Nullable Postgres server;

        private final int number;
        private final SplittableRandom random;

        /** The versions of the entries that there are. */
        private final Map<String, Integer> versions = new HashMap<>();

        /** The senders that the log must have since the position of the last reader. */
        private final Set<String> changed = new HashSet<>();

        /** By threads. */
        private final Map<String, Begun> begun = new HashMap<>();

        /** What a process says that it found in entries and log. */
        private final Map<String, Integer> entries = new HashMap<>();

        private final Set<String> changes = new HashSet<>();
        private String position = "-";
        private int version;
        private int acknowledged;

        /** The server, if it is killed this time, and not the process. */
        private @Nullable Postgres victim;

        Writer(String place, @Nullable Postgres server, int number) {
            this.place = place;
            this.server = server;
            this.number = number;
            this.random = new SplittableRandom(number);
        }

        boolean rounds(int rounds) throws Exception {
            for (int i = 0; i < rounds; i++) {
                round();
            }
            return true;
        }

        private void round() throws Exception {
            entries.clear();
            changes.clear();
            List<String> command =
                    ChildJava.running(
                            TableKillTest.class, "-Xmx256m", "--enable-native-access=ALL-UNNAMED");
            command.addAll(List.of(place, Integer.toString(number)));
            command.addAll(List.of(position, Integer.toString(version + 1)));
            Process process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.INHERIT)
                            .start();
            victim = random.nextInt(4) == 0 ? server : null;
            boolean isEarly = random.nextInt(4) == 0;
            int millis = isEarly ? random.nextInt(200, 900) : random.nextInt(1, 1_000);
            Callable<Boolean> killing = () -> killIn(process, millis);
            Future<Boolean> kill = null;
            try (ExecutorService killer = Executors.newVirtualThreadPerTaskExecutor();
                    BufferedReader said = process.inputReader(UTF_8)) {
                if (isEarly) {
                    kill = killer.submit(killing);
                }
                for (String line = said.readLine(); line != null; line = said.readLine()) {
                    hear(line);
                    if (kill == null && line.startsWith("open")) {
                        kill = killer.submit(killing);
                    }
                }
            } finally {
                process.destroyForcibly().waitFor();
            }
            assertThat(Objects.requireNonNull(kill, "it was not opened").get()).isTrue();
            if (victim != null) {
                victim.start();
            }
        }

        private boolean killIn(Process process, int millis) throws Exception {
            Thread.sleep(millis);
            if (victim != null) {
                victim.kill();
            } else {
                // Not the process itself, which closes what is left to read of it.
                process.toHandle().destroyForcibly();
            }
            return true;
        }

        private void hear(String line) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "entry" -> entries.put(words[1], Integer.parseInt(words[2]));
                case "change" -> changes.add(words[1]);
                case "open" -> compare(words[1]);
                case "begins" -> {
                    int next = Integer.parseInt(words[3]);
                    version = Math.max(version, next);
                    begun.put(words[1], new Begun(words[2], next));
                }
                case "ended" -> {
                    Begun change = Objects.requireNonNull(begun.remove(words[1]));
                    boolean changes = change.version > 0 || versions.containsKey(change.sender);
                    assertThat(words[2].equals("NONE")).as(line).isNotEqualTo(changes);
                    if (changes) {
                        made(change);
                        acknowledged++;
                    }
                }
                case "failed" -> assertThat(victim).as(line).isNotNull();
                default -> throw new AssertionError(line);
            }
        }

        private void made(Begun change) {
            changed.add(change.sender);
            if (change.version == 0) {
                versions.remove(change.sender);
            } else {
                versions.put(change.sender, change.version);
            }
        }

        /** Requires that entries and log have what was acknowledged, and the same of the rest. */
        private void compare(String now) {
            for (Begun change : begun.values()) {
                int there = entries.getOrDefault(change.sender, 0);
                if (there == change.version && there != versions.getOrDefault(change.sender, 0)) {
                    made(change);
                }
            }
            assertThat(entries).isEqualTo(versions);
            if (!position.equals("-")) {
                assertThat(changes).isEqualTo(changed);
            }
            begun.clear();
            changed.clear();
            entries.clear();
            changes.clear();
            position = now;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void everyAcknowledgedChangeShouldBeInSqliteAfterAKill(int writers, @TempDir Path folder)
            throws Exception {
        test(folder.resolve("lists.db").toString(), null, writers);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void everyAcknowledgedChangeShouldBeInPostgresAfterAKill(int writers, @TempDir Path folder)
            throws Exception {
        try (Postgres server = Postgres.started(folder)) {
            test(server.url("public"), writers == 1 ? server : null, writers);
        }
    }

    private static void test(String place, @Nullable Postgres server, int writers)
            throws Exception {
        int rounds = Extent.of(5, 250);
        List<Writer> all = new ArrayList<>();
        List<Future<Boolean>> running = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            for (int i = 0; i < writers; i++) {
                Writer writer = new Writer(place, server, i);
                all.add(writer);
                running.add(threads.submit(() -> writer.rounds(rounds)));
            }
            for (Future<Boolean> each : running) {
                assertThat(each.get()).isTrue();
            }
        }
        int acknowledged = all.stream().mapToInt(each -> each.acknowledged).sum();
        System.out.println("of " + acknowledged + " acknowledged changes none was lost");
        assertThat(acknowledged).isPositive();
    }
}
