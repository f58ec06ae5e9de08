package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The commands that print entries of lists, wherever these are, in the order of their keys. That is
 * the same in files and in both databases, so lists can be compared side by side.
 */
final class ReadCommands {
    private ReadCommands() {}

    /**
     * {@code export LIST}: prints the entries of a list as text. What it prints, {@code import} and
     * {@code build} take: so lists move, and are kept.
     */
    @Command(
            description = "Writes the entries of a list as a text list.",
            footer = {
                "  whitelist export own > own.txt",
                "  whitelist export own --to sam@here.example",
                "  whitelist export whitelist.swl | grep partner"
            })
    static final class Export extends ListCommand {
        @Parameters(paramLabel = "LIST", description = "A file, or the name of a list.")
        private String list = "";

        @Option(names = "--to", description = "Only the entries for this address or @domain.")
        private @Nullable String to;

        @Override
        int call() throws IOException {
            Key recipient = to == null ? null : recipient(to);
            try (OpenList opened = open(list, false)) {
                EntryWalk walk = opened.walk(recipient);
                for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
                    entry.lines().forEach(out::println);
                }
            }
            return Main.DONE;
        }

        /** Returns the recipients that {@code to=} would name, so only what an entry can have. */
        private Key recipient(String text) {
            if (ListLine.parse("any@example.com to=" + text) instanceof ListLine.Good(Entry entry)
                    && entry.to() != null) {
                return entry.to();
            }
            throw wrong("--to: '" + Text.shown(text) + "'; allowed: local@domain or @domain");
        }
    }

    /**
     * {@code diff A B}: prints the lines that list B lacks ({@code -}) and those that only B has
     * ({@code +}). Both are walked through side by side, so lists of any size take little memory.
     */
    @Command(
            description = "Prints the entries removed (-) and added (+) between two lists.",
            exitCodeList = {"0:the same entries", "1:different", "2:failure"},
            footer = {
                "  whitelist diff yesterday.swl today.swl",
                "  whitelist diff own backup.txt"
            })
    static final class Diff extends ListCommand {
        @Parameters(index = "0", paramLabel = "A", description = "A list: a file, or a name.")
        private String before = "";

        @Parameters(index = "1", paramLabel = "B", description = "Another list.")
        private String after = "";

        private int exit = Main.DONE;

        @Override
        int call() throws IOException {
            try (OpenList left = open(before, false);
                    OpenList right = open(after, false)) {
                EntryWalk leftWalk = left.walk(null);
                EntryWalk rightWalk = right.walk(null);
                Entry removed = leftWalk.next();
                Entry added = rightWalk.next();
                // The lesser of the two has no counterpart; of equal ones, single lines may differ.
                while (removed != null || added != null) {
                    int order = removed == null ? 1 : -1;
                    if (removed != null && added != null) {
                        order = Entry.ORDER.compare(removed, added);
                    }
                    print("-", order <= 0 ? removed : null, order == 0 ? added : null);
                    print("+", order >= 0 ? added : null, order == 0 ? removed : null);
                    removed = order <= 0 ? leftWalk.next() : removed;
                    added = order >= 0 ? rightWalk.next() : added;
                }
            }
            return exit;
        }

        /** Prints those lines of an entry that the other entry does not have. */
        private void print(String sign, @Nullable Entry entry, @Nullable Entry other) {
            List<String> lines = new ArrayList<>(entry == null ? List.of() : entry.lines());
            lines.removeAll(other == null ? List.of() : other.lines());
            for (String line : lines) {
                exit = Main.NEGATIVE;
                out.println(sign + line);
            }
        }
    }
}
