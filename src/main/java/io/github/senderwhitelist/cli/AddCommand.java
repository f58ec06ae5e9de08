package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;
import io.github.senderwhitelist.living.EntryPut;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.store.BlockStore;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/** {@code add LIST ENTRY...}: adds entries to a living list. */
@Command(
        name = "add",
        description =
                "Adds entries to a living list. Lines about the same sender and recipients are one"
                        + " entry, which takes the place of what was there.",
        footer = {
            "  whitelist add own alice@example.com @example.org",
            "  whitelist add own 'bob@example.org until=2030-12-31 auth=dkim note=ticket 4711'",
            "  whitelist add own --conf /opt/james/conf - < lines.txt"
        })
final class AddCommand extends Subcommand {
    @Parameters(index = "0", paramLabel = "LIST", description = "The name of a living list.")
    private String list = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "ENTRY",
            description = "Lines of a list, each one argument; '-': lines from standard input.")
    private List<String> lines = List.of();

    @Option(names = "--create", description = "Make the list, which conf does not define.")
    private boolean create;

    @Mixin private Place place = new Place();

    @Override
    int call() throws IOException {
        Place.InDatabase named = place.living(list);
        List<TextSource> source = List.of(source());
        try (FileList entries = FileList.build(source, false);
                DatabaseList living = DatabaseList.openToFill(named, create, err);
                EntryWriter writer =
                        new EntryWriter(
                                living.record(), 0, true, err::report, this::sayWhatWasThere)) {
            BlockStore.Walk walk = entries.store().walk();
            for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
                writer.add(entry);
                warn(entry);
            }
            writer.flush();
            out.println(list + ": " + writer);
        }
        return Main.DONE;
    }

    private void sayWhatWasThere(EntryPut put) {
        out.println("was: " + put.before() + "\tnow: " + put.entry());
    }

    private void warn(Entry entry) {
        for (Rule rule : entry.rules()) {
            String doubt = LintCommand.doubt(entry.withOnly(rule), Instant.now());
            if (doubt != null) {
                err.report(doubt);
            }
        }
    }

    /** Returns the lines. All are understood before anything is added. */
    private TextSource source() throws IOException {
        List<String> all = InputLines.ofArguments(lines);
        boolean isEmpty = true;
        for (String line : all) {
            if (ListLine.beginsWithCondition(line)) {
                throw refused(
                        ("'%s': a condition, not an entry; put an entry and its conditions into "
                                        + "quotes, such as 'alice@example.com auth=dkim'")
                                .formatted(Text.shown(line)));
            }
            if (line.indexOf('\ufffd') >= 0) {
                throw refused("'" + Text.shown(line) + "': not UTF-8");
            }
            switch (ListLine.parse(line)) {
                case ListLine.Bad(String reason) -> throw refused(reason);
                case ListLine.Good(Entry entry) -> isEmpty = false;
                case ListLine.Blank() -> {}
            }
        }
        if (isEmpty) {
            throw refused("no entry, but empty lines and comments");
        }
        byte[] text = String.join("\n", all).getBytes(UTF_8);
        return new TextSource("the entries", text.length, () -> new ByteArrayInputStream(text));
    }

    private static IOException refused(String why) {
        return new IOException(why + "; nothing was added");
    }
}
