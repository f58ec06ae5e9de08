package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.list.ListLine;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;

/**
 * {@code export LIST}: prints the entries of a list as text, in the order of their keys. What it
 * prints, {@code import} and {@code build} take: so lists move, and are kept.
 */
@Command(
        description = "Writes the entries of a list as a text list.",
        footer = {
            "  whitelist export own > own.txt",
            "  whitelist export own --to sam@here.example",
            "  whitelist export whitelist.swl | grep partner"
        })
final class ExportCommand extends Subcommand {
    @Parameters(paramLabel = "LIST", description = "A file, or the name of a list.")
    private String list = "";

    @Option(names = "--to", description = "Only the entries for this address or @domain.")
    private @Nullable String to;

    @Mixin private Place place = new Place();

    @Override
    int call() throws IOException {
        Key recipient = to == null ? null : recipient(to);
        try (OpenList opened = place.find(list).open(false, err)) {
            OpenList.Walk walk = opened.walk(recipient);
            for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
                entry.lines().forEach(out::println);
            }
        }
        return Main.DONE;
    }

    private Key recipient(String text) {
        if (ListLine.parse("any@example.com to=" + text) instanceof ListLine.Good(Entry entry)
                && entry.to() != null) {
            return entry.to();
        }
        throw wrong("--to: '" + Text.shown(text) + "'; allowed: local@domain or @domain");
    }
}
