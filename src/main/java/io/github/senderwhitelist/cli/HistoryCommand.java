package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord.PastChange;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** {@code history LIST KEY}: prints who changed the entries of a sender, and when. */
@Command(
        name = "history",
        description =
                "Prints who changed the entries of a sender in the last 90 days, the newest first."
                        + " Exit code 1: nobody.",
        footer = {
            "  whitelist history own alice@example.com",
            "  whitelist history own @example.org"
        })
final class HistoryCommand extends Subcommand {
    private static final int MAX = 1_000;

    @Parameters(index = "0", paramLabel = "LIST", description = "The name of a living list.")
    private String list = "";

    @Parameters(index = "1", paramLabel = "KEY", description = "An address, @domain or @.domain.")
    private String key = "";

    @Mixin private Place place = new Place();

    @Override
    int call() throws IOException {
        if (!(ListLine.parse(key) instanceof ListLine.Good(Entry entry))) {
            throw wrong("KEY '" + Text.shown(key) + "'; allowed: an address, @domain or @.domain");
        }
        try (DatabaseList living = DatabaseList.open(place.living(list));
                Table table = new Table(out, "time", "who", "origin", "entry")) {
            List<PastChange> changes = living.record().history(entry.key(), MAX);
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
}
