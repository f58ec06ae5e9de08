package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.disk.UnfinishedFile;
import io.github.senderwhitelist.importer.Import;
import io.github.senderwhitelist.snapshot.Admission;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** {@code build LIST... -o FILE.swl}: builds a snapshot of text lists. */
@Command(
        name = "build",
        description = "Builds a snapshot of text lists, in bounded memory.",
        mixinStandardHelpOptions = true)
final class BuildCommand extends Subcommand {
    /**
     * The memory that a build takes in addition to sorting, for the runtime, buffers and the
     * dictionary, in bytes.
     */
    private static final long MEMORY_OVERHEAD = 48L << 20;

    /** Sorting gets at least the memory divided by this number. */
    private static final int LEAST_SHARE = 4;

    private static final long LEAST_MEMORY = LEAST_SHARE * BuildResources.LEAST_MEMORY;

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
        Path target = Objects.requireNonNull(output);
        Path folder = target.resolveSibling(".").toAbsolutePath().normalize();
        Path temp = temporary == null ? folder : temporary;
        requireFolder(folder);
        requireFolder(temp);
        List<TextSource> sources = new ArrayList<>();
        for (String list : lists) {
            sources.add(Lists.source(list));
        }
        requireTarget(target);
        UnfinishedFile.sweep(Disk.LOCAL, target);
        requireSpace(sources, folder, temp);
        Import imported = foreign.imported(sources);
        long start = System.nanoTime();
        // Reports are printed while the list is read, and would break a progress bar.
        boolean bar = imported == null && ProgressDisplay.onTerminal();
        try (ProgressDisplay progress = new ProgressDisplay(bar)) {
            SnapshotBuilder builder =
                    new SnapshotBuilder(
                            filter.buildOptions(),
                            resources(temp),
                            seed == null ? new SecureRandom().nextLong() : seed,
                            seed == null ? System.currentTimeMillis() : 0,
                            progress);
            Runtime.getRuntime().addShutdownHook(new Thread(builder::abandon));
            List<TextSource> read =
                    imported == null ? sources : List.of(ForeignOptions.source(lists, imported));
            BuildReport report = builder.build(read, target, Admission.ALL);
            if (imported != null) {
                foreign.print(imported, out(), err());
            }
            print(report, (System.nanoTime() - start) / 1e9);
        }
        return Main.DONE;
    }

    /**
     * Refuses targets that must not be replaced: folders, pipes and devices, and the lists
     * themselves.
     */
    private void requireTarget(Path target) throws IOException {
        FileState state = Disk.LOCAL.state(target);
        if (state.type() != FileState.Type.REGULAR && state.type() != FileState.Type.MISSING) {
            throw new IOException(
                    target + ": a folder, a pipe or a device; nothing was written. Name a file");
        }
        for (String list : lists) {
            if (!list.equals("-") && state.isSameFileAs(Disk.LOCAL.state(Path.of(list)))) {
                throw new IOException(
                        target
                                + ": the list "
                                + list
                                + " itself; nothing was written. Name another file with -o");
            }
        }
    }

    private BuildResources resources(Path temp) {
        if (memory < LEAST_MEMORY) {
            throw wrong(
                    "--memory: "
                            + memory
                            + " bytes are too few; allowed: from "
                            + (LEAST_MEMORY >> 20)
                            + "m");
        }
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors());
        // Half of the memory is for sorting. The other half is for what follows: read buffers, the
        // dictionary, and garbage.
        long sorting = Math.max(memory / LEAST_SHARE, (memory - MEMORY_OVERHEAD) / 2);
        return new BuildResources(sorting, threads, new Scratch(Disk.LOCAL, temp));
    }

    private static void requireFolder(Path folder) throws IOException {
        if (Disk.LOCAL.state(folder).type() != FileState.Type.FOLDER) {
            throw new IOException(folder + ": no such folder; nothing was written");
        }
    }

    /**
     * Refuses to start when space is short. Temporary files are about as large as the text, and the
     * snapshot is about half as large. How much gzip data grows is unknown, so its packed size is
     * used.
     */
    private static void requireSpace(List<TextSource> sources, Path folder, Path temp)
            throws IOException {
        long text = sources.stream().mapToLong(source -> Math.max(0, source.size())).sum();
        boolean same = Disk.LOCAL.isOnOneDisk(folder, temp);
        require(temp, same ? text + text / 2 : text);
        require(folder, text / 2);
    }

    private static void require(Path folder, long bytes) throws IOException {
        long free = Disk.LOCAL.freeBytes(folder);
        if (free < bytes) {
            throw new IOException(
                    folder
                            + ": "
                            + Numbers.bytes(free)
                            + " free, about "
                            + Numbers.bytes(bytes)
                            + " needed; nothing was written. Use --temp or -o on another disk");
        }
    }

    private void print(BuildReport report, double seconds) {
        Lists.warnings(report).forEach(err()::println);
        SnapshotHeader header = report.header();
        out().printf(
                        java.util.Locale.ROOT,
                        "%s: %d addresses, %d domain entries%s (%d of them '!'); %d lines, %d"
                                + " duplicates, %d contradictory; %s, temporary files %s; %.1f s%n",
                        Text.escaped(String.valueOf(output)),
                        header.addresses(),
                        header.domains(),
                        header.pairs() == 0 ? "" : ", " + header.pairs() + " for some recipients",
                        header.denied(),
                        report.lines(),
                        report.duplicates(),
                        report.contradictions(),
                        Numbers.bytes(header.fileLength()),
                        Numbers.bytes(report.temporaryBytes()),
                        seconds);
    }
}
