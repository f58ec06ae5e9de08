package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.importer.Import;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.TextSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** {@code build LIST... -o FILE.swl}: builds a snapshot of text lists. */
final class BuildCommand extends Subcommand {
    private final Given<List<String>> lists =
            arguments(0, "LIST", "Text lists, plain or gzip; '-': standard input.");

    private final Given<Path> output =
            output(true, "FILE.swl", Values.file(), "The snapshot to write.");

    private final ForeignOptions foreign = new ForeignOptions(this);

    private final FilterOptions filter = new FilterOptions(this);

    private final Given<Long> seed =
            option(
                    "--seed",
                    "N",
                    Values.seed(),
                    "Seed of the hashes: the same lists and seed give the same bytes. Secret and"
                            + " random unless given.");

    private final Given<Long> memory =
            option(
                    "--memory",
                    "SIZE",
                    ValueType.SIZE,
                    "1g",
                    "Memory to use at most beside the filter itself: 256m, 1g (default:"
                            + " ${DEFAULT-VALUE}). Small lists take less, and so does a Java whose"
                            + " heap is small.");

    private final Given<Path> temporary =
            option(
                    "--temp",
                    "DIR",
                    Values.file(),
                    "Folder for temporary files, about as large as the lists (default: the output's"
                            + " folder).");

    BuildCommand() {
        super("build", "Builds a snapshot of text lists, in bounded memory.");
    }

    @Override
    boolean leavesNothing() {
        return true;
    }

    @Override
    int call() throws IOException {
        long memory = this.memory.value();
        if (memory < Build.LEAST_MEMORY) {
            throw wrong(
                    "--memory: "
                            + memory
                            + " bytes are too few; allowed: from "
                            + (Build.LEAST_MEMORY >> 20)
                            + "m");
        }
        Build build = new Build(lists.value(), output.value(), temporary.orNull(), memory);
        BuildOptions options = filter.buildOptions();
        List<TextSource> sources = build.sources(options);
        Import imported = foreign.imported(sources);
        // Reports are printed while the list is read, and would break a progress bar.
        boolean bar = imported == null && ProgressDisplay.onTerminal();
        BuildReport report =
                build.build(
                        imported == null
                                ? sources
                                : List.of(ForeignOptions.source(lists.value(), imported)),
                        options,
                        seed.orNull(),
                        bar);
        if (imported != null) {
            foreign.print(imported, out(), err());
        }
        build.print(report, out(), err());
        return Main.DONE;
    }
}
