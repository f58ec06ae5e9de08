package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.cli.Place.Named;
import io.github.senderwhitelist.snapshot.BuildProgress.Phase;
import io.github.senderwhitelist.snapshot.TextSource;

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

    @Option(
            names = "--replace-denials",
            description = "Entries also take the place of those with '!'.")
    private boolean replaceDenials;

    @Option(
            names = "--create",
            description = "Make the list, and its database, though conf does not define it.")
    private boolean create;

    @Mixin private Change change = new Change();

    @Override
    int call() throws IOException {
        Named.InDatabase named = change.place().living(list);
        List<TextSource> sources = new ArrayList<>();
        for (String file : files) {
            sources.add(ListFiles.text(file));
        }
        ForeignOptions.Converted converted = foreign.converted(sources, this);
        long start = System.nanoTime();
        try (ListFiles.Opened entries = read(converted.lists());
                LivingPlace living = change.openToFill(named, create, err())) {
            EntryWriter writer = write(entries, living);
            converted.sumUp(this);
            entries.complain(err());
            out().println(
                            String.format(
                                    Locale.ROOT,
                                    "%s: %s; %s; %.1f s",
                                    list,
                                    writer,
                                    Numbers.count(
                                            Objects.requireNonNull(entries.report()).lines(),
                                            "line",
                                            "lines"),
                                    (System.nanoTime() - start) / 1e9));
        }
        return Main.DONE;
    }

    private static ListFiles.Opened read(List<TextSource> lists) throws IOException {
        try (Progress progress = Progress.start()) {
            return ListFiles.build(lists, false, progress);
        }
    }

    private EntryWriter write(ListFiles.Opened entries, LivingPlace living) throws IOException {
        long all = entries.snapshot().header().entries();
        EntryWriter writer = new EntryWriter(living, all, replaceDenials, err()::report);
        Thread stopped = new Thread(() -> sayHowFar(writer.done(), all));
        Runtime.getRuntime().addShutdownHook(stopped);
        try (Progress progress = Progress.start()) {
            entries.store()
                    .forEach(
                            entry -> {
                                writer.add(entry);
                                progress.report(Phase.WRITING, writer.done(), all);
                            });
            writer.flush();
        }
        Runtime.getRuntime().removeShutdownHook(stopped);
        return writer;
    }

    /** Says what was done when the command is stopped, such as by Ctrl-C. */
    private void sayHowFar(long done, long all) {
        err().println(
                        String.format(
                                Locale.ROOT,
                                "%s: stopped after %,d of %,d entries, which stay; run the same"
                                        + " command again to go on",
                                list,
                                done,
                                all));
    }
}
