package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.cli.Place.Named;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** {@code status [LIST]}: reports the state of living lists. */
@Command(
        name = "status",
        description = "Reports how many entries living lists have, and where their logs are.",
        footer = {"  whitelist status", "  whitelist status own --json"})
final class StatusCommand extends Subcommand {
    @Parameters(
            arity = "0..1",
            paramLabel = "LIST",
            description = "The name of a living list (default: all).")
    private String list = "";

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Mixin private Place place = new Place();

    @Override
    int call() throws IOException {
        List<Named.InDatabase> lists =
                list.isEmpty() ? place.allLiving() : List.of(place.living(list));
        List<Map<String, Object>> all = new ArrayList<>();
        for (Named.InDatabase each : lists) {
            try (LivingPlace living = LivingPlace.open(each)) {
                all.add(living.status());
            }
        }
        if (json && list.isEmpty()) {
            out().println(Json.indented(all));
            return Main.DONE;
        }
        String between = "";
        for (Map<String, Object> status : all) {
            out().print(between);
            Table.print(out(), json, status);
            between = "\n";
        }
        return Main.DONE;
    }
}
