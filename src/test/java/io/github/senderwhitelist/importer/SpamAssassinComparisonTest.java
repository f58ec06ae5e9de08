package io.github.senderwhitelist.importer;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Confirmation;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.tools.Peers;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Imported lists beside the installed SpamAssassin, which reads the same files with its own parser
 * and matches with its own regular expressions. Compared is which senders are listed when nothing,
 * SPF, or DKIM confirms them.
 */
class SpamAssassinComparisonTest {
    private static final Path RULES = Path.of("/usr/share/spamassassin");
    private static final Path SCRIPT = Path.of("src/test/perl/spamassassin-matches.pl");
    private static final Pattern LISTING =
            Pattern.compile("(?m)^\\s*def_welcomelist_\\w+\\s+(\\S+)");

    /** The globs that have an equivalent among our keys. */
    private static final Pattern SAYABLE =
            Pattern.compile(
                    "(?:[^*?@]+|\\*+)@[^*?@.][^*?@]*|\\*@\\*\\.[^*?@.][^*?@]*|\\*\\.[^*?@.][^*?@]*");

    @TempDir Path folder;

    @Test
    void shouldAgreeOnSpamAssassinsOwnLists() throws Exception {
        Peers.program("spamassassin", "spamassassin");
        Assumptions.assumeTrue(Files.isDirectory(RULES), RULES + " is missing");
        List<Path> files = shipped();
        List<Import.Source> lists = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        for (Path file : files) {
            lists.add(Imports.file(file));
            text.append(Files.readString(file, StandardCharsets.ISO_8859_1));
        }
        Imports imported = Imports.of(Import.Format.SPAMASSASSIN, true, lists);

        assertThat(imported.reports()).allMatch(report -> report.matches("(?s).*\\.cf:\\d+: .*"));
        int compared = compare(files, imported, senders(text.toString()));
        assertThat(compared).isGreaterThan(10_000);
    }

    /** The files that have lists, and one in Latin-1 that has none. */
    private static List<Path> shipped() throws IOException {
        try (Stream<Path> files = Files.list(RULES)) {
            return files.filter(file -> file.toString().matches(".*/(?:60_|30_text_fr)[^/]*\\.cf"))
                    .sorted()
                    .toList();
        }
    }

