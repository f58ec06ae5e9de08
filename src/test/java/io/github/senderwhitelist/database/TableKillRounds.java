package io.github.senderwhitelist.database;

import static io.github.senderwhitelist.database.Lines.entry;
import static io.github.senderwhitelist.database.Lines.key;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.living.ListRecord;
import io.github.senderwhitelist.living.ListRecord.Change;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.LogRows;
import io.github.senderwhitelist.living.ListRecord.Position;
import io.github.senderwhitelist.living.ListRecord.Target;
import io.github.senderwhitelist.tools.ChildJava;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Kills processes that change a list in SQLite, with signal 9, at random moments, again and again:
 * while several threads put and remove entries, while the database is closed, and while it is
 * opened. The next process must find every change that was acknowledged, in the entries and in the
 * log. Of a change that was not, both must have the same: it was made, or it was not.
 *
 * <p>One process writes, or two on the same file, each with senders of its own. Each of two is
 * killed and started again while the other one writes.
 *
 * <p>The moments are not those of a seed: they depend on how fast the machine is.
 */
final class TableKillRounds {
    private static final int THREADS = 4;

    /** How many senders each thread has for itself. */
    private static final int SENDERS = 50;

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** What a thread has begun and not been told the end of. A version of 0 removes. */
    private record Begun(int sender, int version) {}

    private final Path file;
    private final int writer;
    private final SplittableRandom random;

    /** The version of each sender's entry; 0 when it has none. */
    private final int[] versions = new int[THREADS * SENDERS];

    /** How many changes of each sender the log must have, since the position of the last reader. */
    private final int[] changes = new int[THREADS * SENDERS];

    private final @Nullable Begun[] begun = new Begun[THREADS];
    private String position = "-";
    private int version;
    private int acknowledged;
    private int cut;
    private int opening;

    private TableKillRounds(Path file, int writer, SplittableRandom random) {
        this.file = file;
        this.writer = writer;
        this.random = random;
    }

    private static String address(int writer, int sender) {
        return "sender" + sender + domain(writer);
    }

    private static String domain(int writer) {
        return "@writer" + writer + ".example.com";
    }

    // The process that is killed.

    private static void change(Path file, int writer, String position, int version)
            throws Exception {
        String from = position;
        SplittableRandom random = new SplittableRandom(version);
        for (int next = version; ; ) {
            try (Database database = Database.sqlite(file, TIMEOUT)) {
                ListRecord record = database.record("vip");
                record.create();
                from = tell(record, writer, from);
                next = write(record, writer, next, random.nextInt(1, 500), random);
            }
        }
    }

    /** Says what entries and log hold of this writer, and returns the position of the log. */
    private static String tell(ListRecord record, int writer, String position) throws IOException {
        List<String> told = new ArrayList<>();
        Position now =
                record.forEach(
                        entry -> {
                            if (entry.key().toString().endsWith(domain(writer))) {
                                told.add("entry " + String.join(";", entry.lines()));
                            }
                        },
                        why -> {
                            throw new IOException(why);
                        });
        if (!position.equals("-")) {
            String[] parts = position.split("/", 3);
            LogRows rows =
                    Objects.requireNonNull(
                            record.log(
                                    new Position(
                                            parts[0],
                                            Long.parseLong(parts[1]),
                                            Long.parseLong(parts[2]))),
                            "the log does not continue from " + position + ", it is at " + now);
            for (Change change : rows.changes()) {
                String sender = change.entry().key().toString();
                if (sender.endsWith(domain(writer))) {
                    told.add("change " + sender);
                }
            }
            // Another writer may have changed something since.
            now = rows.to();
        }
        String next = now.epoch() + "/" + now.seq() + "/" + now.token();
        told.add("open " + next);
        told.forEach(TableKillRounds::say);
        return next;
    }

