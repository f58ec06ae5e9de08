package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.living.ListRecord.Position;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;

/** {@code status [LIST...]}: reports the state of living lists. */
@Command(
        name = "status",
        description =
                "Reports how many entries living lists have, and the epochs and positions of their"
                        + " logs.",
        footer = {"  whitelist status", "  whitelist status own"})
final class StatusCommand extends Subcommand {
    @Parameters(
            arity = "0..*",
            paramLabel = "LIST",
            description = "Names of living lists (default: all).")
    private List<String> lists = List.of();

    @Mixin private Place place = new Place();

    @Override
    int call() throws IOException {
        List<Place.InDatabase> all = place.allLiving(lists);
        try (Table table = new Table(out, "list", "entries", "log", "position")) {
            for (Place.InDatabase each : all) {
                try (DatabaseList living = DatabaseList.open(each)) {
                    Position last = living.record().last();
                    table.row(
                            each.name(),
                            Long.toString(living.record().count()),
                            last.epoch(),
                            Long.toString(last.seq()));
                }
            }
        }
        return Main.DONE;
    }
}
