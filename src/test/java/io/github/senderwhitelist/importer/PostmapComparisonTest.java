package io.github.senderwhitelist.importer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Reason;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.tools.Peers;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Imported access tables beside {@code postmap -q} on the same table. postmap answers for a key;
 * the order of the keys for a sender, as access(5) and smtpd(8) have it, is the test's: the
 * address, without its tag, the domain, its parents, and the local part with {@code @}.
 */
class PostmapComparisonTest {
    private static final int SENDERS = 10_000;
    private static final List<String> LABELS =
            List.of("a b mail example evilexample xn--bcher-kva x-y com org".split(" ", -1));
    private static final List<String> LOCALS = List.of("u", "v", "a.b", "u=v", "postmaster", "_");
    private static final List<String> LISTING =
            List.of("OK", "ok", "OK thanks", "permit", "1234567890", "550");
    private static final List<String> REFUSING =
            List.of("REJECT", "reject go away", "550 5.7.1 no", "DISCARD", "discard it");
    private static final List<String> NEITHER =
            List.of(
                    ("450 later;DUNNO;dunno;HOLD;DEFER_IF_PERMIT x;FILTER smtp:[127.0.0.1];PREPEND"
                                    + " X-A: OK;reject_unverified_sender;permit_mynetworks,"
                                    + " reject;OKAY")
                            .split(";", -1));

    @TempDir Path folder;

    @ParameterizedTest
    @CsvSource({"1,true,none", "2,true,+", "3,true,-", "1,false,none", "2,false,+"})
    void shouldAnswerAsPostmapDoes(long seed, boolean parentDomains, String recipientDelimiter)
            throws Exception {
        Subaddressing delimiter = Subaddressing.VALUES.parse(recipientDelimiter).orElseThrow();
        SplittableRandom random = new SplittableRandom(seed);
        Path table = folder.resolve("access");
        List<String> lines = table(random);
        Files.write(table, lines);
        Files.writeString(folder.resolve("main.cf"), "compatibility_level = 3.6\n");
        postmap(List.of(), table.toString());

        Set<String> senders = new LinkedHashSet<>();
        while (senders.size() < SENDERS) {
            senders.add(sender(random));
        }
        Set<String> keys = new LinkedHashSet<>();
        senders.forEach(sender -> keys.addAll(keys(sender, parentDomains, delimiter)));
        Map<String, String> answers = new HashMap<>();
        String file = table.toString();
        for (String line : postmap(List.copyOf(keys), "-q", "-", file)) {
            String[] fields = line.split("\t", 2);
            answers.put(fields[0], fields[1]);
        }
        assertThat(answers).hasSizeGreaterThan(100);

        Imports imported =
                Imports.of(Import.Format.POSTFIX, parentDomains, List.of(Imports.file(table)));
        int listed = 0;
        int byUser = 0;
        int leftOut = 0;
        List<String> differences = new ArrayList<>();
        try (Verdicts verdicts = new Verdicts(folder, imported.lines(), delimiter)) {
            for (String sender : senders) {
                List<String> found =
                        keys(sender, parentDomains, delimiter).stream()
                                .filter(answers::containsKey)
                                .toList();
                // Patterns with these actions were left out, so that wider ones count here.
                String key =
                        found.stream()
                                .filter(each -> !NEITHER.contains(answers.get(each)))
                                .findFirst()
                                .orElse(null);
                leftOut += found.isEmpty() || found.getFirst().equals(key) ? 0 : 1;
                boolean theirs = key != null && LISTING.contains(answers.get(key));
                Verdict verdict = verdicts.of(sender);
                boolean ours = verdict instanceof Listed;
                boolean refused = key != null && REFUSING.contains(answers.get(key));
                listed += ours ? 1 : 0;
                // Patterns for a user at every domain have no equivalent and were reported.
                boolean user = key != null && key.endsWith("@");
                byUser += user ? 1 : 0;
                boolean denied = verdict.reason() == Reason.DENIED;
                if (user ? ours || denied : ours != theirs || denied != refused) {
                    differences.add(sender + ": " + key + " -> " + answers.get(key));
                }
            }
        }
        assertThat(differences).isEmpty();
        assertThat(listed).isBetween(SENDERS / 20, SENDERS * 19 / 20);
        assertThat(byUser).isPositive();
        assertThat(leftOut).isPositive();
    }

