package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.snapshot.BuildProgress.Phase;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.store.BlockStore;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/** {@code import LIST FILE...}: adds the entries of files to a living list. */
@Command(
        name = "import",
        description =
                "Adds all entries of text lists, or of lists of other programs, to a living list,"
                    + " in bounded memory. They take the place of what was there, unless that has a"
                    + " '!'. Other entries stay.",
        footer = {
            "  whitelist import own whitelist.txt",
            "  whitelist import own --from postfix /etc/postfix/sender_access",
            "  whitelist import own --from vcard --for sam@here.example contacts.vcf"
        })
final class ImportCommand extends Subcommand {
    @Parameters(index = "0", paramLabel = "LIST", description = "The name of a living list.")
    private String list = "";

    @Parameters(
            index = "1..*",
            arity = "1..*",
            paramLabel = "FILE",
            description = "Text lists, plain or gzip; '-': standard input.")
    private List<String> files = List.of();

    @Mixin private ForeignOptions foreign = new ForeignOptions();

    @Option(names = "--replace-denials", description = "Also replace entries with '!'.")
    private boolean replaceDenials;

    @Option(names = "--create", description = "Make the list, which conf does not define.")
    private boolean create;

    @Mixin private Place place = new Place();

    @Override
    int call() throws IOException {
        Place.InDatabase named = place.living(list);
        List<TextSource> sources = new ArrayList<>();
        for (String file : files) {
            sources.add(FileList.text(file));
        }
        ForeignOptions.Converted converted = foreign.converted(sources, this);
        long start = System.nanoTime();
        try (FileList entries = FileList.build(converted.lists(), false);
                DatabaseList living = DatabaseList.openToFill(named, create, err)) {
            EntryWriter writer = write(entries, living);
            converted.sumUp(this);
            entries.complain(err);
            long lines = Objects.requireNonNull(entries.report()).lines();
            out.printf(
                    Locale.ROOT,
                    "%s: %s; %s; %.1f s%n",
                    list,
                    writer,
                    Numbers.count(lines, "line", "lines"),
                    (System.nanoTime() - start) / 1e9);
        }
        return Main.DONE;
    }

    private EntryWriter write(FileList entries, DatabaseList living) throws IOException {
        long all = entries.snapshot().header().entries();
        try (Progress progress = new Progress();
                EntryWriter writer =
                        new EntryWriter(
                                living.record(), all, replaceDenials, err::report, put -> {})) {
            // Ctrl-C ends the command with a word on how far it came.
            Thread stopped = new Thread(() -> sayHowFar(writer.done(), all));
            Runtime.getRuntime().addShutdownHook(stopped);
            BlockStore.Walk walk = entries.store().walk();
            for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
                writer.add(entry);
                progress.report(Phase.WRITING, writer.done(), all);
            }
            writer.flush();
            Runtime.getRuntime().removeShutdownHook(stopped);
            return writer;
        }
    }

    private void sayHowFar(long done, long all) {
        err.println(
                "%s: stopped after %s of %s entries, which stay; run the same command to go on"
                        .formatted(list, done, all));
    }
}
