package io.github.senderwhitelist.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.tools.AddressGenerator;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.Extent;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** Builds snapshots of more entries than the given memory holds. */
@Tag("large")
class BuildTest {
    private static final int COUNT = Extent.of(300_000, 1_500_000);

    /** Too little memory for the lists, but enough for two threads. */
    private static final long LITTLE = 6L << 20;

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

    private static BuildReport build(BuildOptions options, Path target, long memory)
            throws IOException {
        return Builds.of(options, 11)
                .in(memory)
                .build(
                        Stream.of(plain, packed)
                                .map(list -> TextSource.of(Disk.LOCAL, list))
                                .toList(),
                        target);
    }

    /**
     * Also of filters of more hashes than fit into memory, filled as entries come or afterwards.
     */
    @ParameterizedTest
    @EnumSource(FilterKind.class)
    void shouldGiveTheSameBytesWhateverTheMemory(FilterKind kind) throws IOException {
        BuildOptions options = new BuildOptions(kind, FilterSize.ofBitsPerKey(8));
        Path little = folder.resolve("little.swl");
        Path least = folder.resolve("least.swl");
        Path much = folder.resolve("much.swl");
        build(options, least, SnapshotBuilder.MIN_MEMORY);
        BuildReport littleReport = build(options, little, LITTLE);
        BuildReport muchReport = build(options, much, 128L << 20);

        assertThat(Files.mismatch(little, much)).isEqualTo(-1);
        assertThat(Files.mismatch(least, much)).isEqualTo(-1);
        for (BuildReport report : List.of(littleReport, muchReport)) {
            assertThat(report.header().addresses()).isEqualTo(COUNT);
            assertThat(report.header().domains()).isEqualTo(1);
            // A denial beside the same address without one is no duplicate.
            assertThat(report.duplicates()).isEqualTo(COUNT / 10 - COUNT / 10 / 1000 + 2);
            assertThat(report.contradictions()).isEqualTo(COUNT / 10 / 1000 + 1);
        }
        assertThat(littleReport.header().addressFilter()).isEqualTo(options.addressFilter(COUNT));
        shouldAnswerRight(little, littleReport.header().addressFilter().rate(COUNT));
        try (var left = Files.list(folder)) {
            assertThat(left).hasSize(3);
        }
    }

    private void shouldAnswerRight(Path file, double rate) throws IOException {
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
            BlockStore store = Objects.requireNonNull(snapshot.store());
            long maybe = 0;
            for (int i = 0; i < 2 * COUNT; i++) {
                Key key = SmallLists.address(generator.address(i)).key();
                boolean perhaps = snapshot.mightContain(key);
                boolean denied = i >= COUNT / 2 - COUNT / 10 && i % 1000 == 0;
                Entry entry = store.find(key, null);
                if (i < COUNT
                        ? !perhaps || entry == null || entry.denied() != denied
                        : entry != null) {
                    throw new AssertionError(key + " " + perhaps + " " + entry);
                }
                maybe += i >= COUNT && perhaps ? 1 : 0;
            }
            assertThat(maybe / (double) COUNT).isCloseTo(rate, withinPercentage(5));
        }
    }
}
