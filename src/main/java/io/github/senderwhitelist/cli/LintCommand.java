package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Organisations;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** {@code lint FILE}: prints every bad or doubtful line of a text list. */
@Command(
        name = "lint",
        description =
                "Prints every bad line of a text list, and those that are valid but probably not"
                        + " meant. Exit code 1: there are some.",
        footer = {"  whitelist lint conf/whitelist.txt", "  whitelist lint - < whitelist.txt"})
final class LintCommand extends Subcommand {
    @Parameters(
            paramLabel = "FILE",
            description = "A text list, plain or gzip; '-': standard input.")
    private String name = "";

    private long bad;
    private long doubtful;
    private long entries;

    @Override
    int call() throws IOException {
        TextSource list = FileList.text(name);
        Instant now = Instant.now();
        try (InputStream in = list.opener().open()) {
            InputLines lines = new InputLines(TextList.unpacked(in), out);
            long number = 0;
            for (String line = lines.next(); line != null; line = lines.next()) {
                number++;
                String why = complaint(line, now);
                if (why != null) {
                    out.println(Text.escaped(list.name() + ":" + number + ": " + why));
                }
            }
        }
        boolean refused = TextList.areTooMany(bad, entries + bad) || entries == 0;
        if (!refused && !name.equals(FileList.STANDARD_INPUT)) {
            sumUp(list);
        }
        out.println(
                Numbers.count(entries, "entry, ", "entries, ")
                        + Numbers.count(bad, "bad line, ", "bad lines, ")
                        + Numbers.count(doubtful, "doubtful line", "doubtful lines")
                        + (refused ? "; a server refuses this list" : ""));
        return bad + doubtful > 0 || refused ? Main.NEGATIVE : Main.DONE;
    }

    /** Returns what is wrong with a line, or doubtful, or null. */
    private @Nullable String complaint(String line, Instant now) {
        return switch (InputLines.parsed(line)) {
            case ListLine.Bad(String reason) -> {
                bad++;
                yield reason;
            }
            case ListLine.Good(Entry entry) -> {
                entries++;
                String doubt = doubt(entry, now);
                doubtful += doubt == null ? 0 : 1;
                yield doubt;
            }
            case ListLine.Blank() -> null;
        };
    }

    /** Returns why an entry is probably not meant, or null. */
    static @Nullable String doubt(Entry entry, Instant now) {
        Rule rule = entry.rules().getFirst();
        if (rule.until() != null && !now.isBefore(rule.until())) {
            return "'%s': until= has passed, so it has no effect".formatted(entry);
        }
        String key = entry.key().toString();
        return !rule.denied()
                        && key.startsWith("@")
                        && Organisations.isPublicProvider(key.replaceFirst("^@\\.?", ""))
                ? "'%s': anybody can get an address there, so it lists everybody".formatted(entry)
                : null;
    }

    /** Reports what only lines together say. */
    private void sumUp(TextSource list) throws IOException {
        BuildReport report;
        try (FileList built = FileList.build(List.of(list), false)) {
            report = Objects.requireNonNull(built.report());
        }
        if (report.duplicates() > 0) {
            String lines = Numbers.count(report.duplicates(), "line adds", "lines add");
            out.println(lines + " nothing to others");
        }
        if (report.contradictions() > 0) {
            doubtful += report.contradictions();
            String senders = Numbers.count(report.contradictions(), "sender is", "senders are");
            out.println(senders + " both listed and denied; the denial counts");
        }
    }
}
