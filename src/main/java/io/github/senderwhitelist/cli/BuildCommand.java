package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.importer.Import;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** {@code build LIST... -o FILE.swl}: builds a snapshot of text lists. */
@Command(
        name = "build",
        description = "Builds a snapshot of text lists, in bounded memory.",
        mixinStandardHelpOptions = true)
final class BuildCommand extends Subcommand {
    @Parameters(
            arity = "1..*",
            paramLabel = "LIST",
            description = "Text lists, plain or gzip; '-': standard input.")
    private List<String> lists = List.of();

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE.swl",
            converter = Values.File.class,
            description = "The snapshot to write.")
    private @Nullable Path output;

    @Mixin private final ForeignOptions foreign = new ForeignOptions();

    @Mixin private final FilterOptions filter = new FilterOptions();

    @Option(
            names = "--seed",
            paramLabel = "N",
            converter = Values.Seed.class,
            description =
                    "Seed of the hashes: the same lists and seed give the same bytes. Secret and"
                            + " random unless given.")
    private @Nullable Long seed;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            defaultValue = "1g",
            converter = Values.Size.class,
            description =
                    "Memory to use at most beside the filter itself: 256m, 1g (default:"
                            + " ${DEFAULT-VALUE}). Small lists take less, and so does a Java whose"
                            + " heap is small.")
    private long memory;

    @Option(
            names = "--temp",
            paramLabel = "DIR",
            converter = Values.File.class,
            description =
                    "Folder for temporary files, about as large as the lists (default: the output's"
                            + " folder).")
    private @Nullable Path temporary;

    @Override
    public Integer call() throws IOException {
        if (memory < Build.LEAST_MEMORY) {
            throw wrong(
                    "--memory: "
                            + memory
                            + " bytes are too few; allowed: from "
                            + (Build.LEAST_MEMORY >> 20)
                            + "m");
        }
        Build build = new Build(lists, Objects.requireNonNull(output), temporary, memory);
        BuildOptions options = filter.buildOptions();
        List<TextSource> sources = build.sources(options);
        Import imported = foreign.imported(sources);
        // Reports are printed while the list is read, and would break a progress bar.
        boolean bar = imported == null && ProgressDisplay.onTerminal();
        BuildReport report =
                build.build(
                        imported == null
                                ? sources
                                : List.of(ForeignOptions.source(lists, imported)),
                        options,
                        seed,
                        bar);
        if (imported != null) {
            foreign.print(imported, out(), err());
        }
        build.print(report, out(), err());
        return Main.DONE;
    }
}
