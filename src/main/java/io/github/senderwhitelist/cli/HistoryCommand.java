package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.list.ListLine.Good;
import io.github.senderwhitelist.living.ListRecord.PastChange;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * {@code history LIST [KEY]}: prints who changed a list, or the entries of a sender, and when.
 * Entries that came in bulk have no history.
 */
@Command(
        description = "Prints who changed a list, or a sender, in the last 90 days; newest first.",
        exitCodeList = {"0:done", "1:nobody", "2:failure"},
        footer = {"  whitelist history own", "  whitelist history own alice@example.com"})
final class HistoryCommand extends Subcommand {
    private static final int MAX = 1_000;

    @Parameters(index = "0", paramLabel = "LIST", description = "A living list.")
    private String list = "";

    @Parameters(index = "1", arity = "0..1", paramLabel = "KEY", description = "The sender.")
    private @Nullable String key;

    @Mixin private Place place = new Place();

    @Override
    int call() throws IOException {
        Key sender = key == null ? null : sender(key);
        try (DatabaseList living = place.living(list).open(null)) {
            Table table = new Table(out, "%-20s %-24s %-8s %s", "time", "who", "origin", "entry");
            List<PastChange> changes = living.record().history(sender, MAX);
            for (PastChange change : changes) {
                table.row(
                        change.at().truncatedTo(ChronoUnit.SECONDS).toString(),
                        change.who(),
                        change.origin().label(),
                        change.lines().isEmpty()
                                ? change.key() + ": removed"
                                : String.join("; ", change.lines()));
            }
            return changes.isEmpty() ? Main.NEGATIVE : Main.DONE;
        }
    }

    private Key sender(String text) {
        if (ListLine.parse(text) instanceof Good(var entry)) {
            return entry.key();
        }
        throw wrong("KEY '" + Text.shown(text) + "'; allowed: an address, @domain or @.domain");
    }
}
