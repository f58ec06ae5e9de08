package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.senderwhitelist.tools.AddressGenerator;
import io.github.senderwhitelist.tools.PairGenerator;

import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A list of millions of addresses in a whole James 3.8.1 with a heap of 512 MB: verdicts are right
 * when it was loaded and when it was refreshed. What it took is printed, and judged by whoever
 * reads it.
 *
 * <p>The list of ten millions takes minutes, so it runs only when asked for:
 *
 * <pre>
 * mvn verify -Dit.test=LargeListIT -Dlarge.lists=true -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 */
class LargeListIT {
    private static final long DOMAINS = 100_000;
    private static final int SAMPLE = 40;

    /** The longest wait. Only something broken takes longer. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    /**
     * The pause between mails that test whether a list is active. James keeps all mails in memory.
     */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private final AddressGenerator addresses = new AddressGenerator(DOMAINS);
    private @Nullable James38 james;

    /** The number of mails sent so far. */
    private int sent;

    @RegisterExtension
    final LogOnFailure logOnFailure = new LogOnFailure(() -> james == null ? "" : james.log());

    /** The changes of an edit: lines left out, and lines added at the end. */
    private record Edit(Set<Long> without, List<String> added, boolean lastLineEnds) {
        static final Edit NONE = new Edit(Set.of(), List.of(), true);
    }

    @AfterEach
    void stopServer() throws IOException {
        if (james != null) {
            james.close();
            removeLargeFiles(james.directory());
        }
    }

    @Test
    void aMillionAddressesAreToldFromStrangers() throws Exception {
        assertToldFromStrangers("10^6", 1_000_000, false);
    }

    @Test
    @EnabledIfSystemProperty(named = "large.lists", matches = "true")
    void tenMillionAddressesAreToldFromStrangers() throws Exception {
        assertToldFromStrangers("10^7", 10_000_000, true);
        stopServer();
        reportServerAlone();
    }

    /** 10^5 users who each know 200 senders; sam is one of them. */
    @Test
    @EnabledIfSystemProperty(named = "large.lists", matches = "true")
    void twentyMillionPairsAreTold() throws Exception {
        ServerDirectory directory = directory("pairs");
        new PairGenerator(100_000, SAM).write(directory.whitelist());
        long started = System.nanoTime();
        james = start(directory);
        report("2e7 pairs: from launch to users made: %.1f s", seconds(started));
        ServerHeap heap = ServerHeap.of(james().process(), directory);
        List<String> known =
                Arrays.stream(PairGenerator.known(0)).mapToObj(PairGenerator::sender).toList();
        Set<String> ofSam = Set.copyOf(known);
        List<String> ofOthers =
                IntStream.rangeClosed(1, 200)
                        .mapToObj(user -> PairGenerator.sender(PairGenerator.known(user)[0]))
                        .filter(sender -> !ofSam.contains(sender))
                        .distinct()
                        .toList();
        List<String> strangers =
                IntStream.range(0, 100)
                        .mapToObj(i -> PairGenerator.sender(PairGenerator.SENDERS + i))
                        .toList();
        assertVerdicts(Stream.of(List.copyOf(ofSam)), Stream.of(ofOthers, strangers));
        report(
                "2e7 pairs: %d mails right; most used after a collection %d MB; live %d MB;"
                        + " memory of the process at most %s",
                sent, heap.most(0), heap.live(), memory());
    }

