package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Address;
import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.Text;
import io.github.senderwhitelist.address.ValueType;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

/** The commands on snapshots: to plan, make, show and check them. */
final class SnapshotCommands {
    private SnapshotCommands() {}

    /**
     * {@code build LIST... -o FILE.swl}: builds a snapshot of text lists. It replaces what has that
     * name when it is whole, and leaves nothing behind if it fails or is stopped. A build may take
     * half an hour, so all that can be refused at its beginning is.
     */
    @Command(
            description = "Builds a snapshot of text lists, in bounded memory.",
            footer = {
                "  whitelist build conf/whitelist.txt -o whitelist.swl",
                "  zcat all/*.gz | whitelist build - -o large.swl --bits-per-address 8",
                "  whitelist build --from postfix /etc/postfix/sender_access -o postfix.swl"
            })
    static final class Build extends Subcommand {
        /** Sorting gets at least this part of the memory, and half of what is not overhead. */
        private static final int MIN_SHARE = 4;

        /** What a build takes beside sorting, for Java, buffers and the dictionary, in bytes. */
        private static final long OVERHEAD = 48L << 20;

        private static final ValueType<Long> SEED = ValueType.whole(Long.MIN_VALUE, Long.MAX_VALUE);

        private static final ValueType<Long> MEMORY =
                new ValueType<>(
                        text ->
                                ValueType.SIZE
                                        .parse(text)
                                        .filter(it -> it >= MIN_SHARE * SnapshotBuilder.MIN_MEMORY),
                        "a size such as 64m or 1g, from 16m");

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

        @Override
        int call() throws IOException {
            long start = System.nanoTime();
            long bytes = value("--memory", memory, MEMORY);
            long sorting = Math.max(bytes / MIN_SHARE, (bytes - OVERHEAD) / 2);
            long random =
                    seed == null ? new SecureRandom().nextLong() : value("--seed", seed, SEED);
            // The same lists and seed make the same bytes, so no time is in them either.
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
            // What a build left that was killed takes room.
            AtomicFile.sweep(Disk.LOCAL, output);
            List<TextSource> converted = foreign.converted(sources, this);
            BuildReport report;
            try (AtomicFile file = AtomicFile.create(Disk.LOCAL, output)) {
                // The temporary files of sorting have no names and vanish with the program.
                Runtime.getRuntime().addShutdownHook(new Thread(file::abandon));
                Scratch scratch = new Scratch(Disk.LOCAL, temp);
                report =
                        new SnapshotBuilder(options, sorting, scratch, random, time, err)
                                .build(converted, file.file());
                file.publish();
            }
            foreign.sumUp(this);
            err.skipped(report);
            SnapshotHeader header = report.header();
            say(
                    "%s: %s%s%s; %s%s; %s; %s",
                    Text.escaped(output.toString()),
                    count(header.addresses(), "address", "addresses"),
                    andCount(header.domains(), "domain", "domains"),
                    andCount(header.denied(), "denied", "denied"),
                    count(report.lines(), "line", "lines"),
                    andCount(report.duplicates(), "duplicate", "duplicates"),
                    bytes(header.fileLength()),
                    secondsSince(start));
            return Main.DONE;
        }

        /**
         * Refuses targets that must not be replaced: folders, devices, and the lists themselves.
         */
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
         * Refuses to start with less space than lists usually take: temporary files of twice the
         * text, and a snapshot of half the text. Long notes or rare domains take up to twice that;
         * how much gzip data grows is unknown, so its packed size is used.
         */
        private static void requireSpace(Path folder, long bytes) throws IOException {
            long free = Disk.LOCAL.freeBytes(folder);
            if (free < bytes) {
                throw new IOException(
                        "%s: %s free, about %s needed; use --temp or -o on another disk"
                                .formatted(folder, bytes(free), bytes(bytes)));
            }
        }
    }

