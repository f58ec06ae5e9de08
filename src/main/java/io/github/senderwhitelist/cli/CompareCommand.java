package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.compare.Charts;
import io.github.senderwhitelist.compare.Comparison;
import io.github.senderwhitelist.compare.ComparisonSettings;
import io.github.senderwhitelist.compare.HeapNeed;
import io.github.senderwhitelist.compare.ListedAddresses;
import io.github.senderwhitelist.compare.RatePoint;
import io.github.senderwhitelist.compare.Row;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Folders;
import io.github.senderwhitelist.disk.UnfinishedFile;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** {@code compare LIST}: measures all kinds of filter side by side. */
@Command(
        name = "compare",
        description =
                "Makes a filter of each kind of the addresses of a list, and for contrast a"
                        + " HashSet and a sorted array of them, and measures memory,"
                        + " false-positive rate and times.",
        mixinStandardHelpOptions = true)
final class CompareCommand extends Subcommand {
    private static final double DEFAULT_BITS = 12;

    /** The memory for sorting when a snapshot of a text list is built, in bytes. */
    private static final long BUILD_MEMORY = 32L << 20;

    /** The share of the heap that can be filled before the garbage collector works without end. */
    private static final double USABLE = 0.85;

    private static final long PROGRESS_NANOS = 2_000_000_000;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "LIST",
            description =
                    "A text list, plain or gzip, or a snapshot (.swl); '-': a text list on standard"
                            + " input. Domain entries are left out.")
    private @Nullable String list;

    @Option(
            names = "--addresses",
            paramLabel = "N",
            converter = Values.Count.class,
            description = "Compare on this many generated addresses instead: 1000000, 10^6, 1e6.")
    private @Nullable Long generated;

    @Mixin private final FilterSizeOptions filter = new FilterSizeOptions();

    @Option(
            names = "--filters-only",
            description =
                    "Leave the HashSet and the sorted array out, which take most of the memory.")
    private boolean filtersOnly;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "0",
            converter = Values.Seed.class,
            description =
                    "Seed of the hashes and of what is asked for: the same list and seed give the"
                            + " same rates (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "31",
            converter = Values.Rounds.class,
            description =
                    "How many times each is asked; the median counts, and more are steadier"
                            + " (default: ${DEFAULT-VALUE}).")
    private long rounds = 31;

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "DIR",
            converter = Values.File.class,
            description =
                    "Draw charts, as SVG and PNG, into this folder: rate, time-stranger,"
                            + " time-listed, memory. What they show is measured, too, which takes"
                            + " longer.")
    private @Nullable Path output;

    private final long start = System.nanoTime();
    private long lastProgress = start;

    @Override
    public Integer call() throws IOException {
        if ((list == null) == (generated == null)) {
            throw wrong(
                    list == null
                            ? "a LIST or '--addresses=N' is needed"
                            : "LIST and --addresses: only one of them is allowed");
        }
        FilterSize asked = filter.size();
        FilterSize size = asked == null ? FilterSize.ofBitsPerKey(DEFAULT_BITS) : asked;
        if (output != null) {
            requireFonts();
            requireFolder(output);
        }
        compare(size);
        return Main.DONE;
    }

    private void compare(FilterSize size) throws IOException {
        Comparison comparison =
                new Comparison(
                        addresses(size),
                        new ComparisonSettings(
                                size,
                                seed,
                                Math.toIntExact(rounds),
                                Lists.scratch(),
                                this::progress));
        List<Row> fewer = output == null ? List.of() : comparison.overAddresses();
        List<Row> table = comparison.table();
        List<RatePoint> rates = output == null ? List.of() : comparison.rates();
        List<String> charts = new ArrayList<>();
        if (output != null) {
            List<Row> rows = new ArrayList<>(fewer);
            rows.addAll(table);
            Map<String, byte[]> files = Charts.draw(comparison.predictedRates(), rates, rows);
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                charts.add(write(output.resolve(file.getKey()), file.getValue()).toString());
            }
        }
        CompareReport report =
                new CompareReport(
                        list == null ? "generated" : list,
                        (size.byRate() ? "false-positive rate " : "bits per address ")
                                + size.value(),
                        seed,
                        table);
        if (json) {
            out().println(report.json(fewer, rates, charts));
        } else {
            report.print(out());
            charts.forEach(chart -> out().println(Text.escaped(chart)));
        }
    }

    private ListedAddresses addresses(FilterSize size) throws IOException {
        if (generated != null) {
            requireHeap(generated, size);
            progress("generating addresses");
            return ListedAddresses.generated(generated, seed, !filtersOnly);
        }
        String name = Objects.requireNonNull(list);
        try (Snapshot snapshot = snapshot(name)) {
            long n = snapshot.header().addresses();
            if (n == 0) {
                throw new IOException(name + ": no addresses in it; nothing was compared");
            }
            requireHeap(n, size);
            progress("reading addresses");
            return ListedAddresses.of(snapshot, seed, !filtersOnly);
        }
    }

    /** Opens the list as a snapshot, which has each address once, however often the list has it. */
    private Snapshot snapshot(String name) throws IOException {
        try (ProgressDisplay progress = new ProgressDisplay(ProgressDisplay.onTerminal())) {
            int threads = Math.max(1, Runtime.getRuntime().availableProcessors());
            SnapshotBuilder builder =
                    new SnapshotBuilder(
                            FilterDefaults.OPTIONS,
                            new BuildResources(BUILD_MEMORY, threads, Lists.scratch()),
                            seed,
                            0,
                            progress);
            Lists.OpenedSnapshot opened = Lists.open(name, false, () -> builder);
            opened.warnings().forEach(err()::println);
            return opened.snapshot();
        }
    }

    private void tellWhatIsLeftOut(long n, FilterSize size) {
        for (FilterKind kind : FilterKind.values()) {
            Comparison.whyNot(kind, size, n)
                    .ifPresent(why -> err().println(kind.label() + " is left out: " + why));
        }
    }

    private void requireHeap(long n, FilterSize size) throws IOException {
        if (n > ListedAddresses.MOST) {
            throw new IOException(
                    n
                            + " addresses; compare takes up to "
                            + ListedAddresses.MOST
                            + "; nothing was measured");
        }
        tellWhatIsLeftOut(n, size);
        double heap = (double) Runtime.getRuntime().maxMemory();
        double need = HeapNeed.bytes((double) n, size, !filtersOnly) / USABLE;
        if (need > heap) {
            throw new IOException(
                    String.format(
                            Locale.ROOT,
                            "comparing %d addresses needs a heap of about %s, this Java has %s; run"
                                    + " java -Xmx%dm -jar …%s, or compare fewer; nothing was"
                                    + " measured",
                            n,
                            Numbers.bytes((long) need),
                            Numbers.bytes((long) heap),
                            megabytes(need),
                            filtersOnly
                                    ? ""
                                    : String.format(
                                            Locale.ROOT,
                                            ", or with --filters-only -Xmx%dm",
                                            megabytes(
                                                    HeapNeed.bytes((double) n, size, false)
                                                            / USABLE))));
        }
    }

    /** Returns a size in megabytes, rounded up to a multiple of 128. */
    private static long megabytes(double bytes) {
        return 128 * (long) Math.ceil(bytes / (128 << 20));
    }

    private static void requireFonts() throws IOException {
        System.setProperty("java.awt.headless", "true");
        try {
            Charts.tryOut();
        } catch (LinkageError | InternalError | RuntimeException e) {
            throw new IOException(
                    "charts cannot be drawn: this Java has no module java.desktop, or finds no"
                            + " fonts ("
                            + e
                            + "); install fontconfig and a font, or leave -o out",
                    e);
        }
    }

    private static void requireFolder(Path folder) throws IOException {
        try {
            Folders.make(Disk.LOCAL, folder, false);
        } catch (IOException e) {
            throw new IOException(
                    folder + ": this folder cannot be created (" + e + "); nothing was measured",
                    e);
        }
    }

    /** Writes a file completely or not at all. */
    private static Path write(Path path, byte[] bytes) throws IOException {
        try (UnfinishedFile file = UnfinishedFile.readable(Disk.LOCAL, path)) {
            file.file().writeFully(ByteBuffer.wrap(bytes), 0);
            file.publish();
        }
        return path;
    }

    /** Prints a line, but not more often than every two seconds. */
    private void progress(String next) {
        long now = System.nanoTime();
        if (now - lastProgress >= PROGRESS_NANOS) {
            lastProgress = now;
            System.err.printf(Locale.ROOT, "%.0f s: %s%n", (now - start) / 1e9, next);
        }
    }
}
