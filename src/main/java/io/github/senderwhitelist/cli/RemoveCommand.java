package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code remove ENTRY... --list NAME}: removes entries from a living list. */
final class RemoveCommand extends Subcommand {
    private final Given<List<String>> lines =
            arguments(
                    0,
                    "ENTRY",
                    "SENDER or 'SENDER to=RECIPIENT', each one argument; '-': lines from standard"
                            + " input.");

    private final Given<Origin> origin =
            option(
                    "--origin",
                    "ORIGIN",
                    Origin.VALUES,
                    "Whose entries: admin (default), user, learned.");

    private final ChangeOptions living = new ChangeOptions(this);

    RemoveCommand() {
        super(
                "remove",
                "Removes entries from a living list, with all their lines. Exit code 1: one of them"
                        + " was not there.");
    }

    @Override
    int call() throws IOException {
        boolean all = true;
        List<Entry> entries = entries();
        boolean aligned = Terminal.is(Terminal.OUTPUT);
        int longest = entries.stream().mapToInt(entry -> line(entry).length()).max().orElse(0);
        try (LivingPlace place = living.open()) {
            for (Entry entry : entries) {
                boolean removed = place.remove(origin.or(Origin.ADMIN), entry.key(), entry.to());
                all &= removed;
                String line = line(entry);
                out().println(
                                line
                                        + (aligned ? " ".repeat(longest - line.length() + 2) : "\t")
                                        + (removed ? "removed" : "not-there"));
            }
        }
        return all ? Main.DONE : Main.NEGATIVE;
    }

    private static String line(Entry entry) {
        return Rule.LISTS.line(entry.key(), entry.to());
    }

    /** Returns what to remove. All is understood before anything is removed. */
    private List<Entry> entries() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (String line : lines.value().equals(List.of("-")) ? readLines() : lines.value()) {
            switch (ListLine.parse(line)) {
                case ListLine.Good(Entry entry) when entry.rules().equals(List.of(Rule.LISTS)) ->
                        entries.add(entry);
                case ListLine.Good(Entry entry) when line.startsWith("!") ->
                        throw refused(
                                line,
                                "leave out the '!'; of '"
                                        + Text.shown(entry.key().toString())
                                        + "' all lines are removed, denials too");
                case ListLine.Good(Entry entry) ->
                        throw refused(
                                line, "it says more; its lines are removed whatever they say");
                case ListLine.Bad(String reason) -> throw refused(line, reason);
                case ListLine.Blank() -> {}
            }
        }
        return entries;
    }

    private List<String> readLines() throws IOException {
        List<String> read = new ArrayList<>();
        InputLines in = new InputLines(out());
        for (String line = in.next(); line != null; line = in.next()) {
            if (line.indexOf('\ufffd') >= 0) {
                throw refused(line, "it is not UTF-8");
            }
            read.add(line);
        }
        return read;
    }

    private static IOException refused(String line, String reason) {
        return new IOException(
                "'"
                        + Text.shown(line)
                        + "': "
                        + reason
                        + "; allowed: SENDER or SENDER to=RECIPIENT. Nothing was removed");
    }
}
