package io.github.senderwhitelist.refresh;

import static io.github.senderwhitelist.tools.SmallLists.address;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.senderwhitelist.address.Subaddressing;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.PlainWhitelist;
import io.github.senderwhitelist.decision.Verdict;
import io.github.senderwhitelist.decision.Verdict.Listed;
import io.github.senderwhitelist.decision.Verdict.NotListed;
import io.github.senderwhitelist.decision.Verdict.Unavailable;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.Admission;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.BuildProgress;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.SnapshotException;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.tools.AddressGenerator;
import io.github.senderwhitelist.tools.AllocatedBytes;
import io.github.senderwhitelist.tools.Extent;
import io.github.senderwhitelist.tools.SmallLists;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** Flips bits of active snapshots. Every verdict must be the right one or {@code unavailable}. */
class DamagedSnapshotTest {

    /** The offset of the first block in a snapshot. */
    private static final long BLOCKS = 4096;

    private static final int BLOCK = 2048;

    @TempDir Path folder;

    private static PlainWhitelist whitelist(Generation generation) {
        return new PlainWhitelist(List.of(() -> generation), Subaddressing.NONE);
    }

    private static void flip(RandomAccessFile disk, long at, int bit) throws IOException {
        disk.seek(at);
        int before = disk.read();
        disk.seek(at);
        disk.write(before ^ 1 << bit);
    }

    @Test
    void shouldNeverAnswerWronglyWhateverBitOfTheStoreIsFlipped() throws IOException {
        String[] lines = {"alice@example.com", "!bob@example.com", "@example.com"};
        SmallLists.snapshot(folder, SmallLists.LOOSE, lines).close();
        Path file = folder.resolve("list-" + String.join("", lines).hashCode() + ".swl");
        Generation generation =
                Generation.exact(Snapshot.open(Disk.LOCAL, file), 0, Duration.ofHours(1));
        PlainWhitelist whitelist = whitelist(generation);
        try (RandomAccessFile disk = new RandomAccessFile(file.toFile(), "rw")) {
            for (long at = BLOCKS; at < BLOCKS + BLOCK; at++) {
                for (int bit = 0; bit < 8; bit++) {
                    flip(disk, at, bit);
                    for (String sender : List.of("alice", "bob", "carol")) {
                        Verdict verdict = whitelist.check(address(sender + "@example.com"));
                        if (!(verdict instanceof Unavailable)) {
                            throw new AssertionError(sender + " " + verdict + " " + at);
                        }
                    }
                    flip(disk, at, bit);
                }
            }
        }
        assertThat(whitelist.check(address("alice@example.com"))).isInstanceOf(Listed.class);
        assertThat(whitelist.check(address("bob@example.com"))).isInstanceOf(NotListed.class);
        assertThat(whitelist.check(address("carol@example.com"))).isInstanceOf(Listed.class);
        generation.retire();
    }

    @Test
    void shouldNeverAnswerWronglyWhateverBitsOfALargeOneAreFlipped() throws IOException {
        int count = Extent.of(200_000, 1_000_000);
        AddressGenerator generator = new AddressGenerator(10_000);
        Path text = folder.resolve("many.txt");
        try (BufferedWriter out = Files.newBufferedWriter(text)) {
            for (int i = 0; i < count; i++) {
                out.write(generator.address(i));
                out.write('\n');
            }
        }
        Path file = folder.resolve("many.swl");
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(4));
        BuildResources resources = new BuildResources(64L << 20, new Scratch(Disk.LOCAL, folder));
        long blocks =
                new SnapshotBuilder(options, resources, 3, 0, BuildProgress.NONE)
                                .build(
                                        List.of(TextSource.of(Disk.LOCAL, text)),
                                        file,
                                        Admission.ALL)
                                .header()
                                .storeBytes()
                        / BLOCK
                        * 9
                        / 10;
        SplittableRandom random = new SplittableRandom(4);
        try (RandomAccessFile disk = new RandomAccessFile(file.toFile(), "rw")) {
            shouldRefuseFlipsInWhatIsKeptInMemory(file, disk, random);
            Generation generation =
                    Generation.exact(Snapshot.open(Disk.LOCAL, file), 1000, Duration.ofHours(1));
            for (int i = 0; i < count / 4000; i++) {
                flip(disk, BLOCKS + random.nextLong(blocks * BLOCK), random.nextInt(8));
            }
            PlainWhitelist whitelist = whitelist(generation);
            int unavailable = 0;
            for (int i = 0; i < 2 * count; i++) {
                Verdict verdict = whitelist.check(address(generator.address(i)));
                boolean listed = i < count;
                if (listed ? verdict instanceof NotListed : verdict instanceof Listed) {
                    throw new AssertionError(generator.address(i) + " " + verdict);
                }
                unavailable += listed && verdict instanceof Unavailable ? 1 : 0;
            }
            // A block has about 190 entries.
            assertThat(unavailable).isBetween(count / 40, count / 40 * 3);
            generation.retire();
        }
    }

    /** Header, dictionary, index and filters: behind the blocks, and before. */
    private static void shouldRefuseFlipsInWhatIsKeptInMemory(
            Path file, RandomAccessFile disk, SplittableRandom random) throws IOException {
        long length = disk.length();
        int refused = 0;
        for (int i = 0; i < 300; i++) {
            long at = i % 3 == 0 ? random.nextInt(512) : random.nextLong(BLOCKS, length);
            int bit = random.nextInt(8);
            flip(disk, at, bit);
            long before = AllocatedBytes.now();
            try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
                // In a block, or between two parts.
                assertThat(at).isGreaterThanOrEqualTo(BLOCKS);
                assertThat(snapshot.header().fileLength()).isEqualTo(length);
            } catch (SnapshotException e) {
                assertThat(e).hasMessageStartingWith(file + ": ");
                refused++;
            }
            assertThat(AllocatedBytes.now() - before)
                    .as("bytes allocated")
                    .isLessThan(length + (1 << 20));
            flip(disk, at, bit);
        }
        assertThat(refused).isGreaterThan(100);
    }
}
