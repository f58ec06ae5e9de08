package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;

/**
 * {@code build LIST... -o FILE.swl}: builds a snapshot of text lists. It replaces what has that
 * name when it is whole, and leaves nothing behind if it fails or is stopped.
 *
 * <p>A build may take half an hour. So all that can be refused at its beginning is: wrong options,
 * folders that are not there or are others', a target that must stay, and a disk that is too small.
 * The same lists and the same seed make the same bytes, so with a seed no time of building is in
 * the snapshot either.
 */
@Command(
        description = "Builds a snapshot of text lists, in bounded memory.",
        footer = {
            "  whitelist build conf/whitelist.txt -o whitelist.swl",
            "  zcat all/*.gz | whitelist build - -o large.swl --bits-per-address 8",
            "  whitelist build --from postfix /etc/postfix/sender_access -o postfix.swl"
        })
final class BuildCommand extends Subcommand {
    /** Sorting gets at least this part of the memory, and half of what is not overhead. */
    private static final int MIN_SHARE = 4;

    /** What a build takes beside sorting, for Java, buffers and the dictionary, in bytes. */
    private static final long OVERHEAD = 48L << 20;

    private static final ValueType<Long> SEED = ValueType.whole(Long.MIN_VALUE, Long.MAX_VALUE);

    private static final ValueType<Long> MEMORY =
            new ValueType<>(BuildCommand::memory, "a size such as 64m or 1g, from 16m");

    @Parameters(arity = "1..*", paramLabel = "LIST", description = "Text lists; '-': stdin.")
    private List<String> lists = List.of();

    @Option(names = "-o", required = true, description = "The snapshot to write.")
    private Path output = Path.of("");

    @Mixin private FilterOptions filter = new FilterOptions();

    @Option(names = "--seed", description = "For the same bytes again (default: random).")
    private @Nullable String seed;

    @Option(names = "--memory", description = "At most, beside the filter (default: 1g).")
    private String memory = "1g";

    @Option(names = "--temp", description = "Folder for temporary files.")
    private @Nullable Path temporary;

    @Mixin private ForeignOptions foreign = new ForeignOptions();

    /**
     * Builds the snapshot beside its place, renames it into that, and prints what is in it. What an
     * earlier build left that was killed is removed first, since it takes room.
     */
    @Override
    int call() throws IOException {
        long start = System.nanoTime();
        long bytes = value("--memory", memory, MEMORY);
        long sorting = Math.max(bytes / MIN_SHARE, (bytes - OVERHEAD) / 2);
        long random = seed == null ? new SecureRandom().nextLong() : value("--seed", seed, SEED);
        long time = seed == null ? System.currentTimeMillis() : 0;
        BuildOptions options = filter.buildOptions(this);
        Path folder = output.resolveSibling(".").toAbsolutePath().normalize();
        if (Disk.LOCAL.state(folder).type() == FileState.Type.MISSING) {
            throw new NoSuchFileException(folder.toString(), null, "no such file");
        }
        Path temp = temporary == null ? folder : temporary;
        OthersFolders.refuse(output);
        OthersFolders.refuse(temp);
        List<TextSource> sources = FileList.texts(lists);
        requireTarget();
        long text = sources.stream().mapToLong(source -> Math.max(0, source.size())).sum();
        requireSpace(temp, 2 * text);
        requireSpace(folder, text / 2);
        AtomicFile.sweep(Disk.LOCAL, output);
        List<TextSource> converted = foreign.converted(sources, this);
        BuildReport report;
        try (Progress progress = new Progress();
                AtomicFile file = new AtomicFile(Disk.LOCAL, output)) {
            // The temporary files of sorting have no names and vanish with the program.
            Runtime.getRuntime().addShutdownHook(new Thread(file::abandon));
            Scratch scratch = new Scratch(Disk.LOCAL, temp);
            report =
                    new SnapshotBuilder(options, sorting, scratch, random, time, progress)
                            .build(converted, file.file());
            file.publish();
        }
        foreign.sumUp(this);
        err.skipped(report);
        SnapshotHeader header = report.header();
        say(
                "%s: %s%s%s; %s%s; %s; %s",
                Text.escaped(output.toString()),
                Numbers.count(header.addresses(), "address", "addresses"),
                Numbers.andCount(header.domains(), "domain", "domains"),
                Numbers.andCount(header.denied(), "denied", "denied"),
                Numbers.count(report.lines(), "line", "lines"),
                Numbers.andCount(report.duplicates(), "duplicate", "duplicates"),
                Numbers.bytes(header.fileLength()),
                Numbers.secondsSince(start));
        return Main.DONE;
    }

