package io.github.senderwhitelist.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.tools.AllocatedBytes;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.SmallLists;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

/** Tests the bytes of snapshots, their answers, and which files are refused. */
class SnapshotTest {
    private static final BuildOptions OPTIONS =
            new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(0.001));
    private static final long SEED = 20261121;

    private static final String LIST =
            """
            # a small list
            alice@example.com
            Bob@Example.org # twice
            bob@example.org
            carol@example.com
            "d e"@example.com
            @example.net
            @.example.net
            !mallory@example.net
            mallory@example.net
            !@.bad.example.net
            j\u00fcrgen@m\u00fcnchen.de
            """;

    private static final List<String> STRANGERS =
            List.of(
                    "alice@example.org",
                    "alicf@example.com",
                    "alic@example.com",
                    "zed@zed.zed",
                    "@example.com",
                    "@.example.com",
                    "!@example.net");

    @TempDir Path folder = Path.of("made by JUnit");

    /**
     * All bytes of a file; the reader that was written from the documentation tells what they mean.
     */
    @Test
    void shouldKeepItsFormat() throws IOException {
        assertThat(sha256(Files.readAllBytes(build(LIST, SEED))))
                .isEqualTo("402b99adce56b52ae800fa52d144987e78caff8686ebf59cacba706b4d22da50");
    }

    @Test
    void shouldSayWhatItHolds() throws IOException {
        Path file = folder.resolve("list.swl");
        BuildReport report =
                new Builds(Disk.LOCAL, OPTIONS, SnapshotBuilder.MIN_MEMORY, SEED, 123)
                        .build(LIST.getBytes(UTF_8), file);
        assertThat(report.duplicates()).isEqualTo(1);
        assertThat(report.contradictions()).isEqualTo(1);
        assertThat(report.duplicates() + 1 + report.header().entries()).isEqualTo(11);
        SnapshotHeader header = Snapshot.readHeader(Disk.LOCAL, file);
        assertThat(header).isEqualTo(report.header());
        assertThat(header.addresses()).isEqualTo(6);
        assertThat(header.domains()).isEqualTo(3);
        assertThat(header.denied()).isEqualTo(2);
        assertThat(header.seed()).isEqualTo(SEED);
        assertThat(header.buildTime()).isEqualTo(123);
        assertThat(header.fileLength()).isEqualTo(Files.size(file));
        assertThat(header.addressFilter().kind()).isEqualTo(FilterKind.BLOCKED);
        assertThat(header.domainFilter().kind()).isEqualTo(FilterKind.CLASSIC);
    }

    @Test
    void shouldRecordTheDigestOfTheSourceAsItStandsInTheFile() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(LIST.getBytes(UTF_8));
        }
        Path file = folder.resolve("list.swl");
        Builds.of(OPTIONS, SEED).build(packed.toByteArray(), file);

        assertThat(Snapshot.readHeader(Disk.LOCAL, file).sourceDigest())
                .isEqualTo(sha256(packed.toByteArray()));
    }

    @Test
    void shouldAnswerMaybeForEveryKeyWithFiltersAlone() throws IOException {
        Path file = build(LIST, SEED);
        try (Snapshot filters = Snapshot.openFilters(Disk.LOCAL.open(file), file)) {
            assertThat(filters.store()).isNull();
            assertThat(plain(LIST).entries()).allMatch(entry -> filters.mightContain(entry.key()));
        }
    }

    @Test
    void shouldHaveADomainFilterThatHardlyAddsToTheRate() {
        for (double rate : new double[] {0.5, 0.01, 0.001, 1e-6}) {
            BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofRate(rate));
            for (long domains : new long[] {1, 100, 1_000_000}) {
                double added = options.domainFilter(domains).rate(domains);
                assertThat(added).isLessThanOrEqualTo(Math.max(1e-9, rate * 0.01));
            }
        }
    }

    @Test
    void shouldRefuseEveryOtherLength() throws IOException {
        Path file = build(LIST, SEED);
        try (RandomAccessFile disk = new RandomAccessFile(file.toFile(), "rw")) {
            disk.setLength(disk.length() + 1);
            assertRefused(file);
            for (long length = disk.length() - 2; length >= 0; length--) {
                disk.setLength(length);
                assertRefused(file);
            }
        }
    }

    /** A changed bit is noticed when its part is used at the latest, unless it is between parts. */
    @Test
    void shouldNoticeEveryFlippedBit() throws IOException {
        Path file = build(LIST, SEED);
        SnapshotHeader header = Snapshot.readHeader(Disk.LOCAL, file);
        PlainList list = plain(LIST);
        int refused = 0;
        int unanswered = 0;
        int harmless = 0;
        try (RandomAccessFile disk = new RandomAccessFile(file.toFile(), "rw")) {
            for (long at = 0; at < disk.length(); at++) {
                boolean inBlocks = inside(header.blocks(), at);
                boolean inParts = inBlocks || inPart(header, at);
                // Tries all bits of the parts, and some of those between parts and in the long
                // block.
                for (int bit = 0; bit < 8; bit++) {
                    if ((!inParts || inBlocks) && (at % 8 != bit || at % 3 != 0)) {
                        continue;
                    }
                    flip(disk, at, bit);
                    try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
                        if (inBlocks) {
                            assertThatThrownBy(() -> assertAnswers(snapshot, list))
                                    .isInstanceOf(IOException.class);
                            unanswered++;
                        } else {
                            assertAnswers(snapshot, list);
                            assertThat(inParts).as("byte %s", at).isFalse();
                            harmless++;
                        }
                    } catch (SnapshotException e) {
                        assertThat(inParts && !inBlocks).isTrue();
                        assertThat(e).hasMessageStartingWith(file + ": ");
                        refused++;
                    }
                    flip(disk, at, bit);
                }
            }
        }
        assertThat(refused).isGreaterThan(8 * (SnapshotHeader.SIZE + 64 + 64));
        assertThat(unanswered).isGreaterThan(100);
        assertThat(harmless).isGreaterThan(100);
    }

    private static boolean inPart(SnapshotHeader header, long at) {
        return at < SnapshotHeader.SIZE
                || inside(header.ranks(), at)
                || inside(header.index(), at)
                || inside(header.addressBits(), at)
                || inside(header.domainBits(), at);
    }

    private static boolean inside(Section section, long at) {
        return at >= section.offset() && at < section.offset() + section.length();
    }

    @Test
    void shouldNoticeDamageAlsoInFiltersReadInPieces() throws IOException {
        List<String> addresses =
                IntStream.range(0, 135_000).mapToObj(i -> "u" + i + "@example.com").toList();
        Path file = folder.resolve("large.swl");
        BuildOptions wide = new BuildOptions(FilterKind.CLASSIC, FilterSize.ofBitsPerKey(64));
        Builds.of(wide, SEED).build(String.join("\n", addresses).getBytes(UTF_8), file);
        SnapshotHeader header = Snapshot.readHeader(Disk.LOCAL, file);
        assertThat(header.addressFilter().bytes()).isGreaterThan(Section.AT_ONCE);
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
            assertThat(addresses).allMatch(address -> snapshot.mightContain(key(address)));
        }
        long bits = header.addressBits().offset();
        long end = bits + header.addressFilter().bytes();
        try (RandomAccessFile disk = new RandomAccessFile(file.toFile(), "rw")) {
            for (long at : new long[] {bits, bits + Section.AT_ONCE - 1, end - 1}) {
                flip(disk, at, 3);
                assertThatThrownBy(() -> Snapshot.openFilters(Disk.LOCAL.open(file), file))
                        .isInstanceOf(SnapshotException.class)
                        .hasMessageContainingAll("filter", "damaged");
                flip(disk, at, 3);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        // Position, value, and width.
        "136, 1152921504606846976, 8, 'allowed: multiples of 512'", // address filter m = 2^60
        "152, 1152921504606846976, 8, 'allowed: multiples of 512'", // domain filter m = 2^60
        "136, 68719476736, 8, 'another length than its m'", // 8 GiB that the file lacks
        "132, 0, 4, 'allowed: 1 to 31'", // k
        "132, 1000000, 4, 'allowed: 1 to 31'",
        "128, 99, 4, 'filter kind 99'",
        "16, 1152921504606846976, 8, 'its header says 1152921504606846976'",
        "72, -1, 8, 'negative'",
        "80, -1, 8, 'negative'",
        "88, -1, 8, 'negative'",
        "88, 1000, 8, 'counts'", // more denials than entries
        "160, -4096, 8, 'a part of'", // blocks
        "160, 9223372036854771712, 8, 'a part of'",
        "160, 0, 8, 'a part of'", // within the header
        "168, 1152921504606846976, 8, 'a part of'",
        "168, 9223372036854775807, 8, 'a part of'",
        "168, -4096, 8, 'a part of'",
        "168, 4095, 8, 'a part of a block'",
        "192, 1152921504606846976, 8, 'a part of'", // ranks
        "216, -1, 8, 'a part of'", // index
        "232, 9223372036854775807, 8, 'a part of'", // filter bits
        "240, 8, 8, 'another length than its m'"
    })
    void shouldRefuseAForgedHeaderBeforeAllocatingAnything(
            int at, long value, int width, String reason) throws IOException {
        Path file = forged(at, value, width);
        Snapshot.open(Disk.LOCAL, build(LIST, SEED, "warm.swl")).close();
        long before = AllocatedBytes.now();
        assertThatThrownBy(() -> Snapshot.open(Disk.LOCAL, file))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContainingAll("damaged", reason, "again");
        assertThat(AllocatedBytes.now() - before).isLessThan(16L << 20);
    }

    @ParameterizedTest
    @CsvSource({
        "8, 6, 'format 6 with keys of form 3; this program reads format 5', 'newer one'",
        "8, 4, 'format 4 with keys of form 3; this program reads format 5', 'Build it again'",
        "12, 7, 'form 7; this program reads format 5 with form 3', 'Build it again'"
    })
    void shouldRefuseOtherVersionsAndSayWhatToDo(int at, int version, String what, String advice)
            throws IOException {
        Path file = forged(at, version, 4);
        assertThatThrownBy(() -> Snapshot.open(Disk.LOCAL, file))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContainingAll(file.toString(), what, advice);
    }

    @Test
    void copyShouldFailWhenABlockIsDamaged() throws IOException {
        Path damaged = build(LIST, SEED);
        byte[] bytes = Files.readAllBytes(damaged);
        // The zeros after the entries mean nothing.
        bytes[4096 + 1000] = 1;
        Files.write(damaged, bytes);
        try (AtomicFile copy = AtomicFile.create(Disk.LOCAL, folder.resolve("copy.swl"))) {
            assertThatThrownBy(() -> Snapshot.copy(Disk.LOCAL, damaged, copy.file(), () -> {}))
                    .isInstanceOf(SnapshotException.class)
                    .hasMessage(
                            damaged
                                    + ": damaged: block 0 of its exact store has a wrong checksum:"
                                    + " damaged or overwritten since it was opened. Build or copy"
                                    + " the snapshot again");
        }
    }

    @Test
    void shouldDistinguishATextListFromASnapshot() throws IOException {
        Path text = Files.writeString(folder.resolve("list.txt"), LIST);
        assertThatThrownBy(() -> Snapshot.open(Disk.LOCAL, text))
                .isInstanceOf(SnapshotException.class)
                .hasMessageContainingAll(text.toString(), "not a whitelist snapshot");
        byte[] start =
                Arrays.copyOf(Files.readAllBytes(build(LIST, SEED)), SnapshotHeader.MAGIC_LENGTH);
        assertThat(SnapshotHeader.isSnapshot(start)).isTrue();
        assertThat(SnapshotHeader.isSnapshot(Arrays.copyOf(start, 7))).isFalse();
        assertThat(SnapshotHeader.isSnapshot(LIST.getBytes(UTF_8))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "# nothing\n\n", "nonsense\n", "a@e.org\n\0\n"})
    void shouldLeaveTheOldFileWhenAListIsRefused(String list) throws IOException {
        Path file = build(LIST, SEED);
        byte[] old = Files.readAllBytes(file);
        assertThatThrownBy(() -> build(list, SEED))
                .isInstanceOf(ListRefusedException.class)
                .hasMessageStartingWith("list:");
        assertThat(Files.readAllBytes(file)).isEqualTo(old);
        assertThat(files()).containsExactly("list.swl");
    }

    @Test
    void shouldLeaveNothingBehindWhereItCannotWrite() throws IOException {
        Path taken = Files.createDirectories(folder.resolve("taken.swl/inside"));
        assertThatThrownBy(() -> build(LIST, SEED, "taken.swl")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> build(LIST, SEED, "missing/list.swl"))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("missing");
        assertThat(taken).isDirectory();
        assertThat(files()).containsExactly("taken.swl");
    }

    @Test
    void shouldReplaceAnOpenSnapshotWithoutDisturbingIt() throws IOException {
        try (Snapshot old = Snapshot.open(Disk.LOCAL, build(LIST, SEED))) {
            build("new@example.com\n", 2);
            assertAnswers(old, plain(LIST));
            try (Snapshot fresh = Snapshot.open(Disk.LOCAL, folder.resolve("list.swl"))) {
                assertAnswers(fresh, plain("new@example.com\n"));
            }
        }
        assertThat(files()).containsExactly("list.swl");
    }

    private void assertRefused(Path file) {
        assertThatThrownBy(() -> Snapshot.open(Disk.LOCAL, file).close())
                .isInstanceOf(SnapshotException.class)
                .hasMessageStartingWith(file + ": ");
    }

    /** Asks for every entry of a list, and for strangers, which must be unknown. */
    private static void assertAnswers(Snapshot snapshot, PlainList list) throws IOException {
        BlockStore store = Objects.requireNonNull(snapshot.store());
        list.requireFound(store);
        for (String stranger : STRANGERS) {
            list.ask(store, key(stranger), null);
        }
    }

    private static PlainList plain(String list) {
        return PlainList.of(
                list.lines()
                        .map(line -> line.replaceAll(" *#.*", ""))
                        .filter(line -> !line.isEmpty())
                        .toList());
    }

    private static Key key(String text) {
        return text.startsWith("@")
                ? Key.of(new byte[0], text.substring(1).getBytes(UTF_8))
                : SmallLists.address(text).key();
    }

    /** Returns a snapshot with another number in its header, whose checksum is right. */
    private Path forged(int at, long value, int width) throws IOException {
        Path file = build(LIST, SEED);
        byte[] bytes = Files.readAllBytes(file);
        ByteBuffer header = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (width == 8) {
            header.putLong(at, value);
        } else {
            header.putInt(at, (int) value);
        }
        header.putInt(508, BlockStore.crc(bytes, 508));
        return Files.write(file, bytes);
    }

    private Path build(String list, long seed) throws IOException {
        return build(list, seed, "list.swl");
    }

    private Path build(String list, long seed, String name) throws IOException {
        Path file = folder.resolve(name);
        Builds.of(OPTIONS, seed).build(list.getBytes(UTF_8), file);
        return file;
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void flip(RandomAccessFile disk, long at, int bit) throws IOException {
        disk.seek(at);
        int value = disk.read();
        disk.seek(at);
        disk.write(value ^ 1 << bit);
    }

    private static String sha256(byte[] bytes) {
        return HexFormat.of().formatHex(Sha256.start().digest(bytes));
    }

    /** The store is in memory up to the size that is allowed, and then not read any more. */
    @Test
    void shouldHoldASmallStoreInMemory() throws IOException {
        Path path = build(LIST, SEED);
        Key key = key("alice@example.com");
        SnapshotHeader header = Snapshot.readHeader(Disk.LOCAL, path);
        long bytes = header.storeBytes();
        try (Snapshot onDisk = Snapshot.open(Disk.LOCAL.open(path), path, bytes - 1);
                Snapshot inMemory = Snapshot.open(Disk.LOCAL.open(path), path, bytes)) {
            BlockStore kept = Objects.requireNonNull(inMemory.store());
            Entry expected = kept.find(key, null);
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
                file.seek(header.blocks().offset());
                file.write(new byte[(int) header.blocks().length()]);
            }

            assertThat(expected).isNotNull();
            assertThat(kept.find(key, null)).isEqualTo(expected);
            assertThatThrownBy(() -> Objects.requireNonNull(onDisk.store()).find(key, null))
                    .hasMessageContaining("wrong checksum");
            assertThatThrownBy(() -> Snapshot.open(Disk.LOCAL.open(path), path, bytes))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("block 0 of its exact store has a wrong checksum");
        }
    }

    /** 3.7 MB of lines in 4 MiB; a static filter keeps some of that for hashes. */
    @ParameterizedTest
    @EnumSource(FilterKind.class)
    void shouldSortInAllMemoryThatNoFilterNeeds(FilterKind kind) throws IOException {
        String list =
                IntStream.range(100_000, 208_000)
                        .mapToObj(i -> "user" + i + "@d.example\n")
                        .collect(Collectors.joining());
        FaultyDisk disk = new FaultyDisk(Disk.LOCAL);
        Builds.of(new BuildOptions(kind, FilterSize.ofBitsPerKey(8)), SEED)
                .on(disk)
                .build(list.getBytes(UTF_8), folder.resolve("list.swl"));
        assertThat(Collections.frequency(disk.calls(), FaultyDisk.Call.CREATE) > 1)
                .as("a file beside the snapshot")
                .isEqualTo(kind == FilterKind.RIBBON);
    }

    /** As {@code check} asks: neither the filters are read, nor more than a block for a key. */
    @Test
    void shouldReadOneBlockForOneKey() throws IOException {
        String list =
                IntStream.range(0, 100_000)
                        .mapToObj(i -> "user" + i + "@d" + i % 100 + ".example\n")
                        .collect(Collectors.joining());
        Path path = build(list, SEED);
        FaultyDisk disk = new FaultyDisk(Disk.LOCAL);
        try (Snapshot snapshot = Snapshot.openStore(disk.open(path), path)) {
            long opened = disk.bytesRead();
            assertThat(opened).isLessThan(Files.size(path) / 20);
            BlockStore store = Objects.requireNonNull(snapshot.store());
            assertThat(store.find(key("user777@d77.example"), null)).isNotNull();
            assertThat(disk.bytesRead() - opened).isEqualTo(2048);
        }
    }

    /**
     * Looks in the flight recorder for what was forced to the disk, since no test can cut power.
     */
    @Test
    void shouldForceTheUnfinishedFileThenTheFolder() throws Exception {
        Path events = folder.resolve("events.jfr");
        try (Recording recording = new Recording()) {
            recording.enable("jdk.FileForce").withThreshold(Duration.ZERO);
            recording.start();
            build(LIST, SEED);
            recording.stop();
            recording.dump(events);
        }

        List<Path> forced =
                RecordingFile.readAllEvents(events).stream()
                        .filter(event -> event.getEventType().getName().equals("jdk.FileForce"))
                        .sorted(Comparator.comparing(RecordedEvent::getStartTime))
                        .map(event -> Path.of(event.getString("path")))
                        .filter(path -> path.startsWith(folder))
                        .toList();
        assertThat(forced).hasSize(2);
        assertThat(forced.getFirst().getFileName().toString()).endsWith(".tmp");
        assertThat(forced.getLast()).isEqualTo(folder);
    }
}
