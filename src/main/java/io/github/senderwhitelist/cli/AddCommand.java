package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
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

    /**
     * Returns what to add as a text list, by which lines about the same sender become one entry.
     */
    private TextSource source() throws IOException {
        List<Entry> entries = InputLines.entries(lines);
        if (entries.isEmpty()) {
            throw new IOException("no entry, but empty lines and comments; nothing was changed");
        }
        byte[] text = entries.stream().map(Entry::toString).collect(joining("\n")).getBytes(UTF_8);
        return new TextSource("the entries", text.length, () -> new ByteArrayInputStream(text));
    }
}