    private void assertToldFromStrangers(String name, long count, boolean measured)
            throws Exception {
        ServerDirectory directory = directory(name);
        putList(directory, count, Edit.NONE);
        long started = System.nanoTime();
        james = start(directory);
        report("%s: from launch to users made: %.1f s", name, seconds(started));
        ServerHeap heap = ServerHeap.of(james().process(), directory);
        int mostAtStart = heap.most(0);
        assertVerdicts(members(count), strangers(count));
        int liveAtFirst = heap.live();
        report(
                "%s: at start: most used after a collection %d MB; live afterwards %d MB",
                name, mostAtStart, liveAtFirst);

        // Remove a line in the middle and the last line, and add one.
        long middle = count / 2;
        String added = "y" + addresses.address(0);
        Edit first = new Edit(Set.of(middle, count - 1), List.of(added), true);
        int mark = heap.mark();
        putList(directory, count, first);
        double took = untilVerdict(added, true, count, () -> {});
        report(
                "%s: first refresh: active %.1f s after the edit;"
                        + " most used after a collection %d MB; live afterwards %d MB",
                name, took, heap.most(mark), heap.live());
        List<String> gone = List.of(addresses.address(middle), addresses.address(count - 1));
        assertVerdicts(Stream.of(members(count), List.of(added)), Stream.of(gone));

        // The one that came goes again, a line that had gone is the last now, without an LF. The
        // heap is looked at meanwhile by full collections, so that what is found was alive.
        Edit second = new Edit(Set.of(middle), List.of(), false);
        LiveSamples live = new LiveSamples(heap);
        putList(directory, count, second);
        took = untilVerdict(added, false, count, measured ? live : () -> {});
        if (measured) {
            report(
                    "%s: second refresh, with full collections: active %.1f s after the"
                            + " edit; live heap at most %d MB (%d samples: %s); afterwards %d MB",
                    name, took, live.most(), live.samples.size(), live.samples, heap.live());
        }
        report("%s: %d mails; memory of the process at most %s", name, sent, memory());
        assertVerdicts(
                Stream.of(members(count), List.of(addresses.address(count - 1))),
                Stream.of(
                        strangers(count), List.of(addresses.address(middle), added, "y" + added)));
    }

    /**
     * Measures a server with a tiny list after as many mails, because James keeps all mails in
     * memory.
     */
    private void reportServerAlone() throws Exception {
        int mails = sent;
        ServerDirectory directory = directory("alone");
        putList(directory, SAMPLE, Edit.NONE);
        james = start(directory);
        ServerHeap heap = ServerHeap.of(james().process(), directory);
        int most = heap.most(0);
        sent = 0;
        assertVerdicts(members(SAMPLE), strangers(SAMPLE));
        report(
                "%d addresses: at start: most used after a collection %d MB; live afterwards %d MB",
                SAMPLE, most, heap.live());
        int mark = heap.mark();
        while (sent < mails) {
            verdicts(strangers(SAMPLE).subList(0, Math.min(SAMPLE, mails - sent)));
        }
        report(
                "%d addresses: after %d mails: most used after a collection %d MB; live %d MB;"
                        + " memory of the process at most %s",
                SAMPLE, sent, heap.most(mark), heap.live(), memory());
    }

    private static final class LiveSamples implements Step {
        private final ServerHeap heap;
        private final List<Integer> samples = new ArrayList<>();

        LiveSamples(ServerHeap heap) {
            this.heap = heap;
        }

        @Override
        public void run() throws IOException, InterruptedException {
            samples.add(heap.live());
        }

        int most() {
            return samples.stream().mapToInt(Integer::intValue).max().orElse(0);
        }
    }

    @FunctionalInterface
    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    // The server

    private James38 james() {
        return Objects.requireNonNull(james);
    }

    private static ServerDirectory directory(String name) throws IOException {
        return ServerDirectory.create(
                Path.of("target/it", LargeListIT.class.getSimpleName(), name), James38.JAR);
    }

    private James38 start(ServerDirectory directory) throws IOException, InterruptedException {
        James38 server =
                James38.launch(
                        directory, James38.Ports.free(), null, ServerHeap.options(directory));
        james = server;
        patiently().until(() -> server.log().contains(James38.READY) || !server.process().alive());
        assertThat(server.process().alive()).as("started").isTrue();
        return server.withUsers();
    }

    private static ConditionFactory patiently() {
        return await().atMost(PATIENCE).pollInterval(Duration.ofMillis(200)).pollInSameThread();
    }

    private String memory() throws IOException {
        Path status = Path.of("/proc", Long.toString(james().process().pid()), "status");
        if (!Files.exists(status)) {
            return "unknown";
        }
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .map(line -> line.substring("VmHWM:".length()).strip())
                .findFirst()
                .orElse("unknown");
    }

