package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Target;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;

/**
 * {@code remove LIST ENTRY...}: removes entries from a living list. Those of another origin stay,
 * and are named, since their users put them there.
 */
@Command(
        description = "Removes entries from a living list, with all their lines.",
        exitCodeList = {"0:done", "1:one was not there", "2:failure"},
        footer = {
            "  whitelist remove own alice@example.com",
            "  whitelist remove own 'bob@example.org to=sam@here.example' --origin learned"
        })
final class RemoveCommand extends Subcommand {
    @Parameters(index = "0", paramLabel = "LIST", description = "A living list.")
    private String list = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "ENTRY",
            description = "SENDER or 'SENDER to=RECIPIENT'; '-': standard input.")
    private List<String> lines = List.of();

    @Option(names = "--origin", description = "Whose entries: admin (default), user, learned.")
    private String whose = Origin.ADMIN.label();

    @Mixin private Place place = new Place();

    @Override
    int call() throws IOException {
        Origin origin = value("--origin", whose, Origin.VALUES);
        DatabaseList.Name named = place.living(list);
        List<Entry> entries = InputLines.entries(lines);
        for (Entry entry : entries) {
            if (!entry.rules().equals(List.of(Rule.LISTS))) {
                throw InputLines.refused(
                        entry.toString(),
                        "all lines are removed; allowed: SENDER or SENDER to=RECIPIENT");
            }
        }
        int exit = Main.DONE;
        try (DatabaseList living = named.open(null)) {
            Table table = new Table(out, "%-60s %s", "entry", "result");
            for (Entry entry : entries) {
                Edit removal = Edit.remove(new Target(origin, entry.key(), entry.to()));
                boolean isRemoved =
                        living.record().write(List.of(removal), DatabaseList.WHO).getFirst()
                                == Effect.REMOVED;
                table.row(entry.toString(), isRemoved ? "removed" : "not-there");
                if (!isRemoved) {
                    exit = Main.NEGATIVE;
                    Entry there = living.record().find(entry.key(), entry.to());
                    if (there != null && !there.rules().isEmpty()) {
                        String other = there.rules().getFirst().origin().label();
                        err.report(
                                "'%s': there is one of origin %s; to remove that, add --origin %s"
                                        .formatted(entry, other, other));
                    }
                }
            }
        }
        return exit;
    }
}
