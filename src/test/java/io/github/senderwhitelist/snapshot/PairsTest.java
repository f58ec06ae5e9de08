package io.github.senderwhitelist.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.store.BlockStore;
import io.github.senderwhitelist.tools.Builds;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;

/** Entries for some recipients: few senders with many, many with few, with and without others. */
class PairsTest {
    private static final int LINES = 10_000;

    @TempDir Path folder = Path.of("made by JUnit");

    /** Words of different lengths that begin alike, some of them not packed in the store. */
    private static String word(SplittableRandom random, int most) {
        int number = random.nextInt(most);
        return switch (number % 5) {
            case 0 -> "u" + number;
            case 1 -> "user.with.a.longer.name." + number;
            case 2 -> "\u00fc" + number;
            case 3 -> Integer.toString(number, 36);
            default -> "x".repeat(number % 60 + 1);
        };
    }

    private static String pattern(SplittableRandom random, int most) {
        String domain = "d" + random.nextInt(30) + (random.nextInt(3) == 0 ? ".net" : ".example");
        return switch (random.nextInt(6)) {
            case 0 -> "@" + domain;
            case 1 -> "@." + domain;
            default -> word(random, most) + "@" + domain;
        };
    }

    private static List<String> lines(SplittableRandom random) {
        List<String> lines = new ArrayList<>();
        int senders = 1 + random.nextInt(4000);
        for (int i = 0; i < LINES; i++) {
            String sender =
                    random.nextInt(4) == 0 ? "noreply@github.com" : pattern(random, senders);
            StringBuilder line = new StringBuilder(random.nextInt(10) == 0 ? "!" : "");
            line.append(sender);
            if (random.nextInt(5) > 0) {
                line.append(" to=").append(pattern(random, 5000));
            }
            if (random.nextInt(10) == 0) {
                line.append(" until=20").append(30 + random.nextInt(60)).append("-01-01");
            }
            lines.add(line.toString());
        }
        return lines;
    }

    private BuildReport build(List<String> lines, Path file, FilterKind kind, long memory)
            throws IOException {
        byte[] text = String.join("\n", lines).getBytes(UTF_8);
        return Builds.of(new BuildOptions(kind, FilterSize.ofBitsPerKey(10)), 42)
                .in(memory)
                .build(text, file);
    }

