package io.github.senderwhitelist.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.github.senderwhitelist.address.AddressSyntax;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.ParsedAddress.WellFormed;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.tools.AddressGenerator;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.GZIPOutputStream;

/** Builds snapshots of more entries than the given memory holds. */
@Tag("large")
class BuildTest {
    private static final int COUNT = Extent.of(300_000, 1_500_000);

    /** Too little memory for the lists, but enough for two threads. */
    private static final long LITTLE = 6L << 20;

    private static final BuildOptions OPTIONS =
            new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(8));

    @TempDir static Path listFolder;
    private static Path plain = Path.of("");
    private static Path packed = Path.of("");

    @TempDir Path folder;
    private final AddressGenerator generator = new AddressGenerator(100_000);

    /**
     * Returns two lists that share a tenth of their entries; every thousandth of the second denies.
     */
    @BeforeAll
    static void lists() throws IOException {
        plain = listFolder.resolve("plain.txt");
        packed = listFolder.resolve("packed.txt.gz");
        try (OutputStream out = Files.newOutputStream(plain)) {
            write(new java.io.BufferedOutputStream(out, 1 << 16), 0, COUNT / 2);
        }
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed), 1 << 16)) {
            write(out, COUNT / 2 - COUNT / 10, COUNT);
        }
    }

    private static void write(OutputStream out, int first, int end) throws IOException {
        AddressGenerator generator = new AddressGenerator(100_000);
        for (int i = first; i < end; i++) {
            String deny = first > 0 && i % 1000 == 0 ? "!" : "";
            out.write((deny + generator.address(i) + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        out.write("@list.example\n!@list.example\n".getBytes(StandardCharsets.US_ASCII));
        out.flush();
    }

    private BuildReport build(Path target, long memory) throws IOException {
        return build(OPTIONS, packed, target, memory);
    }

    private BuildReport build(BuildOptions options, Path second, Path target, long memory)
            throws IOException {
        return build(options, List.of(plain, second), target, memory);
    }

    private BuildReport build(BuildOptions options, List<Path> lists, Path target, long memory)
            throws IOException {
        return Builds.of(options, 11)
                .in(memory)
                .build(
                        lists.stream().map(list -> TextSource.of(Disk.LOCAL, list)).toList(),
                        target);
    }

    @Test
    void shouldGiveTheSameBytesWhateverTheMemory() throws IOException {
        Path little = folder.resolve("little.swl");
        Path much = folder.resolve("much.swl");
        Path least = folder.resolve("least.swl");
        BuildReport littleReport = build(little, LITTLE);
        BuildReport muchReport = build(much, 128L << 20);

        build(least, SnapshotBuilder.MIN_MEMORY);
        assertThat(Files.mismatch(little, much)).isEqualTo(-1);
        assertThat(Files.mismatch(least, much)).isEqualTo(-1);
        for (BuildReport report : List.of(littleReport, muchReport)) {
            assertThat(report.header().addresses()).isEqualTo(COUNT);
            assertThat(report.header().domains()).isEqualTo(1);
            // A denial beside the same address without one is no duplicate.
            assertThat(report.duplicates()).isEqualTo(COUNT / 10 - COUNT / 10 / 1000 + 2);
            assertThat(report.contradictions()).isEqualTo(COUNT / 10 / 1000 + 1);
        }
        assertThat(littleReport.header().addressFilter()).isEqualTo(OPTIONS.addressFilter(COUNT));
        shouldAnswerRight(little);
        try (var left = Files.list(folder)) {
            assertThat(left).hasSize(3);
        }
    }

    /**
     * In much memory, nobody sees before the end that entries come again; in little, it is seen on
     * the way.
     */
    @Test
    void shouldGiveTheSameBytesWheneverDuplicatesAreSeen() throws IOException {
        Path list = folder.resolve("again.txt");
        try (BufferedWriter out = Files.newBufferedWriter(list)) {
            for (int i = 0; i < 2_000_000; i++) {
                out.write(generator.address(i) + "\n");
                if (i % 10 == 9) {
                    out.write(generator.address(Math.max(0, i - 40_000)) + "\n");
                }
            }
        }
        Path little = folder.resolve("little.swl");
        Path much = folder.resolve("much.swl");
        build(OPTIONS, List.of(list), little, LITTLE);
        build(OPTIONS, List.of(list), much, 512L << 20);
        assertThat(Files.mismatch(little, much)).isEqualTo(-1);
    }

    /** Builds filters of more hashes than fit into memory, filled as entries come or afterwards. */
    @Test
    void shouldGiveTheSameBytesForAFilterThatIsBuiltOfAllHashes() throws IOException {
        Path little = folder.resolve("little.swl");
        Path much = folder.resolve("much.swl");
        BuildOptions options = new BuildOptions(FilterKind.RIBBON, FilterSize.ofRate(0.01));
        SnapshotHeader header = build(options, packed, little, LITTLE).header();
        build(options, packed, much, 128L << 20);

        assertThat(Files.mismatch(little, much)).isEqualTo(-1);
        assertThat(header.addressFilter()).isEqualTo(options.addressFilter(COUNT));
        try (Snapshot snapshot = Snapshot.openFilters(Disk.LOCAL, little)) {
            long maybe = 0;
            for (int i = 0; i < 2 * COUNT; i++) {
                Key key = ((WellFormed) AddressSyntax.parse(generator.address(i))).address().key();
                boolean perhaps =
                        snapshot.addressFilter().mightContain(snapshot.hasher().hash(key));
                assertThat(perhaps || i >= COUNT).isTrue();
                maybe += i >= COUNT && perhaps ? 1 : 0;
            }
            double expected = header.addressFilter().rate(COUNT);
            assertThat(maybe / (double) COUNT).isCloseTo(expected, withinPercentage(5));
        }
        try (var left = Files.list(folder)) {
            assertThat(left).hasSize(2);
        }
    }

    private void shouldAnswerRight(Path file) throws IOException {
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
            BlockStore store = Objects.requireNonNull(snapshot.store());
            long maybe = 0;
            for (int i = 0; i < 2 * COUNT; i++) {
                Key key = ((WellFormed) AddressSyntax.parse(generator.address(i))).address().key();
                boolean perhaps =
                        snapshot.addressFilter().mightContain(snapshot.hasher().hash(key));
                var entry = store.find(key);
                if (i < COUNT ? !perhaps || entry == null : entry != null) {
                    throw new AssertionError(key + " " + perhaps + " " + entry);
                }
                boolean denied = i >= COUNT / 2 - COUNT / 10 && i % 1000 == 0;
                if (entry != null && entry.denied() != denied) {
                    throw new AssertionError(entry);
                }
                maybe += i >= COUNT && perhaps ? 1 : 0;
            }
            // The formula gives 2.33 %; allows four standard deviations.
            assertThat(maybe / (double) COUNT).isBetween(0.0225, 0.0241);
        }
    }

    @Test
    void shouldLeaveNothingBehindWhenALaterListIsRefused() throws IOException {
        Path later = Files.writeString(folder.resolve("later.txt"), "nonsense\n");
        Path target = folder.resolve("x.swl");

        assertThatThrownBy(() -> build(OPTIONS, later, target, LITTLE))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageContaining("later.txt");
        try (var left = Files.list(folder)) {
            assertThat(left).containsExactly(later);
        }
    }
}