    private List<String> postmap(List<String> input, String... arguments) throws Exception {
        String program = Peers.program("postmap", "postfix").toString();
        List<String> command = new ArrayList<>(List.of(program, "-c", folder.toString()));
        command.addAll(List.of(arguments));
        return Peers.run(folder, input, command);
    }

    private static List<String> table(SplittableRandom random) {
        Map<String, String> entries = new LinkedHashMap<>();
        for (String key : List.of("<>", "10.0", "192.0.2.1", "2001:db8::1", "_@")) {
            entries.put(key, "OK");
        }
        entries.put("v@", "REJECT");
        while (entries.size() < 700) {
            String domain = domain(random);
            String key =
                    switch (random.nextInt(4)) {
                        case 0 -> domain;
                        case 1 -> "." + domain;
                        default -> local(random) + "@" + domain;
                    };
            String written = random.nextInt(5) == 0 ? key.toUpperCase(Locale.ROOT) : key;
            boolean there = entries.keySet().stream().anyMatch(k -> k.equalsIgnoreCase(key));
            if (!there) {
                List<String> actions =
                        switch (random.nextInt(5)) {
                            case 0 -> NEITHER;
                            case 1 -> REFUSING;
                            default -> LISTING;
                        };
                entries.put(written, actions.get(random.nextInt(actions.size())));
            }
        }
        List<String> lines = new ArrayList<>(List.of("# access", "", "  # indented", "   "));
        entries.forEach(
                (key, action) -> {
                    switch (random.nextInt(12)) {
                        case 0 -> lines.addAll(List.of(key, "# between", "", "   " + action));
                        case 1 -> lines.add(key + "\t\t" + action + "  ");
                        case 2 -> lines.addAll(List.of("# " + key + " REJECT", key + " " + action));
                        default -> lines.add(key + "  " + action);
                    }
                });
        return lines;
    }

    private static String domain(SplittableRandom random) {
        List<String> labels = new ArrayList<>();
        for (int count = 1 + random.nextInt(4); count > 0; count--) {
            labels.add(LABELS.get(random.nextInt(LABELS.size())));
        }
        return String.join(".", labels);
    }

    private static String local(SplittableRandom random) {
        String local = LOCALS.get(random.nextInt(LOCALS.size()));
        return random.nextInt(4) == 0
                ? local + "+-".charAt(random.nextInt(2)) + "t" + random.nextInt(3)
                : local;
    }

    private static String sender(SplittableRandom random) {
        // Some senders are at a domain that only the patterns user@ match.
        String domain = random.nextInt(100) == 0 ? "host.nowhere" : domain(random);
        String sender = local(random) + "@" + domain;
        return random.nextInt(10) == 0 ? sender.toUpperCase(Locale.ROOT) : sender;
    }

    /** What Postfix looks up for a sender, in order. */
    private static List<String> keys(
            String sender, boolean parentDomains, Subaddressing delimiter) {
        String address = sender.toLowerCase(Locale.ROOT);
        int at = address.lastIndexOf('@');
        String local = address.substring(0, at);
        String domain = address.substring(at + 1);
        int tag = delimiter.equals(Subaddressing.NONE) ? -1 : local.indexOf(delimiter.delimiter());
        List<String> keys = new ArrayList<>(List.of(address));
        if (tag > 0) {
            keys.add(local.substring(0, tag) + "@" + domain);
        }
        keys.add(domain);
        for (int dot = domain.indexOf('.'); dot >= 0; dot = domain.indexOf('.', dot + 1)) {
            keys.add(domain.substring(parentDomains ? dot + 1 : dot));
        }
        keys.add(local + "@");
        if (tag > 0) {
            keys.add(local.substring(0, tag) + "@");
        }
        return keys;
    }
}