    @ParameterizedTest
    @EnumSource(FilterKind.class)
    void shouldHoldWhatTheLinesSay(FilterKind kind) throws IOException {
        SplittableRandom random = new SplittableRandom(kind.label().hashCode());
        List<String> lines = lines(random);
        PlainList plain = PlainList.of(lines);
        Path file = folder.resolve("pairs.swl");
        build(lines, file, kind, SnapshotBuilder.MIN_MEMORY);
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
            BlockStore store = Objects.requireNonNull(snapshot.store());
            plain.requireSame(store);
            List<Entry> order = plain.entries();
            for (Entry entry : order) {
                assertThat(snapshot.mightContain(entry.key())).isTrue();
            }
            assertThat(snapshot.header().pairs()).isEqualTo(plain.pairs());
            assertThat(snapshot.header().senders()).isEqualTo(plain.senders());
            askForOthers(store, order, random);
        }
    }

    /** Questions that meet the right sender or the right recipients, but not both. */
    private static void askForOthers(BlockStore store, List<Entry> order, SplittableRandom random)
            throws IOException {
        Set<List<Object>> known = new HashSet<>();
        for (Entry entry : order) {
            known.add(List.of(entry.key(), String.valueOf(entry.to())));
        }
        int others = 0;
        for (int i = 0; i < 50_000; i++) {
            Key sender = order.get(random.nextInt(order.size())).key();
            Key to = order.get(random.nextInt(order.size())).to();
            if (!known.contains(List.of(sender, String.valueOf(to)))) {
                others++;
                assertThat(store.find(sender, to)).as("%s to=%s", sender, to).isNull();
            }
        }
        assertThat(others).isGreaterThan(1000);
    }

    @Tag("large")
    @Test
    void shouldBeTheSameWhateverTheOrderOfLinesAndMemory() throws IOException {
        List<String> lines = lines(new SplittableRandom(7));
        String remark = " note=" + "remark ".repeat(20);
        // Some entries have no room for all their lines, and together they go to the disk.
        for (int i = 0; i < 5_000; i++) {
            for (int j = 0; j < (i % 100 == 0 ? 8 : 6); j++) {
                lines.add("crowded@x.example to=u" + i + "@y.example" + remark + j);
            }
        }
        byte[] first = stored(lines, 64L << 20);
        Collections.shuffle(lines, new Random(3));
        byte[] second = stored(lines, SnapshotBuilder.MIN_MEMORY);
        assertThat(second).isEqualTo(first);
    }

    /** Returns all lines of a snapshot, whose bytes depend on the digest of the text. */
    private byte[] stored(List<String> lines, long memory) throws IOException {
        Path file = folder.resolve("stored.swl");
        build(lines, file, FilterKind.BLOCKED, memory);
        StringBuilder text = new StringBuilder();
        try (Snapshot snapshot = Snapshot.openStore(Disk.LOCAL.open(file), file)) {
            Builds.entries(snapshot.store())
                    .forEach(entry -> text.append(entry.lines()).append(entry.kinds().size()));
        }
        Files.delete(file);
        return text.toString().getBytes(UTF_8);
    }

    @Test
    void shouldNameALineThatThereIsNoRoomFor() throws IOException {
        List<String> lines = new ArrayList<>(List.of("a@b.example"));
        for (int i = 0; i < 6; i++) {
            lines.add("noreply@github.com to=u@d.example note=" + i + "x".repeat(250));
        }
        lines.add("noreply@github.com to=v@d.example");
        Path file = folder.resolve("crowded.swl");
        BuildReport report = build(lines, file, FilterKind.BLOCKED, SnapshotBuilder.MIN_MEMORY);
        assertThat(report.badLines()).isEqualTo(3);
        assertThat(report.duplicates()).isZero();
        assertThat(report.complaints())
                .singleElement()
                .asString()
                .matches(
                        "list: 'noreply@github.com to=u@d.example note=3x.*'"
                                + ": too many lines .*is left out.*");
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
            assertThat(snapshot.header().pairs()).isEqualTo(2);
        }
    }

    /** Whatever the order in which lines meet, each that does not fit counts, and only once. */
    @ParameterizedTest
    @CsvSource({"396, 4, true", "395, 4, false", "1, 3, true", "1, 4, false"})
    void shouldRefuseTooManyLinesThatThereIsNoRoomFor(int others, int bad, boolean accepted)
            throws IOException {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < bad + 3; i++) {
            lines.add("noreply@github.com to=u@d.example note=" + i + "x".repeat(250));
        }
        for (int i = 3; i < others; i++) {
            lines.add("user" + i + "@example.com");
        }
        for (int seed = 0; seed < 5; seed++) {
            Collections.shuffle(lines, new Random(seed));
            Path file = folder.resolve(seed + ".swl");
            if (accepted) {
                BuildReport report =
                        build(lines, file, FilterKind.BLOCKED, SnapshotBuilder.MIN_MEMORY);
                assertThat(report.badLines()).isEqualTo(bad);
                assertThat(report.duplicates()).isZero();
            } else {
                assertThatThrownBy(
                                () ->
                                        build(
                                                lines,
                                                file,
                                                FilterKind.BLOCKED,
                                                SnapshotBuilder.MIN_MEMORY))
                        .isInstanceOf(ListRefusedException.class)
                        .hasMessageContaining(bad + " of " + lines.size() + " entries are bad")
                        .hasMessageContaining("too many lines with conditions");
                assertThat(file).doesNotExist();
            }
        }
    }

    /** The denial without conditions takes four bytes more than there may be room for. */
    @ParameterizedTest
    @ValueSource(ints = {150, 155, 158, 159, 160, 161, 162, 163, 164, 165, 170})
    void shouldDenyWhenThereIsNoRoomForAllDenials(int length) throws IOException {
        List<String> lines = new ArrayList<>(List.of("@b.example", "q@b.example to=w@example.com"));
        for (int i = 0; i < 5; i++) {
            lines.add("!a@b.example note=" + i + "x".repeat(i == 0 ? length - 1 : 254));
        }
        Path file = folder.resolve("denied.swl");
        build(lines, file, FilterKind.BLOCKED, SnapshotBuilder.MIN_MEMORY);
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
            Entry entry =
                    Objects.requireNonNull(snapshot.store())
                            .find(Key.ofAddress("a@b.example".getBytes(UTF_8), 1));
            assertThat(Objects.requireNonNull(entry).rules())
                    .isNotEmpty()
                    .allMatch(rule -> rule.denied() && rule.unconditional());
        }
    }

    /** Denials of the administrator and of a user are compared with different addresses. */
    @Test
    void shouldDenyOnBothSidesWhenThereIsNoRoomForAllDenials() throws IOException {
        List<String> lines = new ArrayList<>(List.of("@b.example"));
        for (int i = 0; i < 7; i++) {
            lines.add(
                    "!a@b.example to=w@example.com origin=user until=2999-01-01 note="
                            + i
                            + "x".repeat(200));
        }
        Path file = folder.resolve("denied.swl");
        build(lines, file, FilterKind.BLOCKED, SnapshotBuilder.MIN_MEMORY);
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, file)) {
            Entry entry =
                    Objects.requireNonNull(snapshot.store())
                            .find(
                                    Key.ofAddress("a@b.example".getBytes(UTF_8), 1),
                                    Key.ofAddress("w@example.com".getBytes(UTF_8), 1));
            assertThat(Objects.requireNonNull(entry).rules())
                    .containsExactlyInAnyOrder(Rule.DENIES, Rule.USER_DENIES);
        }
    }
}
