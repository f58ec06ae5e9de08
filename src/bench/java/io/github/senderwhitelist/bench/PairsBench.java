package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Authentication;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.decision.ListCounters.Count;
import io.github.senderwhitelist.decision.MailFacts;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Sender;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Whitelist;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.tools.PairGenerator;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntFunction;

/**
 * A list of users who each know some senders, a few of which nearly everybody knows. Options: n
 * (users, 10^5), addresses, file (target/pairs.txt): a list is written there, or a snapshot of it,
 * which ends in .swl, is asked.
 */
final class PairsBench {
    private static final int QUESTIONS = 1_000_000;

    private final int users = (int) BenchOptions.number("n", 100_000);
    private final PairGenerator pairs = new PairGenerator(users, "user0@tenant0.example");

    private final IntFunction<String> senders = BenchOptions.senders();

    private void ask(Path file) throws IOException {
        SnapshotHeader header = Snapshot.readHeader(Disk.LOCAL, file);
        RoundTimes.line(
                "%d entries for recipients, %.3f bytes of the exact store each",
                header.pairs(), header.storeBytes() / (double) header.pairs());
        ListCounters counters = new ListCounters();
        Snapshot snapshot = Snapshot.open(Disk.LOCAL, file);
        Generation generation = new Generation(snapshot, snapshot.store(), null, 100_000, counters);
        Whitelist whitelist =
                new Whitelist(
                        List.of(() -> generation), PlainWhitelist.policy(Subaddressing.DEFAULT));
        SplittableRandom random = new SplittableRandom(1);
        int wrong = 0;
        int listed = 0;
        long start = System.nanoTime();
        for (int i = 0; i < QUESTIONS; i++) {
            int user = random.nextInt(users);
            int known = PairGenerator.known(user)[random.nextInt(PairGenerator.KNOWN)];
            boolean other = i % 2 == 0;
            int sender =
                    other ? PairGenerator.SENDERS + random.nextInt(PairGenerator.SENDERS) : known;
            Verdict verdict =
                    check(whitelist, senders.apply(sender), List.of(pairs.user(user))).getFirst();
            listed += verdict instanceof Listed ? 1 : 0;
            wrong += verdict instanceof Listed == other ? 1 : 0;
        }
        RoundTimes.line(
                "%d questions, %d listed, %d wrong, %.1f us each",
                QUESTIONS, listed, wrong, (System.nanoTime() - start) / 1e3 / QUESTIONS);
        for (int count : new int[] {1, 50, 1_000}) {
            List<String> recipients = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                recipients.add("other" + i + "@tenant1.example");
            }
            for (String sender : List.of("stranger@evil.test", senders.apply(0))) {
                long probes = questions(counters);
                long lookups = counters.get(Count.LOOKUPS);
                long began = System.nanoTime();
                check(whitelist, sender, recipients);
                RoundTimes.line(
                        "%-20s %4d recipients: %d questions to the address filter, %d reads, %d us",
                        sender,
                        count,
                        questions(counters) - probes,
                        counters.get(Count.LOOKUPS) - lookups,
                        (System.nanoTime() - began) / 1000);
            }
        }
        Runtime runtime = Runtime.getRuntime();
        System.gc();
        RoundTimes.line(
                "heap in use %d MB of %d MB",
                (runtime.totalMemory() - runtime.freeMemory()) >> 20, runtime.maxMemory() >> 20);
    }

    private static long questions(ListCounters counters) {
        return counters.get(Count.FILTER_NO) + counters.get(Count.FILTER_MAYBE);
    }

    private static List<Verdict> check(
            Whitelist whitelist, String sender, List<String> recipients) {
        return whitelist.check(
                new MailFacts(Sender.parse(sender), recipients, Authentication.UNCONFIRMED));
    }

    public static void main(String[] args) throws IOException {
        String given = BenchOptions.text("file");
        Path file = Path.of(given.isEmpty() ? "target/pairs.txt" : given);
        PairsBench bench = new PairsBench();
        if (file.toString().endsWith(".swl")) {
            bench.ask(file);
        } else {
            bench.pairs.write(file, bench.senders);
        }
    }
}
