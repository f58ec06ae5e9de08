package io.github.senderwhitelist.it;

import static io.github.senderwhitelist.it.JamesServer.INBOX;
import static io.github.senderwhitelist.it.JamesServer.SAM;
import static io.github.senderwhitelist.it.JamesServer.UNLISTED;
import static io.github.senderwhitelist.it.JamesServer.patiently;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.tools.AddressGenerator;

import org.junit.jupiter.api.Test;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A million addresses in a whole James 3.8.1, or as many as the command says. It prints how long
 * refreshes took and how much memory the server used:
 *
 * <pre>
 * mvn verify -Dit.test=LargeListIT -Dlarge.list=10000000 -Dtest=None -Dsurefire.failIfNoSpecifiedTests=false
 * </pre>
 */
class LargeListIT extends OneJames38 {
    private static final int COUNT = Integer.getInteger("large.list", 1_000_000);
    private static final long DOMAINS = 100_000;
    private static final int SAMPLE = 40;

    private final AddressGenerator addresses = new AddressGenerator(DOMAINS);

    @Test
    void membersAreToldFromStrangersThroughRefreshes() throws Exception {
        ServerDirectory directory =
                ServerDirectory.create(Path.of("target/it/large-list"), James38.JAR);
        try {
            write(directory, Set.of(), "");
            start(directory, null);
            james().withUsers();
            assertVerdicts(members(), strangers());

            // A line in the middle and the last line go, and one comes.
            String middle = addresses.address(COUNT / 2);
            String last = addresses.address(COUNT - 1);
            String added = "y" + addresses.address(0);
            write(directory, Set.of(COUNT / 2, COUNT - 1), added + "\n");
            awaitFolder(added, INBOX);
            assertVerdicts(with(members(), added), List.of(middle, last));

            // The one that came goes again, a line that had gone is the last now, without an LF.
            write(directory, Set.of(COUNT / 2, COUNT - 1), last);
            awaitFolder(added, UNLISTED);
            assertVerdicts(with(members(), last), with(strangers(), middle, added));
            System.out.println("LargeListIT: memory of the server at most " + memory());
        } finally {
            james().close();
            Files.deleteIfExists(directory.whitelist());
        }
    }

    /** Replaces the list by all addresses but some, with a text after them. */
    private void write(ServerDirectory directory, Set<Integer> without, String end)
            throws IOException {
        Path next = directory.conf("whitelist.txt.new");
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(next), 1 << 18)) {
            for (int i = 0; i < COUNT; i++) {
                if (!without.contains(i)) {
                    addresses.fill(i);
                    out.write(addresses.bytes(), 0, addresses.length());
                    out.write('\n');
                }
            }
            out.write(end.getBytes(StandardCharsets.US_ASCII));
        }
        Files.move(
                next,
                directory.whitelist(),
                StandardCopyOption.ATOMIC_MOVE,
                StandardCopyOption.REPLACE_EXISTING);
    }

    private static List<String> with(List<String> some, String... more) {
        return Stream.concat(some.stream(), Stream.of(more)).toList();
    }

    /** Returns some addresses that are in the list after every edit, among them the first line. */
    private List<String> members() {
        List<String> members = new ArrayList<>();
        for (int i = 0; i < SAMPLE; i++) {
            members.add(addresses.address((long) i * (COUNT / (SAMPLE + 1))));
        }
        return members;
    }

    /**
     * Returns addresses that are not in the list. Half of them are generated in the same way, and
     * half differ from a member in one letter.
     */
    private List<String> strangers() {
        List<String> strangers = new ArrayList<>();
        for (int i = 0; i < SAMPLE; i += 2) {
            strangers.add(addresses.address(COUNT + 1 + i * 1_000_003L));
            strangers.add("x" + addresses.address((long) i * (COUNT / (SAMPLE + 1))));
        }
        return strangers;
    }

    /** Sends a mail of each, and waits until all have arrived, each where it must. */
    private void assertVerdicts(List<String> listed, List<String> notListed) throws IOException {
        Map<String, String> expected = new HashMap<>();
        listed.forEach(sender -> expected.put(sender, "listed " + INBOX));
        notListed.forEach(sender -> expected.put(sender, "not-listed " + UNLISTED));
        Map<Letter, String> letters = new HashMap<>();
        for (String sender : expected.keySet()) {
            Letter letter = Letter.simple("large list");
            letters.put(letter, sender);
            james().send(sender, List.of(SAM), letter);
        }
        Map<String, String> arrived = new HashMap<>();
        for (Map.Entry<Letter, String> sent : letters.entrySet()) {
            JamesServer.Arrival arrival = james().arrival(SAM, sent.getKey());
            String verdict = arrival.letter().verdict().orElse("none");
            arrived.put(sent.getValue(), verdict + " " + arrival.folder());
        }
        assertThat(arrived).isEqualTo(expected);
    }

    /** Sends mails until one of a sender arrives here, and prints how long that took. */
    private void awaitFolder(String sender, String folder) {
        long start = System.nanoTime();
        patiently()
                .pollInterval(Duration.ofSeconds(1))
                .until(
                        () ->
                                james().folder(sender, SAM, Letter.simple("is the list active?"))
                                        .equals(folder));
        System.out.printf(
                "LargeListIT: %,d addresses, active %.1f s after the edit%n",
                COUNT, (System.nanoTime() - start) / 1e9);
    }

    private String memory() throws IOException {
        Path status = Path.of("/proc", Long.toString(james().process().pid()), "status");
        return Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .map(line -> line.substring("VmHWM:".length()).strip())
                .findFirst()
                .orElse("unknown");
    }
}