    /** Senders that the lists' patterns match, and some that they nearly match. */
    private static Set<String> senders(String text) {
        Set<String> senders = new LinkedHashSet<>();
        for (MatchResult match : LISTING.matcher(text).results().toList()) {
            String glob = match.group(1);
            String domain = glob.substring(glob.lastIndexOf('@') + 1).replaceFirst("^\\*\\.?", "");
            String local = glob.substring(0, glob.lastIndexOf('@')).replace("*", "a");
            if (!domain.isEmpty()) {
                String parent = domain.substring(domain.indexOf('.') + 1);
                for (String shape :
                        ("%s@%s %s+tag@%s \"%s\"@%s %s@%s. x@mail.%2$s x@a.b.%2$s %s@evil%s"
                                        + " x@evil-%2$s x@%2$s.example %2$s@evil.example x@%3$s")
                                .split(" ", -1)) {
                    senders.add(shape.formatted(local, domain, parent));
                }
                senders.add("x@" + domain.toUpperCase(Locale.ROOT));
            }
        }
        return senders;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void shouldAgreeOnRandomConfigurations(long seed) throws Exception {
        Peers.program("spamassassin", "spamassassin");
        Path file = folder.resolve("random.cf");
        Files.write(file, new RandomConfiguration(seed).lines());
        Imports imported =
                Imports.of(Import.Format.SPAMASSASSIN, true, List.of(Imports.file(file)));

        compare(List.of(file), imported, RandomConfiguration.senders());
    }

    /**
     * Requires that both agree on all senders, and returns how many these are. SpamAssassin
     * compares addresses as text. Here, an address counts for the mailbox it names, however it is
     * written.
     */
    private int compare(List<Path> files, Imports imported, Set<String> senders) throws Exception {
        List<String> command = new ArrayList<>(List.of("perl", SCRIPT.toString()));
        files.forEach(file -> command.add(file.toString()));
        List<String> mailboxes = senders.stream().map(SpamAssassinComparisonTest::mailbox).toList();
        List<String> answers = Peers.run(folder, mailboxes, command);
        assertThat(answers).hasSize(senders.size());

        List<String> differences = new ArrayList<>();
        List<String> lines = new ArrayList<>(imported.lines());
        lines.add("@never.invalid");
        int at = 0;
        try (Verdicts verdicts = new Verdicts(folder, lines, Subaddressing.NONE)) {
            for (String sender : senders) {
                String answer = answers.get(at++);
                List<String> fields = List.of(answer.split("\t", -1));
                Welcome ours =
                        new Welcome(
                                verdicts.of(sender) instanceof Listed,
                                verdicts.of(sender, by -> Set.of(Confirmation.SPF))
                                        instanceof Listed,
                                verdicts.of(sender, by -> Set.of(Confirmation.DKIM))
                                        instanceof Listed);
                Welcome theirs = welcome(fields.subList(1, fields.size()));
                if (!ours.equals(theirs)) {
                    differences.add(sender + " " + answer + ": " + ours + ", theirs " + theirs);
                }
            }
        }
        assertThat(differences).isEmpty();
        return answers.size();
    }

    private static String mailbox(String sender) {
        return ((Address) AddressSyntax.parse(sender)).toString();
    }

    /** Whether a sender is welcome when nothing, SPF, or DKIM confirms it. */
    private record Welcome(boolean unconfirmed, boolean spf, boolean dkim) {}

    /** Returns how those patterns that have an equivalent list a sender. */
    private static Welcome welcome(List<String> matches) {
        boolean always = false;
        boolean spf = false;
        boolean dkim = false;
        for (String match : matches) {
            String[] parts = match.split(" ", -1);
            String domain = parts[1].substring(parts[1].lastIndexOf('@') + 1);
            boolean own =
                    parts.length == 2 || domain.equals(parts[2]) || domain.endsWith("." + parts[2]);
            if (!SAYABLE.matcher(parts[1]).matches() || !own) {
                continue;
            }
            switch (parts[0].replace("def_", "")) {
                case "blocklist_from" -> {
                    return new Welcome(false, false, false);
                }
                case "welcomelist_from" -> always = true;
                case "welcomelist_from_spf" -> spf = true;
                case "welcomelist_from_dkim" -> dkim = true;
                default -> {
                    spf = true;
                    dkim = true;
                }
            }
        }
        return new Welcome(always, always || spf, always || dkim);
    }

    /**
     * Random combinations of settings, patterns and conditions, of so few names that they collide
     * often.
     */
    private static final class RandomConfiguration {
        private static final List<String> DOMAINS =
                List.of(
                        ("example.com a.example.com b.a.example.com evilexample.com example.org com"
                                        + " x-y.net")
                                .split(" ", -1));
        private static final List<String> LOCALS = List.of("u", "v", "u+tag", "a.b", "_", "u=v");
        private static final List<String> SETTINGS =
                List.of(
                        ("welcomelist_from whitelist_from Welcomelist-From welcomelist_auth"
                                        + " def_whitelist_auth welcomelist_from_spf"
                                        + " def_welcomelist_from_spf whitelist_from_dkim"
                                        + " def_welcomelist_from_dkim")
                                .split(" ", -1));
        private static final List<String> CONDITIONS =
                List.of(
                        "if can(Mail::SpamAssassin::Conf::feature_welcomelist_blocklist)",
                        "if !can(Mail::SpamAssassin::Conf::feature_welcomelist_blocklist)",
                        "ifplugin Mail::SpamAssassin::Plugin::DKIM",
                        "if (version >= 3.004000)",
                        "if !(can(Mail::SpamAssassin::Conf::feature_welcomelist_blocklist))",
                        "if version < 3.004",
                        "if !plugin(Mail::SpamAssassin::Plugin::SPF)",
                        "if !(version >= 9.0)");

        private final SplittableRandom random;
        private final List<String> lines = new ArrayList<>();
        private final List<String> said = new ArrayList<>();

        RandomConfiguration(long seed) {
            random = new SplittableRandom(seed);
        }

        static Set<String> senders() {
            Set<String> senders = new LinkedHashSet<>();
            for (String domain : DOMAINS) {
                for (String before : List.of("", "a.", "c.d.", "evil", "A.")) {
                    for (String local : LOCALS) {
                        senders.add(local + "@" + before + domain);
                        senders.add('"' + local + "\"@" + before + domain);
                        senders.add(local + "@" + before + domain + ".");
                        senders.add(local + "+more@" + before + domain);
                        senders.add(local.toUpperCase(Locale.ROOT) + "x@" + before + domain);
                    }
                }
            }
            return senders;
        }

        List<String> lines() {
            int depth = 0;
            for (int i = 0; i < 60; i++) {
                switch (random.nextInt(12)) {
                    case 0 -> {
                        lines.add(pick(CONDITIONS));
                        depth++;
                    }
                    case 1 -> {
                        if (depth > 0) {
                            lines.add("  endif  # of something");
                            depth--;
                        }
                    }
                    case 2 -> {
                        if (depth > 0) {
                            lines.add("else");
                        }
                    }
                    case 3 -> lines.add("score SOMETHING 1.0  # welcomelist_from *@example.com");
                    case 4 -> lines.add("blocklist_from " + pick(LOCALS) + "@" + pick(DOMAINS));
                    case 5, 6 -> remove();
                    default -> add();
                }
            }
            lines.addAll(Collections.nCopies(depth, "endif"));
            return lines;
        }

        private void add() {
            String setting = pick(SETTINGS);
            StringBuilder line = new StringBuilder(setting).append("  ").append(glob());
            if (setting.endsWith("dkim")) {
                line.append(random.nextInt(3) == 0 ? " " + pick(DOMAINS) : "");
            } else {
                for (int more = random.nextInt(3); more > 0; more--) {
                    line.append('\t').append(glob());
                }
            }
            said.add(line.toString());
            lines.add(line.toString());
        }

        private void remove() {
            if (!said.isEmpty()) {
                lines.add("un" + pick(said).replaceFirst("^def_", ""));
            }
        }

        private String glob() {
            String domain = pick(DOMAINS);
            String local = pick(LOCALS);
            return switch (random.nextInt(16)) {
                case 0, 1 -> "*@*." + domain;
                case 2 -> "*." + domain;
                case 3 -> "*" + domain;
                case 4 -> "*@*" + domain;
                case 5 -> local + "?@" + domain;
                case 6 -> local + "*@" + domain;
                case 7 -> "@" + domain;
                case 8 -> domain;
                case 9, 10, 11 -> "*@" + domain;
                case 12 -> "**@" + domain.toUpperCase(Locale.ROOT);
                default -> local + "@" + domain;
            };
        }

        private String pick(List<String> from) {
            return from.get(random.nextInt(from.size()));
        }
    }
}
