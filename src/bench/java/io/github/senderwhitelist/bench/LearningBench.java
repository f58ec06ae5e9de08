package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.database.Database;
import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.learning.Learner;
import io.github.senderwhitelist.learning.LearningLimits;
import io.github.senderwhitelist.living.LivingList;
import io.github.senderwhitelist.living.LivingSettings;
import io.github.senderwhitelist.tools.PairGenerator;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Users write to strangers while mails come in: how much is learned in a second, each with a write
 * to the disk, how many checks are made meanwhile, and how many of their verdicts are wrong.
 * Options: n (pairs that are there before, 10^6), only (sqlite, postgres), dir, and file: a folder
 * in which this or {@link LivingBench} has put such a database, to be used once more.
 */
final class LearningBench {
    private static final Duration PHASE = Duration.ofSeconds(20);
    private static final int MOST = 5_000_000;
    private static final String NAME = "own";

    private final int users = (int) (BenchOptions.number("n", 1_000_000) / PairGenerator.KNOWN);
    private final PairGenerator pairs = new PairGenerator(users, "user0@tenant0.example");
    private final Instant begin = Instant.now();
    private final LivingList list;
    private final Whitelist whitelist;

    /** Makes the names of new correspondents differ from those of other runs. */
    private final String run = Long.toString(begin.toEpochMilli(), 36);

    /** The users who wrote to the new correspondents, by number, once that is acknowledged. */
    private final AtomicReferenceArray<String> learned = new AtomicReferenceArray<>(MOST);

    private final AtomicInteger next = new AtomicInteger();
    private final AtomicInteger renewals = new AtomicInteger();
    private final AtomicLong wrong = new AtomicLong();

    private LearningBench(LivingList list) {
        this.list = list;
        this.whitelist = new Whitelist(List.of(list), PlainWhitelist.policy(Subaddressing.DEFAULT));
    }

    private static Key key(String address) {
        return Addresses.parse(address).key();
    }

    private String correspondent(int number) {
        return "p" + number + "." + run + "@new" + number % 10_007 + ".example";
    }

    private Learner learner(int laterDays) {
        LearningLimits limits = new LearningLimits(365, 1_000_000, 1_000_000);
        return new Learner(list, limits, () -> begin.plus(Duration.ofDays(laterDays)));
    }

    /** Something that is done again and again. */
    @FunctionalInterface
    private interface Work {
        void run(SplittableRandom random) throws IOException;
    }

    private void learn(SplittableRandom random) throws IOException {
        int number = next.getAndIncrement();
        String user = pairs.user(random.nextInt(users));
        learner(0).learn(key(user), List.of(key(correspondent(number))));
        learned.set(number, user);
    }

    /** Writes once more to somebody who was written to, a day later than the last time. */
    private void renew(SplittableRandom random) throws IOException {
        int turn = renewals.getAndIncrement();
        int number = turn % next.get();
        String user = learned.get(number);
        if (user != null) {
            learner(1 + turn / next.get()).learn(key(user), List.of(key(correspondent(number))));
        }
    }

    private void check(SplittableRandom random) {
        if (random.nextInt(10) > 0 || next.get() == 0) {
            String stranger = "x" + random.nextInt(1_000_000) + "@stranger.example";
            count(stranger, pairs.user(random.nextInt(users)), false);
            return;
        }
        int number = random.nextInt(next.get());
        String user = learned.get(number);
        if (user != null) {
            count(correspondent(number), user, true);
            count(correspondent(number), "somebody@else.example", false);
        }
    }

    private void count(String sender, String user, boolean listed) {
        var verdict =
                whitelist
                        .check(
                                new MailFacts(
                                        Sender.parse(sender),
                                        List.of(user),
                                        address -> Set.of(Confirmation.SPF)))
                        .getFirst();
        if (listed ? !(verdict instanceof Listed) : !(verdict instanceof NotListed)) {
            wrong.incrementAndGet();
            RoundTimes.line("WRONG: %s to %s: %s", sender, user, verdict);
        }
    }

    private void phase(String what, int learners, Work work, int checkers) throws Exception {
        AtomicLong done = new AtomicLong();
        AtomicLong checks = new AtomicLong();
        long end = System.nanoTime() + PHASE.toNanos();
        List<Callable<Boolean>> tasks = new ArrayList<>();
        for (int i = 0; i < learners; i++) {
            tasks.add(repeat(work, end, done, i));
        }
        for (int i = 0; i < checkers; i++) {
            tasks.add(repeat(this::check, end, checks, 1000 + i));
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(tasks.size())) {
            for (Future<Boolean> each : threads.invokeAll(tasks)) {
                each.get();
            }
        }
        Runtime runtime = Runtime.getRuntime();
        RoundTimes.line(
                "%-34s %8.0f writes/s, %9.0f checks/s, heap in use %d MB, %d wrong",
                what,
                done.get() / (double) PHASE.toSeconds(),
                checks.get() / (double) PHASE.toSeconds(),
                (runtime.totalMemory() - runtime.freeMemory()) >> 20,
                wrong.get());
    }

    private static Callable<Boolean> repeat(Work work, long end, AtomicLong count, int seed) {
        return () -> {
            SplittableRandom random = new SplittableRandom(seed + System.nanoTime());
            while (System.nanoTime() < end) {
                work.run(random);
                count.incrementAndGet();
            }
            return true;
        };
    }

    private static void measure(Database database, Path folder) throws Exception {
        LivingSettings settings =
                new LivingSettings(
                        NAME,
                        FilterSize.ofRate(0.001),
                        100_000,
                        0,
                        Duration.ofSeconds(2),
                        Duration.ofSeconds(30),
                        true);
        try (LivingList list =
                LivingList.open(
                        settings,
                        database.record(NAME),
                        folder.resolve("learning.base"),
                        new LivingBench.Silent(),
                        new ListCounters())) {
            RoundTimes.line("%d entries before", list.status().entries());
            LearningBench bench = new LearningBench(list);
            bench.phase("checks alone", 0, bench::learn, 1);
            bench.phase("new, 1 thread", 1, bench::learn, 0);
            bench.phase("checks alone, of new ones, too", 0, bench::learn, 1);
            bench.phase("new, 1 thread, and checks", 1, bench::learn, 1);
            bench.phase("new, 8 threads, and checks", 8, bench::learn, 1);
            bench.phase("renewed, 1 thread, and checks", 1, bench::renew, 1);
            RoundTimes.line("%d learned, %d wrong", bench.next.get(), bench.wrong.get());
        }
    }

    public static void main(String... arguments) throws Exception {
        FilledDatabases.forEach((url, database, folder) -> measure(database, folder));
    }
}
