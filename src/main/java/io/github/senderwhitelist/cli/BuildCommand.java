package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.Snapshot;
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
import java.util.Locale;

/** {@code build LIST... -o FILE.swl}: builds a snapshot of text lists. */
@Command(
        name = "build",
        description = "Builds a snapshot of text lists, in bounded memory.",
        footer = {
            "  whitelist build conf/whitelist.txt -o whitelist.swl",
            "  zcat all/*.gz | whitelist build - -o large.swl --bits-per-address 8",
            "  whitelist build --from postfix /etc/postfix/sender_access -o postfix.swl"
        })
final class BuildCommand extends Subcommand {
    /** Sorting gets at least the memory divided by this number. */
    private static final int MIN_SHARE = 4;

    /** The least memory that a build works with, in bytes. */
    private static final long MIN_MEMORY = MIN_SHARE * SnapshotBuilder.MIN_MEMORY;

    /**
     * The memory that a build takes in addition to sorting, for the runtime, buffers and the
     * dictionary, in bytes.
     */
    private static final long MEMORY_OVERHEAD = 48L << 20;

    /** Where the system has it, the file that standard input is. */
    private static final Path STANDARD_INPUT = Path.of("/dev/stdin");

    @Parameters(
            arity = "1..*",
            paramLabel = "LIST",
            description = "Text lists, plain or gzip; '-': standard input.")
    private List<String> lists = List.of();

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE.swl",
            description = "The snapshot to write.")
    private Path output = Path.of("");

    @Mixin private FilterOptions filter = new FilterOptions();

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Seed of the hashes, for the same bytes again (default: random).")
    private @Nullable String seed;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description = "Memory to use at most beside the filter (default: 1g).")
    private String memory = "1g";

    @Option(names = "--temp", paramLabel = "DIR", description = "Folder for temporary files.")
    private @Nullable Path temporary;

    @Mixin private ForeignOptions foreign = new ForeignOptions();

    @Override
    int call() throws IOException {
        long bytes = value("--memory", memory, ValueType.SIZE);
        if (bytes < MIN_MEMORY) {
            throw wrong(
                    "--memory: %s bytes are too few; allowed: from %sm"
                            .formatted(bytes, MIN_MEMORY >> 20));
        }
        Long given =
                seed == null
                        ? null
                        : value("--seed", seed, ValueType.whole(Long.MIN_VALUE, Long.MAX_VALUE));
        long start = System.nanoTime();
        BuildOptions options = filter.buildOptions(this);
        Path target = OthersFolders.followLink(output);
        Path folder = target.resolveSibling(".").toAbsolutePath().normalize();
        Path temp = temporary == null ? folder : temporary;
        OthersFolders.refuse(output);
        OthersFolders.refuse(temp);
        for (Path each : List.of(folder, temp)) {
            if (Disk.LOCAL.state(each).type() != FileState.Type.FOLDER) {
                throw new IOException(each + ": no such folder; nothing was written");
            }
        }
        List<TextSource> sources = new ArrayList<>();
        for (String list : lists) {
            sources.add(FileList.text(list));
        }
        requireTarget(target);
        AtomicFile.sweep(Disk.LOCAL, target);
        requireSpace(sources, options, folder, temp);
        ForeignOptions.Converted converted = foreign.converted(sources, this);
        BuildReport report;
        try (Progress progress = new Progress();
                AtomicFile file = AtomicFile.of(Disk.LOCAL, target)) {
            // The temporary files of sorting have no names and vanish with the program.
            Runtime.getRuntime().addShutdownHook(new Thread(file::abandon));
            // Half of the memory is for sorting. The other half is for what follows: read buffers,
            // the dictionary, and garbage.
            long sorting = Math.max(bytes / MIN_SHARE, (bytes - MEMORY_OVERHEAD) / 2);
            SnapshotBuilder builder =
                    new SnapshotBuilder(
                            options,
                            sorting,
                            new Scratch(Disk.LOCAL, temp),
                            given == null ? new SecureRandom().nextLong() : given,
                            given == null ? System.currentTimeMillis() : 0,
                            progress);
            report = builder.build(converted.lists(), file.file());
            file.publish();
        }
        converted.sumUp(this);
        FileList.complain(report, err);
        out.println(
                Text.escaped(output.toString())
                        + ": "
                        + summary(report)
                        + String.format(
                                Locale.ROOT, "; %.1f s", (System.nanoTime() - start) / 1e9));
        return Main.DONE;
    }

    /**
     * Refuses targets that must not be replaced: folders, pipes and devices, and the lists
     * themselves.
     */
    private void requireTarget(Path target) throws IOException {
        if (output.toString().equals("-")) {
            throw refused(
                    "-o -: a snapshot is not written to standard output",
                    "a file (./- for one of this name)");
        }
        FileState state = Disk.LOCAL.state(target);
        if (state.type() != FileState.Type.REGULAR && state.type() != FileState.Type.MISSING) {
            throw refused(output + ": a folder, a pipe or a device", "a file");
        }
        for (String list : lists) {
            boolean isInput = list.equals(FileList.STANDARD_INPUT);
            if (state.isSameFileAs(Disk.LOCAL.state(isInput ? STANDARD_INPUT : Path.of(list)))) {
                String which = isInput ? "on standard input" : list;
                throw refused(output + ": the list " + which + " itself", "another file");
            }
        }
        // A link may be somebody else's, who wants another file destroyed.
        if (!target.equals(output) && !Snapshot.isSnapshot(Disk.LOCAL, target)) {
            throw refused(
                    "%s: a link to %s, which is no snapshot".formatted(output, target),
                    "that file itself, or remove the link");
        }
    }

    private static IOException refused(String what, String instead) {
        return new IOException(what + "; nothing was written. Name " + instead);
    }

    /**
     * Refuses to start when there is less space than lists usually take: temporary files as large
     * as the text, a quarter more for the hashes of a static filter, and a snapshot of half the
     * text. Long notes or rare domains take up to twice that. How much gzip data grows is unknown,
     * so its packed size is used.
     */
    private static void requireSpace(
            List<TextSource> sources, BuildOptions options, Path folder, Path temp)
            throws IOException {
        long text = sources.stream().mapToLong(source -> Math.max(0, source.size())).sum();
        long sorted = options.kind().isStatic() ? text + text / 4 : text;
        boolean same = Disk.LOCAL.state(folder).isOnSameDiskAs(Disk.LOCAL.state(temp));
        requireSpace(temp, same ? sorted + text / 2 : sorted);
        requireSpace(folder, text / 2);
    }

    private static void requireSpace(Path folder, long bytes) throws IOException {
        long free = Disk.LOCAL.freeBytes(folder);
        if (free < bytes) {
            throw new IOException(
                    ("%s: %s free, about %s needed; nothing was written. Use --temp or -o on "
                                    + "another disk")
                            .formatted(folder, Numbers.bytes(free), Numbers.bytes(bytes)));
        }
    }

    /** Returns what became of the lists. */
    private static String summary(BuildReport report) {
        SnapshotHeader header = report.header();
        String some = "for some recipients";
        String both = "both listed and denied";
        return Numbers.count(header.addresses(), "address", "addresses")
                + ", "
                + Numbers.count(header.domains(), "domain", "domains")
                + Numbers.countIfAny(", ", header.pairs(), some, some)
                + Numbers.countIfAny("; of these ", header.denied(), "denied", "denied")
                + "; "
                + Numbers.count(report.lines(), "line", "lines")
                + Numbers.countIfAny(", ", report.duplicates(), "duplicate", "duplicates")
                + Numbers.countIfAny(", ", report.contradictions(), both, both)
                + "; "
                + Numbers.bytes(header.fileLength());
    }
}