    /** Changes entries for a while, in several threads, and returns the next version. */
    private static int write(
            ListRecord record, int writer, int version, int millis, SplittableRandom random)
            throws InterruptedException {
        long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        int[] next = {version};
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            int thread = i;
            SplittableRandom own = random.split();
            threads.add(
                    Thread.startVirtualThread(
                            () -> {
                                while (System.nanoTime() < end) {
                                    int number;
                                    synchronized (next) {
                                        number = next[0]++;
                                    }
                                    writeOne(record, writer, thread, number, own);
                                }
                            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        return next[0];
    }

    private static void writeOne(
            ListRecord record, int writer, int thread, int version, SplittableRandom own) {
        int sender = thread * SENDERS + own.nextInt(SENDERS);
        boolean removes = own.nextInt(3) == 0;
        say("begins " + thread + " " + sender + " " + (removes ? 0 : version));
        try {
            Edit edit =
                    removes
                            ? Edit.remove(
                                    new Target(Origin.ADMIN, key(address(writer, sender)), null))
                            : Edit.put(entry(address(writer, sender) + " note=" + version));
            Effect effect = record.write(List.of(edit), "test").getFirst();
            say("ended " + thread + " " + effect);
        } catch (IOException e) {
            say("failed " + e);
        }
    }

    private static void say(String line) {
        synchronized (System.out) {
            System.out.println(line);
            System.out.flush();
        }
    }

    // The process that kills.

    private void round() throws Exception {
        List<String> command = ChildJava.running(TableKillRounds.class, "-Xmx256m", "-Xshare:auto");
        command.addAll(List.of(file.toString(), Integer.toString(writer)));
        command.addAll(List.of(position, Integer.toString(version + 1)));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        boolean early = random.nextInt(4) == 0;
        if (early) {
            killIn(process, random.nextInt(200, 900));
        }
        Found found = new Found();
        boolean opened = false;
        try (BufferedReader said = process.inputReader(UTF_8)) {
            for (String line = said.readLine(); line != null; line = said.readLine()) {
                if (hear(line, found)) {
                    found = new Found();
                    if (!opened && !early) {
                        killIn(process, random.nextInt(1, 1_000));
                    }
                    opened = true;
                }
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
        require(opened || early, "the database was not opened");
        opening += opened ? 0 : 1;
        for (Begun change : begun) {
            cut += change == null ? 0 : 1;
        }
    }

    private static void killIn(Process process, int millis) {
        Thread.startVirtualThread(
                () -> {
                    try {
                        Thread.sleep(millis);
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    // Not the process itself, which closes what is left to read of it.
                    process.toHandle().destroyForcibly();
                });
    }

    /** What a process says that it found. */
    private static final class Found {
        final Map<String, String> entries = new HashMap<>();
        final Map<String, Integer> changes = new HashMap<>();
    }

    /** Takes what the process says. Returns whether it has told all that it found. */
    private boolean hear(String line, Found found) {
        String[] words = line.split(" ", -1);
        switch (words[0]) {
            case "entry" -> found.entries.put(words[1], words[2]);
            case "change" -> found.changes.merge(words[1], 1, Integer::sum);
            case "open" -> {
                for (int sender = 0; sender < versions.length; sender++) {
                    compare(sender, found);
                }
                require(found.entries.isEmpty(), "entries of others: " + found.entries);
                position = words[1];
                return true;
            }
            case "begins" -> {
                int changed = Integer.parseInt(words[3]);
                version = Math.max(version, changed);
                begun[Integer.parseInt(words[1])] = new Begun(Integer.parseInt(words[2]), changed);
            }
            case "ended" -> {
                int thread = Integer.parseInt(words[1]);
                Begun change = Objects.requireNonNull(begun[thread]);
                begun[thread] = null;
                boolean changes = (versions[change.sender] | change.version) != 0;
                require(changes != words[2].equals("NONE"), line + " after " + change);
                if (changes) {
                    made(change);
                    acknowledged++;
                }
            }
            default -> throw new AssertionError(line);
        }
        return false;
    }

    private void made(Begun change) {
        versions[change.sender] = change.version;
        changes[change.sender]++;
    }

    /** Requires that entries and log have what was acknowledged of a sender, and the same. */
    private void compare(int sender, Found found) {
        String line = found.entries.remove(address(writer, sender));
        int there = line == null ? 0 : Integer.parseInt(line.substring("note=".length()));
        Begun change = begun[sender / SENDERS];
        if (change != null && change.sender == sender) {
            begun[sender / SENDERS] = null;
            if (there == change.version && there != versions[sender]) {
                made(change);
            }
        }
        require(
                there == versions[sender],
                address(writer, sender)
                        + " has version "
                        + there
                        + " and should have "
                        + versions[sender]);
        int told = found.changes.getOrDefault(address(writer, sender), 0);
        require(
                position.equals("-") || told == Math.min(1, changes[sender]),
                address(writer, sender)
                        + ": "
                        + told
                        + " changes in the log, not those of "
                        + changes[sender]);
        changes[sender] = 0;
    }

    private static void require(boolean condition, String what) {
        if (!condition) {
            throw new AssertionError(what);
        }
    }

    private int rounds(int rounds) throws Exception {
        for (int round = 0; round < rounds; round++) {
            round();
        }
        return rounds;
    }

    /** Kills each of some writers so many times. */
    static String run(int rounds, int writers, Path folder, long seed) throws Exception {
        Files.createDirectories(folder);
        Path file = Files.createTempDirectory(folder, "table").resolve("lists.db");
        SplittableRandom random = new SplittableRandom(seed);
        List<TableKillRounds> all = new ArrayList<>();
        for (int writer = 0; writer < writers; writer++) {
            all.add(new TableKillRounds(file, writer, random.split()));
        }
        int killed = 0;
        try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            List<Future<Integer>> running =
                    all.stream().map(each -> threads.submit(() -> each.rounds(rounds))).toList();
            for (Future<Integer> each : running) {
                killed += each.get();
            }
        }
        return "killed "
                + killed
                + " times, "
                + all.stream().mapToInt(each -> each.opening).sum()
                + " of them before the database was open, with "
                + all.stream().mapToInt(each -> each.cut).sum()
                + " changes cut off; of "
                + all.stream().mapToInt(each -> each.acknowledged).sum()
                + " acknowledged changes none was lost";
    }

    /** The process that is killed. Arguments: the file, the writer, its position and version. */
    public static void main(String... arguments) throws Exception {
        change(
                Path.of(arguments[0]),
                Integer.parseInt(arguments[1]),
                arguments[2],
                Integer.parseInt(arguments[3]));
    }
}
