package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;
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

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@code compare LIST}: measures all kinds of filter side by side. */
final class CompareCommand extends Subcommand {
    private static final double DEFAULT_BITS = 12;

    /** The memory for sorting when a snapshot of a text list is built, in bytes. */
    private static final long BUILD_MEMORY = 32L << 20;

    /** The share of the heap that can be filled before the garbage collector works without end. */
    private static final double USABLE = 0.85;

    private static final long PROGRESS_NANOS = 2_000_000_000;

    private final Given<String> list =
            optionalArgument(
                    "LIST",
                    Values.any(),
                    "A text list, plain or gzip, or a snapshot (.swl); '-': a text list on standard"
                            + " input. Domain entries are left out.");

    private final Given<Long> generated =
            option(
                    "--addresses",
                    "N",
                    Values.count(),
                    "Compare on this many generated addresses instead: 1000000, 10^6, 1e6.");

    private final FilterSizeOptions filter = new FilterSizeOptions(this);

    private final Given<Boolean> filtersOnly =
            flag(
                    "--filters-only",
                    "Leave the HashSet and the sorted array out, which take most of the memory.");

    private final Given<Long> seed =
            option(
                    "--seed",
                    "N",
                    Values.seed(),
                    "0",
                    "Seed of the hashes and of what is asked for: the same list and seed give the"
                            + " same rates (default: ${DEFAULT-VALUE}).");

    private final Given<Long> rounds =
            option(
                    "--rounds",
                    "N",
                    ValueType.whole(3, 1000),
                    "31",
                    "How many times each is asked; the median counts, and more are steadier"
                            + " (default: ${DEFAULT-VALUE}).");

    private final Given<Boolean> json = flag("--json", "Print JSON.");

    private final Given<Path> output =
            output(
                    false,
                    "DIR",
                    Values.file(),
                    "Draw charts, as SVG and PNG, into this folder: rate, time-stranger,"
                            + " time-listed, memory. What they show is measured, too, which takes"
                            + " longer.");

    private final long start = System.nanoTime();
    private long lastProgress = start;

    CompareCommand() {
        super(
                "compare",
                "Makes a filter of each kind of the addresses of a list, and for contrast a"
                        + " HashSet and a sorted array of them, and measures memory,"
                        + " false-positive rate and times.");
    }

    @Override
    int call() throws IOException {
        if (list.isThere() == generated.isThere()) {
            throw wrong(
                    list.isThere()
                            ? "LIST and --addresses: only one of them is allowed"
                            : "a LIST or '--addresses=N' is needed");
        }
        FilterSize asked = filter.size();
        FilterSize size = asked == null ? FilterSize.ofBitsPerKey(DEFAULT_BITS) : asked;
        if (output.isThere()) {
            OthersFolders.refuse(output.value());
            requireFonts();
            requireFolder(output.value());
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
                                seed.value(),
                                Math.toIntExact(rounds.value()),
                                Lists.scratch(),
                                this::progress));
        boolean charted = output.isThere();
        List<Row> fewer = charted ? comparison.overAddresses() : List.of();
        List<Row> table = comparison.table();
        List<RatePoint> rates = charted ? comparison.rates() : List.of();
        List<String> charts = new ArrayList<>();
        if (charted) {
            List<Row> rows = new ArrayList<>(fewer);
            rows.addAll(table);
            Map<String, byte[]> files = Charts.draw(comparison.predictedRates(), rates, rows);
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                charts.add(
                        write(output.value().resolve(file.getKey()), file.getValue()).toString());
            }
        }
        CompareReport report =
                new CompareReport(
                        list.or("generated"),
                        (size.byRate() ? "false-positive rate " : "bits per address ")
                                + size.value(),
                        seed.value(),
                        table);
        if (json.value()) {
            out().println(report.json(fewer, rates, charts));
        } else {
            report.print(out());
            charts.forEach(chart -> out().println(Text.escaped(chart)));
        }
    }

    private ListedAddresses addresses(FilterSize size) throws IOException {
        if (generated.isThere()) {
            requireHeap(generated.value(), size);
            progress("generating addresses");
            return ListedAddresses.generated(generated.value(), seed.value(), !filtersOnly.value());
        }
        String name = list.value();
        try (Snapshot snapshot = snapshot(name)) {
            long n = snapshot.header().addresses();
            if (n == 0) {
                throw new IOException(name + ": no addresses in it; nothing was compared");
            }
            requireHeap(n, size);
            progress("reading addresses");
            return ListedAddresses.of(snapshot, seed.value(), !filtersOnly.value());
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
                            seed.value(),
                            0,
                            progress);
            Lists.OpenedSnapshot opened = Lists.open(name, false, () -> builder);
            opened.warnings().forEach(err()::println);
            return opened.snapshot();
        }
    }

    private void reportWhatIsLeftOut(long n, FilterSize size) {
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
        reportWhatIsLeftOut(n, size);
        double heap = (double) Runtime.getRuntime().maxMemory();
        double need = HeapNeed.bytes((double) n, size, !filtersOnly.value()) / USABLE;
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
                            filtersOnly.value()
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
