package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.decision.Organisations;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.list.TextList;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * {@code lint FILE}: prints every bad line of a text list, which a server skips, and every doubtful
 * one: what has ended, what lists everybody, and whom the list both lists and denies. It reads the
 * list twice: as a server does, which tells whether that refuses it, and line by line.
 */
@Command(
        description = "Prints the lines of a text list that are bad, or probably not meant.",
        footer = "  whitelist lint conf/whitelist.txt")
final class LintCommand extends Subcommand {
    @Parameters(paramLabel = "FILE", description = "A text list, plain or gzip.")
    private String file = "";

    private long bad;

    private long entries;
    private long doubtful;

    @Override
    int call() throws IOException {
        TextSource list = FileList.text(file);
        if (list.size() < 0) {
            throw wrong("FILE: standard input; allowed: a file, since it is read twice");
        }
        String refused = "";
        long contradictions = 0;
        try (FileList built = FileList.build(List.of(list), err)) {
            contradictions = Objects.requireNonNull(built.report()).contradictions();
        } catch (ListRefusedException e) {
            refused = e.reason();
        }
        try (InputStream in = list.opener().open()) {
            InputLines lines = new InputLines(TextList.unpacked(in, list.name()));
            long number = 1;
            for (String line = lines.next(); line != null; line = lines.next()) {
                String why = complaint(line);
                if (why != null) {
                    out.println(Text.escaped(list.name() + ":" + number + ": " + why));
                }
                number++;
            }
        }
        if (contradictions > 0) {
            doubtful += contradictions;
            String senders = count(contradictions, "sender is", "senders are");
            say("%s both listed and denied; the denial counts", senders);
        }
        say(
                "%s, %s, %s",
                count(entries, "entry", "entries"),
                count(bad, "bad line", "bad lines"),
                count(doubtful, "doubtful line", "doubtful lines"));
        if (!refused.isEmpty()) {
            out.println("a server refuses this list: " + Text.escaped(refused));
        }
        return bad + doubtful > 0 || !refused.isEmpty() ? Main.NEGATIVE : Main.DONE;
    }

    /** Returns what is wrong with a line, or doubtful, or null. */
    private @Nullable String complaint(String line) {
        switch (InputLines.parsed(line)) {
            case ListLine.Bad(String reason) -> {
                bad++;
                return reason;
            }
            case ListLine.Good(Entry entry) -> {
                entries++;
                String doubt = doubt(entry);
                doubtful += doubt == null ? 0 : 1;
                return doubt;
            }
            case ListLine.Blank() -> {
                return null;
            }
        }
    }

    /**
     * Returns why the entry of a line is probably not meant, or null: it is over, or lists whoever
     * takes an address at a provider.
     */
    static @Nullable String doubt(Entry entry) {
        Rule rule = entry.rules().getFirst();
        if (rule.until() != null && !Instant.now().isBefore(rule.until())) {
            return "'%s': until= has passed, so it has no effect".formatted(entry);
        }
        String key = entry.key().toString();
        return !rule.denied()
                        && key.startsWith("@")
                        && Organisations.isPublicProvider(key.replaceFirst("^@\\.?", ""))
                ? "'%s': anybody can get an address there, so it lists everybody".formatted(entry)
                : null;
    }
}
