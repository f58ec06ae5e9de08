package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code diff A B}: prints the lines that list B lacks ({@code -}) and those that only B has
 * ({@code +}). Both are walked through side by side, so lists of any size take little memory.
 */
@Command(
        description = "Prints the entries removed (-) and added (+) between two lists.",
        exitCodeList = {"0:the same entries", "1:different", "2:failure"},
        footer = {"  whitelist diff yesterday.swl today.swl", "  whitelist diff own backup.txt"})
final class DiffCommand extends Subcommand {
    @Parameters(index = "0", paramLabel = "A", description = "A list: a file, or a name.")
    private String before = "";

    @Parameters(index = "1", paramLabel = "B", description = "Another list.")
    private String after = "";

    @Mixin private Place place = new Place();

    private int exit = Main.DONE;

    @Override
    int call() throws IOException {
        try (OpenList left = place.find(before).open(false, err);
                OpenList right = place.find(after).open(false, err)) {
            OpenList.Walk leftWalk = left.walk(null);
            OpenList.Walk rightWalk = right.walk(null);
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
