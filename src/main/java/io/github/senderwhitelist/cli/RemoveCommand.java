package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Origin;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.ListRecord.Edit;
import io.github.senderwhitelist.living.ListRecord.Effect;
import io.github.senderwhitelist.living.ListRecord.Target;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
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
        List<Entry> entries = entries();
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

    /** Returns what to remove. All is understood before anything is removed. */
    private List<Entry> entries() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (String line : InputLines.ofArguments(lines)) {
            if (line.indexOf('\ufffd') >= 0) {
                throw refused(line, "it is not UTF-8");
            }
            switch (ListLine.parse(line)) {
                case ListLine.Good(Entry entry) when entry.rules().equals(List.of(Rule.LISTS)) ->
                        entries.add(entry);
                case ListLine.Good(Entry entry) ->
                        throw refused(
                                line,
                                "it says more than '%s', of which all lines are removed, denials too"
                                        .formatted(Text.shown(entry.key().toString())));
                case ListLine.Bad(String reason) -> throw refused(line, reason);
                case ListLine.Blank() -> {}
            }
        }
        return entries;
    }

    private static IOException refused(String line, String reason) {
        return new IOException(
                "'%s': %s; allowed: SENDER or SENDER to=RECIPIENT. Nothing was removed"
                        .formatted(Text.shown(line), reason));
    }
}
