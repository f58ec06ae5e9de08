package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.Links;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.snapshot.Admission;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One build by the command: looks at the places, builds, and prints what became of the lists. */
final class Build {
    /**
     * The memory that a build takes in addition to sorting, for the runtime, buffers and the
     * dictionary, in bytes.
     */
    private static final long MEMORY_OVERHEAD = 48L << 20;

    /** Sorting gets at least the memory divided by this number. */
    private static final int LEAST_SHARE = 4;

    /** The least memory that a build works with, in bytes. */
    static final long LEAST_MEMORY = LEAST_SHARE * BuildResources.MIN_MEMORY;

    /** Where the system has it, the file that standard input is. */
    private static final Path STANDARD_INPUT = Path.of("/dev/stdin");

    private final List<String> lists;

    /** The name of the snapshot, as it was given. */
    private final Path named;

    /** What is written: where the name is a link, the snapshot that it leads to. */
    private final Path target;

    private final Path folder;
    private final Path temp;
    private final long memory;
    private final long start = System.nanoTime();

    /**
     * Creates a build.
     *
     * @param temporary the folder for temporary files, or null for that of the target
     * @param memory the memory to use at most, in bytes
     */
    Build(List<String> lists, Path target, @Nullable Path temporary, long memory) {
        this.lists = lists;
        this.named = target;
        this.target = Links.follow(target);
        this.folder = this.target.resolveSibling(".").toAbsolutePath().normalize();
        this.temp = temporary == null ? folder : temporary;
        this.memory = memory;
    }

    /** Opens the lists, and refuses places that cannot be written to. */
    List<TextSource> sources(BuildOptions options) throws IOException {
        OthersFolders.refuse(named);
        OthersFolders.refuse(temp);
        requireFolder(folder);
        requireFolder(temp);
        List<TextSource> sources = new ArrayList<>();
        for (String list : lists) {
            sources.add(Lists.text(list));
        }
        requireTarget();
        AtomicFile.sweep(Disk.LOCAL, target);
        requireSpace(sources, options.kind());
        return sources;
    }

    /**
     * Builds the snapshot.
     *
     * @param seed the seed of the hashes, or null for a random one
     * @param bar whether to show a progress bar
     */
    BuildReport build(
            List<TextSource> sources, BuildOptions options, @Nullable Long seed, boolean bar)
            throws IOException {
        try (ProgressDisplay progress = new ProgressDisplay(bar)) {
            SnapshotBuilder builder =
                    new SnapshotBuilder(
                            options,
                            resources(),
                            seed == null ? new SecureRandom().nextLong() : seed,
                            seed == null ? System.currentTimeMillis() : 0,
                            progress);
            Runtime.getRuntime().addShutdownHook(new Thread(builder::abandon));
            return builder.build(sources, target, Admission.ALL);
        }
    }

    /**
     * Refuses targets that must not be replaced: folders, pipes and devices, and the lists
     * themselves.
     */
    private void requireTarget() throws IOException {
        if (named.toString().equals("-")) {
            throw new IOException(
                    "-o -: a snapshot is not written to standard output; nothing was written. Name"
                            + " a file (./- for one of this name)");
        }
        FileState state = Disk.LOCAL.state(target);
        if (state.type() != FileState.Type.REGULAR && state.type() != FileState.Type.MISSING) {
            throw new IOException(
                    named + ": a folder, a pipe or a device; nothing was written. Name a file");
        }
        for (String list : lists) {
            Path file = list.equals("-") ? STANDARD_INPUT : Path.of(list);
            if (state.isSameFileAs(Disk.LOCAL.state(file))) {
                throw new IOException(
                        named
                                + ": the list "
                                + (list.equals("-") ? "on standard input" : list)
                                + " itself; nothing was written. Name another file with -o");
            }
        }
        // A link may be somebody else's, who wants another file destroyed.
        if (!target.equals(named) && !Snapshot.isSnapshot(Disk.LOCAL, target)) {
            throw new IOException(
                    named
                            + ": a link to "
                            + target
                            + ", which is no snapshot; nothing was written. Name that file itself,"
                            + " or remove the link");
        }
    }

    private BuildResources resources() {
        // Half of the memory is for sorting. The other half is for what follows: read buffers, the
        // dictionary, and garbage.
        long sorting = Math.max(memory / LEAST_SHARE, (memory - MEMORY_OVERHEAD) / 2);
        return new BuildResources(sorting, new Scratch(Disk.LOCAL, temp));
    }

    private static void requireFolder(Path folder) throws IOException {
        if (Disk.LOCAL.state(folder).type() != FileState.Type.FOLDER) {
            throw new IOException(folder + ": no such folder; nothing was written");
        }
    }

    /**
     * Refuses to start when there is less space than lists usually take: temporary files as large
     * as the text, a quarter more for the hashes of a static filter, and a snapshot of half the
     * text. Long notes or rare domains take up to twice that. How much gzip data grows is unknown,
     * so its packed size is used.
     */
    private void requireSpace(List<TextSource> sources, FilterKind kind) throws IOException {
        long text = sources.stream().mapToLong(source -> Math.max(0, source.size())).sum();
        long temporary = kind.isStatic() ? text + text / 4 : text;
        boolean same = Disk.LOCAL.state(folder).isOnSameDiskAs(Disk.LOCAL.state(temp));
        require(temp, same ? temporary + text / 2 : temporary);
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

    /** Prints what became of the lists. */
    void print(BuildReport report, PrintWriter out, PrintWriter err) {
        Lists.warnings(report).forEach(err::println);
        SnapshotHeader header = report.header();
        List<String> parts = new ArrayList<>();
        parts.add(entries(header));
        parts.add(lines(report));
        parts.add(Numbers.bytes(header.fileLength()) + temporary(report));
        parts.add(String.format(Locale.ROOT, "%.1f s", (System.nanoTime() - start) / 1e9));
        out.println(Text.escaped(named.toString()) + ": " + String.join("; ", parts));
    }

    private static String entries(SnapshotHeader header) {
        return Numbers.count(header.addresses(), "address", "addresses")
                + ", "
                + Numbers.count(header.domains(), "domain", "domains")
                + (header.pairs() == 0
                        ? ""
                        : String.format(Locale.ROOT, ", %,d for some recipients", header.pairs()))
                + (header.denied() == 0
                        ? ""
                        : String.format(Locale.ROOT, "; of these %,d denied", header.denied()));
    }

    private static String lines(BuildReport report) {
        return Numbers.count(report.lines(), "line", "lines")
                + (report.duplicates() == 0
                        ? ""
                        : ", " + Numbers.count(report.duplicates(), "duplicate", "duplicates"))
                + (report.contradictions() == 0
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                ", %,d both listed and denied",
                                report.contradictions()));
    }

    private static String temporary(BuildReport report) {
        return report.temporaryBytes() == 0
                ? ""
                : ", temporary files " + Numbers.bytes(report.temporaryBytes());
    }
}
