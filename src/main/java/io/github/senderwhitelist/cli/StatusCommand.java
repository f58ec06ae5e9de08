package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.living.ListRecord.Position;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;

/**
 * {@code status [LIST]}: reports the state of living lists as their database has it. A server that
 * shows the same epoch and position knows all changes.
 */
@Command(
        description = "Reports of living lists how many entries they have, and their logs.",
        footer = {"  whitelist status", "  whitelist status own"})
final class StatusCommand extends Subcommand {
    @Parameters(arity = "0..1", paramLabel = "LIST", description = "Its name (default: all).")
    private @Nullable String list;

    @Mixin private Place place = new Place();

    @Override
    int call() throws IOException {
        Table table = new Table(out, "%-24s %12s %-36s %s", "list", "entries", "log", "position");
        for (DatabaseList.Name each :
                list == null ? place.allLiving() : List.of(place.living(list))) {
            try (DatabaseList living = each.open(null)) {
                Position last = living.record().last();
                table.row(
                        each.name(),
                        Long.toString(living.record().count()),
                        last.epoch(),
                        Long.toString(last.seq()));
            }
        }
        return Main.DONE;
    }
}
