package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.AllocatedBytes;
import io.github.senderwhitelist.tools.NumberedAddresses;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What one check costs: bytes allocated by its thread, and time. Options: n (10^6), bits (8),
 * rounds (11).
 */
final class CheckBench {
    private static final int COUNT = 1_000_000;
    private static final int CACHE = 10_000;

    private final long n = BenchOptions.number("n", 1_000_000);
    private final int rounds = (int) BenchOptions.number("rounds", 11);
    private final RoundTimes nanos = new RoundTimes(rounds);
    private final RoundTimes bytes = new RoundTimes(rounds);
    private final NumberedAddresses generator = BenchOptions.generator();
    private final PlainWhitelist whitelist;
    private final Snapshot snapshot;
    private long listed;

    private CheckBench(Path file) throws IOException {
        snapshot = Snapshot.open(Disk.LOCAL, file);
        whitelist = Whitelists.of(snapshot, CACHE);
    }

    private void run() {
        List<String> texts = new ArrayList<>();
        List<Address> strangers = new ArrayList<>();
        List<Address> turnedAway = new ArrayList<>();
        for (long i = n; turnedAway.size() < COUNT; i++) {
            String text = generator.address(i);
            Address address = Addresses.parse(text);
            if (strangers.size() < COUNT) {
                strangers.add(address);
                texts.add(text);
            }
            if (!snapshot.addressFilter().mightContain(snapshot.hasher().hash(address.key()))) {
                turnedAway.add(address);
            }
        }
        List<Address> members = new ArrayList<>();
        List<Address> few = new ArrayList<>();
        for (int i = 0; i < COUNT; i++) {
            // Multiplying by an odd number scatters the addresses, so each has left the cache
            // before it is asked again.
            members.add(Addresses.parse(generator.address(Math.floorMod(i * 7_919_999_983L, n))));
            few.add(members.get(i % 1_000));
        }
        for (int round = -3; round < rounds; round++) {
            measure("strangers the filter turns away", round, turnedAway);
            measure("strangers, all", round, strangers);
            measureParsing("strangers, all, parse included", round, texts);
            measure("listed, cached", round, few);
            measure("listed, not cached", round, members);
        }
        RoundTimes.line("n = %d, %d rounds of %d checks (listed %d)", n, rounds, COUNT, listed);
        RoundTimes.line("%-34s %10s %12s", "check of", "ns", "bytes");
        for (String name :
                List.of(
                        "strangers the filter turns away",
                        "strangers, all",
                        "strangers, all, parse included",
                        "listed, cached",
                        "listed, not cached")) {
            RoundTimes.line("%-34s %10.1f %12.2f", name, nanos.median(name), bytes.median(name));
        }
    }

    private void measure(String name, int round, List<Address> senders) {
        long allocated = AllocatedBytes.now();
        long start = System.nanoTime();
        for (Address sender : senders) {
            count(whitelist.check(sender));
        }
        put(name, round, System.nanoTime() - start, allocated);
    }

    private void measureParsing(String name, int round, List<String> senders) {
        long allocated = AllocatedBytes.now();
        long start = System.nanoTime();
        for (String sender : senders) {
            count(whitelist.check(Addresses.parse(sender)));
        }
        put(name, round, System.nanoTime() - start, allocated);
    }

    private void count(Verdict verdict) {
        listed += verdict instanceof Listed ? 1 : 0;
    }

    private void put(String name, int round, long time, long allocatedBefore) {
        long allocated = AllocatedBytes.now() - allocatedBefore;
        if (round >= 0) {
            nanos.put(name, round, time / (double) COUNT);
            bytes.put(name, round, allocated / (double) COUNT);
        }
    }

    /** Runs the benchmark. */
    public static void main(String... arguments) throws Exception {
        BenchOptions.inFolder(
                folder -> {
                    Path file = folder.resolve("check.swl");
                    long n = BenchOptions.number("n", 1_000_000);
                    GeneratedList.build(n, (double) BenchOptions.number("bits", 8), file);
                    new CheckBench(file).run();
                });
    }
}
