package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.cli.Main;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.Authentication;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingListener;
import io.github.senderwhitelist.living.LivingSettings;
import io.github.senderwhitelist.living.LivingStatus;
import io.github.senderwhitelist.living.Merges;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.tools.PairGenerator;
import io.github.senderwhitelist.tools.SmallLists;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A living list of pairs of senders and recipients: the time of the import by the command, the
 * bytes in the database and of the base, the memory, the times of checks, beside those of a file's
 * list of the same pairs, of starts and of a merge, and the looks into the base. Options: n (pairs,
 * 10^6), only (sqlite, postgres), dir, and file: a folder in which this has put such a database, to
 * be used once more.
 */
final class LivingBench {
    private static final int STRANGERS = 1_000_000;
    private static final int HITS = 20_000;
    private static final int ROUNDS = 5;
    private static final int CHANGES = 10_000;
    private static final int FOLDED = 100_000;
    static final String NAME = "own";

    private final Path folder;

    /** Makes the names of new senders differ from those of other runs. */
    private final String run = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);

    private final int users = (int) (BenchOptions.number("n", 1_000_000) / PairGenerator.KNOWN);
    private final PairGenerator pairs = new PairGenerator(users, "user0@tenant0.example");

    private LivingBench(Path folder) {
        this.folder = folder;
    }

    /** Runs the command in a process of its own. */
    static void load(Path list, String... where) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx1g", "-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(Main.class.getName(), "import", NAME, list.toString()));
        command.addAll(List.of(where));
        long start = System.nanoTime();
        if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
            throw new IllegalStateException("the import failed");
        }
        RoundTimes.line("import: %.1f s", (System.nanoTime() - start) / 1e9);
    }

    private void measure(Database database) throws Exception {
        RoundTimes.line("entries: %d", database.record(NAME).count());
        System.gc();
        ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
        long heap = heap();
        ListCounters counters = new ListCounters();
        LivingSettings settings =
                new LivingSettings(
                        NAME,
                        FilterSize.ofRate(0.001),
                        10L * HITS,
                        0,
                        Duration.ofHours(1),
                        Duration.ofHours(2),
                        true);
        long start = System.nanoTime();
        double seconds;
        try (LivingList list = open(settings, database, counters)) {
            seconds = (System.nanoTime() - start) / 1e9;
            LivingStatus status = list.status();
            RoundTimes.line(
                    "first base: %.1f s, %d entries, %.1f MB on disk, %.2f bytes an entry,"
                            + " heap %.1f MB more, at most %d MB",
                    seconds,
                    status.entries(),
                    Files.size(base()) / 1e6,
                    (double) Files.size(base()) / status.entries(),
                    (heap() - heap) / 1e6,
                    peak() >> 20);
            Whitelist living =
                    new Whitelist(List.of(list), PlainWhitelist.policy(Subaddressing.DEFAULT));
            compareWithFile(living, settings);
            Questions strangers =
                    new Questions(
                            living,
                            STRANGERS,
                            i ->
                                    new String[] {
                                        PairGenerator.sender(PairGenerator.SENDERS + i),
                                        pairs.user(i % users)
                                    });
            strangers.ask("stranger, warm-up", 0);
            long lookups = counters.get(Count.LOOKUPS);
            strangers.ask("stranger", 0);
            RoundTimes.line(
                    "%d strangers: %d looks into the base",
                    STRANGERS, counters.get(Count.LOOKUPS) - lookups);
            measureFold(list, strangers);
        }
        measureStart(settings, database, seconds);
    }

    /** Asks for pairs that nobody has asked for, in turns with a file's list of the same pairs. */
    private void compareWithFile(Whitelist living, LivingSettings settings) throws Exception {
        Path file = folder.resolve("pairs.snapshot");
        long start = System.nanoTime();
        Whitelists.build(
                TextSource.of(Disk.LOCAL, folder.resolve("pairs.txt")),
                new BuildOptions(FilterKind.BLOCKED, settings.filter()),
                file);
        RoundTimes.line(
                "file's list: built in %.1f s, %.1f MB",
                (System.nanoTime() - start) / 1e9, Files.size(file) / 1e6);
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL.open(file), file, 0)) {
            Generation generation = Generation.exact(snapshot, settings.cacheSize());
            Questions ofFile =
                    new Questions(
                            new Whitelist(
                                    List.of(() -> generation),
                                    PlainWhitelist.policy(Subaddressing.DEFAULT)),
                            HITS,
                            this::known);
            Questions ofLiving = new Questions(living, HITS, this::known);
            RoundTimes times = new RoundTimes(ROUNDS);
            for (int warm = 0; warm < 2; warm++) {
                ofFile.ask("file, warm-up", warm);
                ofLiving.ask("living, warm-up", warm);
            }
            for (int round = 0; round < ROUNDS; round++) {
                double[] inFile = ofFile.ask("file, not cached", 2 + round);
                double[] inLiving = ofLiving.ask("living, not cached", 2 + round);
                times.put("file p50", round, RoundTimes.percentile(50, inFile));
                times.put("file p99", round, RoundTimes.percentile(99, inFile));
                times.put("living p50", round, RoundTimes.percentile(50, inLiving));
                times.put("living p99", round, RoundTimes.percentile(99, inLiving));
            }
            RoundTimes.line(
                    "listed, not cached, living to file: p50 %.2f, p99 %.2f",
                    times.ratio("living p50", "file p50"), times.ratio("living p99", "file p99"));
        }
        Files.delete(file);
    }

    /** Folds changes while checks go on. */
    private void measureFold(LivingList list, Questions checks) throws Exception {
        List<Entry> changes = new ArrayList<>();
        for (int i = 0; i < FOLDED; i++) {
            int user = (int) ((long) i * 7919 % users);
            changes.add(
                    new Entry(
                            SmallLists.address(run + i + "@new" + i % 10_007 + ".example").key(),
                            SmallLists.address(pairs.user(user)).key(),
                            List.of(new Rule(false, null, null, null, Origin.LEARNED, ""))));
        }
        for (int from = 0; from < FOLDED; from += 1_000) {
            list.write(
                    changes.subList(from, from + 1_000).stream().map(Edit::put).toList(), "bench");
        }
        long merges = list.status().merges();
        RoundTimes.line(
                "%d changes take %.1f MB",
                list.status().changes(), list.status().changeBytes() / 1e6);
        checks.ask("stranger, with changes", 0);
        System.gc();
        ManagementFactory.getMemoryPoolMXBeans().forEach(MemoryPoolMXBean::resetPeakUsage);
        long heap = heap();
        try (ExecutorService threads = Executors.newSingleThreadExecutor()) {
            Future<double[]> merge =
                    threads.submit(
                            () -> {
                                long start = System.nanoTime();
                                long before = ThreadTime.nanos();
                                Merges.now(list);
                                return new double[] {
                                    (System.nanoTime() - start) / 1e9,
                                    (ThreadTime.nanos() - before) / 1e9
                                };
                            });
            while (!merge.isDone()) {
                checks.ask("stranger, beside a merge", 0);
            }
            RoundTimes.line(
                    "merge: %.1f s, %.1f CPU s, heap at most %.0f MB more (with the checks'),"
                            + " %d merges, %d changes left",
                    merge.get()[0],
                    merge.get()[1],
                    (peak() - heap) / 1e6,
                    list.status().merges() - merges,
                    list.status().changes());
        }
        checks.ask("stranger, after it", 0);
    }

    private static long peak() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getPeakUsage().getUsed())
                .sum();
    }

    private LivingList open(LivingSettings settings, Database database, ListCounters counters) {
        return LivingList.open(settings, database.record(NAME), base(), new Silent(), counters);
    }

    private Path base() {
        return folder.resolve("own.base");
    }

    private void measureStart(LivingSettings settings, Database database, double first)
            throws IOException {
        List<Entry> changes = new ArrayList<>();
        for (int i = 0; i < CHANGES; i++) {
            String sender = run + i + "@stranger.example";
            changes.add(new Entry(SmallLists.address(sender).key(), null, Rule.ONLY_LISTS));
        }
        database.record(NAME).write(changes.stream().map(Edit::put).toList(), "bench");
        long start = System.nanoTime();
        try (LivingList list = open(settings, database, new ListCounters())) {
            double seconds = (System.nanoTime() - start) / 1e9;
            RoundTimes.line(
                    "start with a base and changes: %.3f s, %.2f %% of the first base, %d changes",
                    seconds, 100 * seconds / first, list.status().changes());
        }
        Files.delete(base());
    }

    /** Returns a sender and the user who knows it. */
    private String[] known(int i) {
        SplittableRandom random = new SplittableRandom(i);
        int user = random.nextInt(users);
        int sender = PairGenerator.known(user)[random.nextInt(PairGenerator.KNOWN)];
        return new String[] {PairGenerator.sender(sender), pairs.user(user)};
    }

    private static long heap() {
        System.gc();
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    /** Makes a sender and a recipient. */
    @FunctionalInterface
    private interface Pairs {
        String[] get(int i);
    }

    /** Questions, each of which is timed. */
    private record Questions(Whitelist whitelist, int count, Pairs pairs) {
        /** Asks the questions of a round, which no other has. Returns the times, in ns. */
        double[] ask(String what, int round) {
            double[] times = new double[count];
            int listed = 0;
            for (int i = 0; i < count; i++) {
                String[] pair = pairs.get(i + round * count);
                MailFacts question =
                        new MailFacts(
                                Sender.parse(pair[0]),
                                List.of(pair[1]),
                                Authentication.UNCONFIRMED);
                long start = System.nanoTime();
                listed += whitelist.check(question).getFirst() instanceof Listed ? 1 : 0;
                times[i] = System.nanoTime() - start;
            }
            RoundTimes.line(
                    "%-24s %d asked, %d listed, p50 %.1f us, p99 %.1f us",
                    what,
                    count,
                    listed,
                    RoundTimes.percentile(50, times) / 1e3,
                    RoundTimes.percentile(99, times) / 1e3);
            return times;
        }
    }

    static final class Silent implements LivingListener {
        @Override
        public void failed(String what, Throwable cause) {
            RoundTimes.line("%s: %s", what, cause);
        }
    }

    public static void main(String... arguments) throws Exception {
        FilledDatabases.forEach(
                (url, database, folder) -> {
                    LivingBench bench = new LivingBench(folder);
                    Path list = folder.resolve("pairs.txt");
                    bench.pairs.write(list);
                    Files.deleteIfExists(bench.base());
                    bench.measure(database);
                    Files.delete(list);
                });
    }
}
