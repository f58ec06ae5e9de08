package io.github.senderwhitelist.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.living.EntryPut;
import io.github.senderwhitelist.snapshot.TextSource;

import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.List;

/**
 * {@code add LIST ENTRY...}: adds entries to a living list. They become entries as the lines of a
 * text list do. Whoever types them means them, so they also replace denials.
 */
@Command(
        description = "Adds entries to a living list, in place of what was there.",
        footer = {
            "  whitelist add own alice@example.com @example.org",
            "  whitelist add own 'bob@example.org until=2030-12-31 auth=dkim note=ticket 4711'",
            "  whitelist add own --conf /opt/james/conf - < lines.txt"
        })
final class AddCommand extends FillCommand {
    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "ENTRY",
            description = "Lines of a list, each one argument; '-': standard input.")
    private List<String> lines = List.of();

    @Override
    int call() throws IOException {
        DatabaseList.Name target = named();
        List<Entry> entries = InputLines.entries(lines);
        if (entries.isEmpty()) {
            throw new IOException("no entry, but empty lines and comments; nothing was changed");
        }
        byte[] text = entries.stream().map(Entry::toString).collect(joining("\n")).getBytes(UTF_8);
        TextSource list =
                new TextSource("the entries", text.length, () -> new ByteArrayInputStream(text));
        try (FileList built = FileList.build(List.of(list))) {
            String counts = fill(target, built);
            for (Entry entry : entries) {
                String doubt = LintCommand.doubt(entry, Instant.now());
                if (doubt != null) {
                    err.report(doubt);
                }
            }
            out.println(counts);
        }
        return Main.DONE;
    }

    @Override
    boolean replacesDenials() {
        return true;
    }

    @Override
    void replaced(EntryPut put) {
        out.println("was: " + put.before() + "\tnow: " + put.entry());
    }
}
