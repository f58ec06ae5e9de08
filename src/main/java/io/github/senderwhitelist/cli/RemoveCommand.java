package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Target;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.List;

/** {@code remove LIST ENTRY...}: removes entries from a living list. */
@Command(
        name = "remove",
        description =
                "Removes entries from a living list, with all their lines. Exit code 1: one of them"
                        + " was not there.",
        footer = {
            "  whitelist remove own alice@example.com",
            "  whitelist remove own 'bob@example.org to=sam@here.example' --origin learned"
        })
final class RemoveCommand extends Subcommand {
    @Parameters(index = "0", paramLabel = "LIST", description = "The name of a living list.")
    private String list = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "ENTRY",
            description = "SENDER or 'SENDER to=RECIPIENT'; '-': lines from standard input.")
    private List<String> lines = List.of();

    @Option(
            names = "--origin",
            paramLabel = "ORIGIN",
            description = "Whose entries: admin (default), user, learned.")
    private Origin origin = Origin.ADMIN;

    @Mixin private Place place = new Place();

    @Override
    int call() throws IOException {
        Place.InDatabase named = place.living(list);
        List<Entry> entries = InputLines.entries(lines);
        for (Entry entry : entries) {
            if (!entry.rules().equals(List.of(Rule.LISTS))) {
                throw InputLines.refused(
                        entry.toString(),
                        ("it says more than '%s', of which all lines are removed, denials too;"
                                        + " allowed: SENDER or SENDER to=RECIPIENT")
                                .formatted(Text.shown(entry.key().toString())));
            }
        }
        int exit = Main.DONE;
        try (DatabaseList living = DatabaseList.open(named);
                Table table = new Table(out, "entry", "result")) {
            for (Entry entry : entries) {
                Edit removal = Edit.remove(new Target(origin, entry.key(), entry.to()));
                Effect effect =
                        living.record().write(List.of(removal), DatabaseList.WHO).getFirst();
                String line = Rule.LISTS.line(entry.key(), entry.to());
                table.row(line, effect == Effect.REMOVED ? "removed" : "not-there");
                if (effect != Effect.REMOVED) {
                    exit = Main.NEGATIVE;
                    sayWhoseItIs(line, living.record().find(entry.key(), entry.to()));
                }
            }
        }
        return exit;
    }

    private void sayWhoseItIs(String line, @Nullable Entry there) {
        if (there != null && !there.rules().isEmpty()) {
            String other = there.rules().getFirst().origin().label();
            err.report(
                    "'%s': there is one of origin %s; to remove that, add --origin %s"
                            .formatted(line, other, other));
        }
    }
}
