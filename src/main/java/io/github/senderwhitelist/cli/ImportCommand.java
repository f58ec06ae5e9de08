package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.importer.Import;
import io.github.senderwhitelist.snapshot.BuildProgress.Phase;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** {@code import FILE... --list NAME}: puts the entries of lists into a living list. */
final class ImportCommand extends Subcommand {
    private final Given<List<String>> lists =
            arguments(0, "FILE", "Text lists, plain or gzip; '-': standard input.");

    private final ForeignOptions foreign = new ForeignOptions(this);

    private final PutOptions living = new PutOptions(this);

    private final Given<Boolean> replaceDenials =
            flag(
                    "--replace-denials",
                    "With --database: entries also take the place of those with '!', which"
                            + " otherwise stay.");

    ImportCommand() {
        super(
                "import",
                "Puts all entries of text lists into a living list, in bounded memory. Lines about"
                        + " the same sender and recipients are one entry, which takes the place of"
                        + " what was there, unless that has a '!'. Other entries stay.");
    }

    @Override
    int call() throws IOException {
        living.requirePlace();
        List<TextSource> sources = new ArrayList<>();
        for (String list : lists.value()) {
            sources.add(Lists.text(list));
        }
        Import imported = foreign.imported(sources);
        List<TextSource> read =
                imported == null
                        ? sources
                        : List.of(ForeignOptions.source(lists.value(), imported));
        long start = System.nanoTime();
        // Reports are printed while the list is read, and would break a progress bar.
        boolean bar = imported == null && ProgressDisplay.onTerminal();
        Replacements replacements = new Replacements(replaceDenials.value());
        try (LivingPlace place = living.open();
                LinesInOrder entries = read(read, bar)) {
            EntryFeeder feeder = put(entries, place, replacements, bar);
            print(imported, entries, feeder, replacements, (System.nanoTime() - start) / 1e9);
        }
        return Main.DONE;
    }

    private static LinesInOrder read(List<TextSource> lists, boolean bar) throws IOException {
        try (ProgressDisplay progress = new ProgressDisplay(bar)) {
            return LinesInOrder.read(
                    lists,
                    (phase, done, total) -> {
                        if (phase == Phase.READING) {
                            progress.report(phase, done, total);
                        }
                    });
        }
    }

    private EntryFeeder put(
            LinesInOrder entries, LivingPlace place, Replacements replacements, boolean bar)
            throws IOException {
        try (ProgressDisplay progress = new ProgressDisplay(bar)) {
            place.expect(entries.count());
            EntryFeeder feeder =
                    new EntryFeeder(
                            place,
                            replacements,
                            done -> progress.report(Phase.WRITING, done, entries.count()));
            Thread stopped = new Thread(() -> sayHowFar(feeder, entries.count()));
            Runtime.getRuntime().addShutdownHook(stopped);
            entries.forEach(feeder::add);
            feeder.flush();
            Runtime.getRuntime().removeShutdownHook(stopped);
            return feeder;
        }
    }

    /** Says what was done when the command is stopped, such as by Ctrl-C. */
    private void sayHowFar(EntryFeeder feeder, long all) {
        err().printf(
                        Locale.ROOT,
                        "%n%s: stopped after %,d of %,d entries, which stay; run the same command"
                                + " again to go on%n",
                        living.list(),
                        feeder.done(),
                        all);
        err().flush();
    }

    private void print(
            @Nullable Import imported,
            LinesInOrder entries,
            EntryFeeder feeder,
            Replacements replacements,
            double seconds) {
        if (imported != null) {
            foreign.print(imported, out(), err());
        }
        Lists.warnings(entries.report()).forEach(err()::println);
        replacements.print(err());
        out().printf(
                        Locale.ROOT,
                        "%s: %,d put, %,d unchanged%s; %s; %.1f s%n",
                        living.list(),
                        feeder.put(),
                        feeder.unchanged(),
                        replacements,
                        Numbers.count(entries.report().lines(), "line", "lines"),
                        seconds);
    }
}