    private static Optional<Long> memory(String text) {
        long least = MIN_SHARE * SnapshotBuilder.MIN_MEMORY;
        return ValueType.SIZE.parse(text).filter(bytes -> bytes >= least);
    }

    /** Refuses targets that must not be replaced: folders, devices, and the lists themselves. */
    private void requireTarget() throws IOException {
        FileState state = Disk.LOCAL.state(output);
        boolean isFile = state.isRegular() || state.type() == FileState.Type.MISSING;
        boolean isReplaceable = isFile && !output.toString().equals(FileList.STANDARD_INPUT);
        for (String list : lists) {
            // Where the system has it, the file that standard input is.
            Path file = Path.of(list.equals(FileList.STANDARD_INPUT) ? "/dev/stdin" : list);
            isReplaceable &= !state.isSameFileAs(Disk.LOCAL.state(file));
        }
        if (!isReplaceable) {
            throw new IOException(
                    "%s: the list itself, or no file that a snapshot can replace; name another"
                            .formatted(output));
        }
    }

    /**
     * Refuses to start with less space than lists usually take: temporary files of twice the text,
     * as sorted parts and then as one, and a snapshot of half the text, mostly on the same disk
     * when the parts are gone. Long notes or rare domains take up to twice that. How much gzip data
     * grows is unknown, so its packed size is used.
     */
    private static void requireSpace(Path folder, long bytes) throws IOException {
        long free = Disk.LOCAL.freeBytes(folder);
        if (free < bytes) {
            throw new IOException(
                    "%s: %s free, about %s needed; use --temp or -o on another disk"
                            .formatted(folder, Numbers.bytes(free), Numbers.bytes(bytes)));
        }
    }

    /**
     * The options that choose the filter of a snapshot: its size in one of two measures, its kind.
     * A server that builds a list itself understands the same values, with the same defaults.
     */
    static final class FilterOptions {
        private static final ValueType<FilterKind> KINDS =
                ValueType.oneOf(FilterKind::label, List.of(FilterKind.values()));

        private static final FilterSize DEFAULT_SIZE = FilterSize.ofRate(0.001);

        /** The filter that is built when no option is given. */
        static final BuildOptions DEFAULT =
                new BuildOptions(DEFAULT_SIZE.usualKind(), DEFAULT_SIZE);

        @Option(names = "--false-positive-rate", description = "Of the filter (default: 0.001).")
        private @Nullable String rate;

        @Option(
                names = "--bits-per-address",
                description = "The filter's size, in place of the rate.")
        private @Nullable String bits;

        @Option(
                names = "--filter",
                description = "classic, blocked, ribbon (default: by the size).")
        @Nullable String kind;

        /** Returns the filter that is built. */
        BuildOptions buildOptions(Subcommand command) {
            if (rate != null && bits != null) {
                throw command.wrong(
                        "both --false-positive-rate and --bits-per-address; allowed: one of the"
                                + " two");
            }
            FilterSize size = DEFAULT_SIZE;
            if (rate != null) {
                size = command.value("--false-positive-rate", rate, BuildOptions.RATES);
            } else if (bits != null) {
                size = command.value("--bits-per-address", bits, BuildOptions.BITS);
            }
            try {
                return BuildOptions.of(
                        kind == null ? null : command.value("--filter", kind, KINDS), size);
            } catch (IllegalArgumentException e) {
                throw command.wrong("--false-positive-rate: " + e.getMessage());
            }
        }
    }
}