    /**
     * The options that choose the filter of a snapshot, with the values and defaults of a server
     * that builds a list itself.
     */
    static final class FilterOptions {
        private static final FilterSize DEFAULT_SIZE = FilterSize.ofRate(0.001);

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
                var wanted =
                        kind == null ? null : command.value("--filter", kind, BuildOptions.KINDS);
                return BuildOptions.of(wanted, size);
            } catch (IllegalArgumentException e) {
                throw command.wrong("--false-positive-rate: " + e.getMessage());
            }
        }
    }

    /**
     * {@code plan --addresses N}: computes size and false-positive rate of the filter that {@code
     * build} would make for N addresses, by the same formulas. What the exact store takes depends
     * on the addresses, so that is only about right.
     */
    @Command(
            description = "Prints m, k, false-positive rate, memory and disk of a filter.",
            footer = {
                "  whitelist plan --addresses 10^9 --bits-per-address 8",
                "  whitelist plan --addresses 1000000 --filter classic"
            })
    static final class Plan extends Subcommand {
        private static final ValueType<Long> COUNT = ValueType.whole(1, Long.MAX_VALUE);

        /**
         * The bytes that the exact store takes for an address. Measured: 8.0 for people's and 10.5
         * for generated ones at 10^6, 9.1 at 10^7.
         */
        private static final int STORE_BYTES = 10;

        private static final int STORE_BYTES_OF_MANY = 9;
        private static final long MANY = 5_000_000;

        /**
         * The bytes that an exact store takes whatever it holds: part of a block, and its tables.
         */
        private static final long MIN_STORE = 2_080;

        @Option(
                names = "--addresses",
                required = true,
                description = "How many: 1000000, 10^9, 1e9.")
        private String count = "";

        @Mixin private FilterOptions filter = new FilterOptions();

        @Override
        int call() {
            long n = value("--addresses", count, COUNT);
            BuildOptions options = filter.buildOptions(this);
            FilterShape shape;
            try {
                shape = options.addressFilter(n);
            } catch (IllegalArgumentException e) {
                throw wrong("--addresses '" + n + "': " + e.getMessage());
            }
            long entries = (n < MANY ? STORE_BYTES : STORE_BYTES_OF_MANY) * n;
            long store = MIN_STORE + entries;
            say(
                    "%s; the exact store takes about %s, on disk %s",
                    count(n, "address", "addresses"),
                    bytes(store),
                    store <= Snapshot.EXACT_MEMORY ? "and in memory (exactMemory)" : "only");
            say("filter   bits/address            m   k false-positive rate    memory      disk");
            say(
                    "%-8s %12.3f %12d %3d %19s %9s %9s",
                    options.kind().label(),
                    (double) shape.m() / (double) n,
                    shape.m(),
                    shape.k(),
                    percent(shape.rate(n)),
                    bytes(shape.bytes()),
                    bytes(Snapshot.SMALLEST + entries + shape.bytes()));
            return Main.DONE;
        }
    }

    /**
     * {@code info FILE}: prints what the header of a snapshot says. Nothing else is read, so it
     * takes no time on snapshots of any size, and tells nothing of damage behind the header.
     */
    @Command(
            description = "Prints the header of a snapshot.",
            footer = {"  whitelist info whitelist.swl", "  whitelist info --json whitelist.swl"})
    static final class Header extends Subcommand {
        @Parameters(paramLabel = "FILE", description = "A snapshot (.swl).")
        private Path file = Path.of("");

        @Option(names = "--json", description = "Print JSON.")
        private boolean json;

        @Override
        int call() throws IOException {
            SnapshotHeader header = Snapshot.readHeader(Disk.LOCAL, OthersFolders.readable(file));
            FilterShape filter = header.addressFilter();
            Map<String, Object> fields = new LinkedHashMap<>();
            long n = header.addresses();
            Instant built = Instant.ofEpochMilli(header.buildTime());
            fields.put("formatVersion", SnapshotHeader.VERSION);
            fields.put("keyVersion", AddressSyntax.VERSION);
            fields.put("addresses", n);
            fields.put("domains", header.domains());
            fields.put("forSomeRecipients", header.pairs());
            fields.put("denied", header.denied());
            fields.put("conditional", header.conditional());
            fields.put("filter", filter.kind().label());
            fields.put("m", filter.m());
            fields.put("k", filter.k());
            BigDecimal rate = new BigDecimal(filter.rate(n)).round(new MathContext(6));
            fields.put("falsePositiveRate", rate.doubleValue());
            fields.put("memoryBytes", filter.bytes());
            fields.put("diskBytes", header.fileLength());
            fields.put("storeBytes", header.storeBytes());
            fields.put("built", header.buildTime() == 0 ? "not recorded" : built.toString());
            fields.put("sourceDigest", header.sourceDigest());
            if (json) {
                out.println("{\n  " + Output.json(fields, ",\n  ") + "\n}");
            } else {
                fields.forEach((name, value) -> say("%-20s%s", name, value));
            }
            return Main.DONE;
        }
    }

    /**
     * {@code verify FILE}: checks every checksum of a snapshot, measures the false-positive rate of
     * its filter, and asks it for each entry of the exact store; with {@code --against}, each entry
     * of the list that the snapshot was made of is looked up in the exact store.
     */
    @Command(
            description = "Checks every part of a snapshot, and measures its false-positive rate.",
            exitCodeList = {
                "0:all is well",
                "1:an entry is not in FILE",
                "2:damaged, or a failure"
            },
            footer = {
                "  whitelist verify whitelist.swl",
                "  whitelist verify whitelist.swl --against conf/whitelist.txt"
            })
    static final class Verify extends ListCommand {
        /** So many that the rate of 0.001 is measured to a few hundredths of itself. */
        private static final int STRANGERS = 1_000_000;

        @Parameters(paramLabel = "FILE", description = "A snapshot (.swl).")
        private Path file = Path.of("");

        @Option(names = "--against", description = "What must be in FILE.")
        private @Nullable String against;

        @Override
        int call() throws IOException {
            Snapshot snapshot = untilEnd(Snapshot.open(Disk.LOCAL, OthersFolders.readable(file)));
            OpenList list = against == null ? null : open(against, false);
            BlockStore store = Objects.requireNonNull(snapshot.store());
            checkEntries(snapshot, store);
            measure(snapshot, store);
            return list == null || covers(store, list.walk(null)) ? Main.DONE : Main.NEGATIVE;
        }

        /** Asks the filter for every entry. Reading them all checks their blocks. */
        private void checkEntries(Snapshot snapshot, BlockStore store) throws IOException {
            long all = snapshot.header().entries();
            long count = 0;
            BlockStore.Walk walk = store.walk(null);
            for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
                count += entry.rules().isEmpty() ? 0 : 1;
                err.report("checking", count, all);
                if (!snapshot.mightContain(entry.key())) {
                    throw new IOException(
                            "%s: damaged: %s is in the exact store, but not in the filter"
                                    .formatted(file, entry));
                }
            }
            if (count != all) {
                throw new IOException(
                        "%s: damaged: its exact store holds %s entries, its header says %s"
                                .formatted(file, count, all));
            }
            String entries = count(count, "entry", "entries");
            say("%s: every checksum is right, every entry is in its filter", entries);
        }

        /** Asks the filter for senders that nobody has, and counts how often it says maybe. */
        private void measure(Snapshot snapshot, BlockStore store) throws IOException {
            SplittableRandom random = new SplittableRandom(snapshot.header().seed());
            int maybe = 0;
            for (int i = 0; i < STRANGERS; i++) {
                err.report("measuring", i, STRANGERS);
                String local = Long.toString(random.nextLong() >>> 1, 36);
                String stranger = local + "@" + i + ".stranger.invalid";
                Key key = ((Address) AddressSyntax.parse(stranger)).key();
                if (snapshot.mightContain(key) && store.find(key, null) == null) {
                    maybe++;
                }
            }
            double rate = snapshot.header().addressFilter().rate(snapshot.header().addresses());
            say(
                    "false-positive rate: measured %s on %s, predicted %s",
                    percent((double) maybe / STRANGERS),
                    count(STRANGERS, "stranger", "strangers"),
                    percent(rate));
        }

        /** Returns whether the snapshot says what each line of a list does. */
        private boolean covers(BlockStore store, EntryWalk walk) throws IOException {
            long asked = 0;
            long missing = 0;
            for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
                err.report("comparing", ++asked, -1);
                Entry found = store.find(entry.key(), entry.to());
                List<Rule> there = found == null ? List.of() : found.rules();
                for (Rule wanted : entry.rules()) {
                    // Beside another one, a rule may say nothing.
                    if (there.stream().noneMatch(it -> it.equals(wanted) || it.settles(wanted))) {
                        missing++;
                        err.complain(entry + ": not in the snapshot");
                        break;
                    }
                }
            }
            say(
                    "%s of %s: %,d found, %,d missing",
                    count(asked, "entry", "entries"),
                    Text.escaped(String.valueOf(against)),
                    asked - missing,
                    missing);
            return missing == 0;
        }
    }
}