    private static void removeLargeFiles(ServerDirectory directory) throws IOException {
        Files.deleteIfExists(directory.whitelist());
        Path work = directory.path().resolve("var/whitelist");
        if (Files.exists(work)) {
            try (Stream<Path> files = Files.list(work)) {
                for (Path file : files.toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    // The list

    private void putList(ServerDirectory directory, long count, Edit edit) throws IOException {
        Path next = directory.conf("whitelist.txt.new");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(next), 1 << 18)) {
            boolean first = true;
            for (long i = 0; i < count; i++) {
                if (edit.without.contains(i)) {
                    continue;
                }
                if (!first) {
                    out.write('\n');
                }
                first = false;
                addresses.fill(i);
                out.write(addresses.bytes(), 0, addresses.length());
            }
            for (String line : edit.added) {
                out.write(("\n" + line).getBytes(StandardCharsets.US_ASCII));
            }
            if (edit.lastLineEnds) {
                out.write('\n');
            }
        }
        Files.move(
                next,
                directory.whitelist(),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    /** Returns some addresses that are in the list after every edit, among them the first line. */
    private List<String> members(long count) {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < SAMPLE; i++) {
            members.add(addresses.address(i * (count / (SAMPLE + 1))));
        }
        return members;
    }

    /**
     * Returns addresses that are not in the list. Half of them are generated in the same way, and
     * half differ from a member in one letter.
     */
    private List<String> strangers(long count) {
        List<String> strangers = new ArrayList<>();
        for (int i = 0; i < SAMPLE; i++) {
            strangers.add(
                    i % 2 == 0
                            ? addresses.address(count + 1 + i * 1_000_003L)
                            : "x" + addresses.address(i * (count / (SAMPLE + 1))));
        }
        return strangers;
    }

    // Mails

    private void assertVerdicts(List<String> listed, List<String> notListed) throws IOException {
        assertVerdicts(Stream.of(listed), Stream.of(notListed));
    }

    private void assertVerdicts(Stream<List<String>> listed, Stream<List<String>> notListed)
            throws IOException {
        List<String> wantedInInbox = listed.flatMap(List::stream).toList();
        List<String> wantedElsewhere = notListed.flatMap(List::stream).toList();
        List<String> senders =
                Stream.of(wantedInInbox, wantedElsewhere).flatMap(List::stream).toList();
        List<String> expected = new ArrayList<>();
        wantedInInbox.forEach(sender -> expected.add(sender + " listed " + INBOX));
        wantedElsewhere.forEach(sender -> expected.add(sender + " not-listed " + UNLISTED));

        assertThat(verdicts(senders)).isEqualTo(expected);
    }

    /** Sends a mail of each and waits until all have arrived: sender, verdict, folder. */
    private List<String> verdicts(List<String> senders) throws IOException {
        List<Letter> letters = new ArrayList<>();
        try (SmtpClient smtp = new SmtpClient(james().smtpPort())) {
            for (String sender : senders) {
                Letter letter = Letter.simple("large list");
                smtp.send(sender, List.of(SAM), letter.bytes());
                letters.add(letter);
                sent++;
            }
        }
        Map<String, String> arrived = new HashMap<>();
        patiently()
                .until(
                        () -> {
                            for (String folder : List.of(INBOX, UNLISTED)) {
                                for (Letter letter : james().mails(SAM, folder)) {
                                    String verdict = letter.verdict().orElse("none");
                                    arrived.put(letter.id(), verdict + " " + folder);
                                }
                            }
                            return letters.stream().allMatch(l -> arrived.containsKey(l.id()));
                        });
        List<String> verdicts = new ArrayList<>();
        for (int i = 0; i < letters.size(); i++) {
            verdicts.add(senders.get(i) + " " + arrived.get(letters.get(i).id()));
        }
        return verdicts;
    }

    /**
     * Sends mails until the verdict on a sender is this one, and returns how many seconds that
     * took. On others nothing changes meanwhile.
     */
    private double untilVerdict(String sender, boolean listed, long count, Step meanwhile)
            throws IOException, InterruptedException {
        long start = System.nanoTime();
        String member = members(count).getLast();
        String stranger = strangers(count).getLast();
        while (true) {
            List<String> verdicts = verdicts(List.of(sender, member, stranger));
            assertThat(verdicts.get(1)).isEqualTo(member + " listed " + INBOX);
            assertThat(verdicts.get(2)).isEqualTo(stranger + " not-listed " + UNLISTED);
            if (verdicts.getFirst()
                    .equals(
                            sender
                                    + (listed ? " listed " : " not-listed ")
                                    + (listed ? INBOX : UNLISTED))) {
                return seconds(start);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .as("patience")
                    .isLessThan(PATIENCE);
            meanwhile.run();
            Thread.sleep(PAUSE);
        }
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    @SuppressWarnings("AnnotateFormatMethod")
    private static void report(String format, Object... values) {
        System.out.println("LargeListIT: " + String.format(Locale.ROOT, format, values));
    }
}
