package io.github.senderwhitelist.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.store.ReferenceReader;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/**
 * Asks a snapshot of a list for every line and for what is beside it, and a map of its lines; what
 * a reader that was written from the documentation finds in it is the same.
 */
class ListAgainstSnapshotTest {
    private static final int LISTS = Integer.getInteger("tests.lists", Extent.of(20, 1_000));

    private static final int[] SIZES = {1, 2, 3, 8, 9, 15, 16, 17, 31, 33, 255, 256, 257};

    private static final int MOST = 2_000;

    /** How many questions of a list are about entries that are not in it. */
    private static final int BESIDE = 50;

    @TempDir Path folder = Path.of("made by JUnit");

    @ParameterizedTest
    @EnumSource(RandomLines.class)
    void shouldAnswerAsTheLinesSay(RandomLines kind) throws IOException {
        for (int seed = 0; seed < SIZES.length + LISTS / 10; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            int count = seed < SIZES.length ? SIZES[seed] : 1 + random.nextInt(MOST);
            try {
                requireSame(kind.lines(random, count), random);
            } catch (IOException | RuntimeException | AssertionError e) {
                throw new AssertionError(kind + ", seed " + seed + ", " + count + " lines", e);
            }
        }
    }

    /** Entries of the longest keys with the most rules, of bytes and of letters of several. */
    @Test
    void shouldAnswerForTheLargestEntries() throws IOException {
        List<String> lines = new ArrayList<>(List.of("a@d.example"));
        for (String letter : List.of("\u4e00", "a")) {
            for (int i = 10; i < 20; i++) {
                String sender = longest(letter, "s" + i);
                String to = longest(letter, "r" + i);
                // Together 950 bytes: four notes, and two bytes between each two rules.
                for (int note = 0; note < 4; note++) {
                    String own = note + "." + i;
                    String remark = " note=" + filled(letter, note < 3 ? 255 : 171, own);
                    lines.add(sender + remark);
                    lines.add(sender + " to=" + to + remark);
                }
            }
        }

        requireSame(lines, new SplittableRandom(3));
    }

    private static String longest(String letter, String own) {
        SplittableRandom random = new SplittableRandom((letter + own).hashCode());
        StringBuilder domain = new StringBuilder("@");
        for (int i = 0; i < 253; i++) {
            domain.append(i % 64 == 63 ? '.' : Character.forDigit(random.nextInt(36), 36));
        }
        return filled(letter, 255, own) + domain;
    }

    /** Returns a text of so many bytes that ends in its own way. */
    private static String filled(String letter, int bytes, String own) {
        int each = letter.getBytes(UTF_8).length;
        String end = own + "z".repeat((bytes - own.length()) % each);
        return letter.repeat((bytes - end.length()) / each) + end;
    }

    @Tag("large")
    @Test
    void shouldAnswerForEveryKindOfLineAtOnce() throws IOException {
        SplittableRandom random = new SplittableRandom(2);
        List<String> lines = new ArrayList<>();
        for (RandomLines kind : RandomLines.values()) {
            lines.addAll(kind.lines(random, 3_000));
        }

        requireSame(lines, random);
    }

    private void requireSame(List<String> lines, SplittableRandom random) throws IOException {
        PlainList plain = PlainList.of(lines);
        Path file = folder.resolve("list.swl");
        FilterKind[] kinds = FilterKind.values();
        FilterKind kind = kinds[random.nextInt(kinds.length)];
        BuildOptions options = new BuildOptions(kind, FilterSize.ofBitsPerKey(8));
        SnapshotHeader header =
                Builds.of(options, random.nextLong())
                        .build(String.join("\n", lines).getBytes(UTF_8), file)
                        .header();
        assertThat(header.entries()).isEqualTo(plain.count());
        assertThat(header.pairs()).isEqualTo(plain.pairs());
        assertThat(header.addresses() + header.domains()).isEqualTo(plain.senders());
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
            BlockStore store = Objects.requireNonNull(snapshot.store());
            plain.requireSame(Builds.entries(store));
            plain.requireFound(store);
            plain.requireSame(readByReference(Files.readAllBytes(file), header));
            List<Entry> entries = plain.entries();
            for (int i = 0; i < Math.min(entries.size(), BESIDE); i++) {
                int any = entries.size() <= BESIDE ? i : random.nextInt(entries.size());
                plain.askBeside(store, entries.get(any), random);
            }
            for (Entry entry : entries) {
                assertThat(snapshot.mightContain(entry.key())).isTrue();
            }
        }
    }

    private static List<Entry> readByReference(byte[] file, SnapshotHeader header)
            throws IOException {
        return ReferenceReader.read(
                part(file, header.blocks()),
                part(file, header.ranks()),
                part(file, header.index()));
    }

    private static byte[] part(byte[] file, Section section) {
        int offset = (int) section.offset();
        return Arrays.copyOfRange(file, offset, offset + (int) section.length());
    }

    /** So the reference would notice a store that does not keep to its documentation. */
    @Test
    void referenceShouldRefuseEachChangedBitOfABlock() throws IOException {
        Path file = folder.resolve("list.swl");
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(8));
        SnapshotHeader header =
                Builds.of(options, 1)
                        .build("a@b.example\nc@d.example to=e@f.example\n".getBytes(UTF_8), file)
                        .header();
        byte[] bytes = Files.readAllBytes(file);
        assertThat(readByReference(bytes, header)).hasSize(3);
        long from = 8 * header.blocks().offset();
        for (long bit = from; bit < from + 8 * header.blocks().length(); bit++) {
            byte[] changed = bytes.clone();
            changed[(int) (bit / 8)] ^= (byte) (1 << bit % 8);
            assertThatIOException().isThrownBy(() -> readByReference(changed, header));
        }
    }
}
