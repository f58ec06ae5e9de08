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
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.SplittableRandom;

/** Entries that have no room for all of their lines. */
class CrowdedTest {
    @TempDir Path folder = Path.of("made by JUnit");

    private static BuildReport build(List<String> lines, Path file, long memory)
            throws IOException {
        byte[] text = String.join("\n", lines).getBytes(UTF_8);
        return Builds.of(new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(10)), 42)
                .in(memory)
                .build(text, file);
    }

    private BuildReport build(List<String> lines) throws IOException {
        return build(lines, folder.resolve("crowded.swl"), SnapshotBuilder.MIN_MEMORY);
    }

    /** Builds lines, and returns the rules of a sender and some recipients. */
    private List<Rule> rules(List<String> lines, String sender, @Nullable String to)
            throws IOException {
        build(lines);
        try (Snapshot snapshot = Snapshot.open(Disk.LOCAL, folder.resolve("crowded.swl"))) {
            Key recipient = to == null ? null : SmallLists.address(to).key();
            Entry entry =
                    Objects.requireNonNull(snapshot.store())
                            .find(SmallLists.address(sender).key(), recipient);
            return Objects.requireNonNull(entry).rules();
        }
    }

    @Tag("large")
    @Test
    void shouldBeTheSameWhateverTheOrderOfLinesAndMemory() throws IOException {
        List<String> lines = RandomLines.MIXED.lines(new SplittableRandom(7), 10_000);
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

    /** Returns what is after the header, in which the digest of the text is. */
    private byte[] stored(List<String> lines, long memory) throws IOException {
        Path file = folder.resolve("stored.swl");
        build(lines, file, memory);
        byte[] bytes = Files.readAllBytes(file);
        return Arrays.copyOfRange(bytes, SnapshotHeader.SIZE, bytes.length);
    }

    @Test
    void shouldNameALineThatThereIsNoRoomFor() throws IOException {
        List<String> lines = new ArrayList<>(List.of("a@b.example"));
        for (int i = 0; i < 6; i++) {
            lines.add("noreply@github.com to=u@d.example note=" + i + "x".repeat(250));
        }
        lines.add("noreply@github.com to=v@d.example");
        BuildReport report = build(lines);
        assertThat(report.badLines()).isEqualTo(3);
        assertThat(report.duplicates()).isZero();
        assertThat(report.complaints())
                .singleElement()
                .asString()
                .matches(
                        "list: 'noreply@github.com to=u@d.example note=3x.*'"
                                + ": too many lines .*is left out.*");
        assertThat(report.header().pairs()).isEqualTo(2);
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
            if (accepted) {
                BuildReport report = build(lines);
                assertThat(report.badLines()).isEqualTo(bad);
                assertThat(report.duplicates()).isZero();
            } else {
                assertThatThrownBy(() -> build(lines))
                        .isInstanceOf(ListRefusedException.class)
                        .hasMessageContaining(bad + " of " + lines.size() + " entries are bad")
                        .hasMessageContaining("too many lines with conditions");
                assertThat(folder).isEmptyDirectory();
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
        assertThat(rules(lines, "a@b.example", null))
                .isNotEmpty()
                .allMatch(rule -> rule.denied() && rule.unconditional());
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
        assertThat(rules(lines, "a@b.example", "w@example.com"))
                .containsExactlyInAnyOrder(Rule.DENIES, Rule.USER_DENIES);
    }
}
