package io.github.senderwhitelist.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.within;

import io.github.senderwhitelist.bench.Comparison.Row;
import io.github.senderwhitelist.tools.Needs;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;

class ComparisonBenchTest {
    private static final int N = 10_000;

    /** A set that denies what it holds ends the run with an exception. */
    @Test
    @Tag("large")
    void runShouldMeasureThePredictedRatesSayWhatGrowsAndDrawCharts(@TempDir Path folder)
            throws IOException {
        Needs.requireFonts();
        List<Row> table = ComparisonBench.run(N, 12, 1, folder);

        assertThat(table).extracting(Row::name).isEqualTo(Comparison.names());
        for (Row row : table) {
            assertThat(row.measured())
                    .as("rate of %s", row.name())
                    .isCloseTo(row.predicted(), within(0.1 * row.predicted() + 3 * row.margin()));
        }
        for (String chart : List.of("rate", "time-stranger", "time-listed", "memory")) {
            assertThat(folder.resolve(chart + ".svg")).content().contains("<svg", "cuckoo");
        }
        assertGrowsAndForgets(table);
    }

    private static void assertGrowsAndForgets(List<Row> table) {
        Map<String, Row> rows =
                table.stream().collect(Collectors.toMap(Row::name, Function.identity()));

        assertThat(rows.values())
                .filteredOn(row -> !Double.isNaN(row.addNanos()))
                .extracting(Row::name)
                .containsExactlyInAnyOrder(
                        "classic", "blocked", "counting", "cuckoo", "scalable", "HashSet");
        assertThat(rows.values())
                .filteredOn(row -> !Double.isNaN(row.removeNanos()))
                .extracting(Row::name)
                .containsExactlyInAnyOrder("counting", "cuckoo", "HashSet");
        assertThat(row(rows, "cuckoo").grown()).startsWith("full with ");
        assertThat(grownRate(row(rows, "scalable")))
                .isLessThan(2 * row(rows, "scalable").predicted())
                .isLessThan(grownRate(row(rows, "classic")) / 5);
    }

    private static Row row(Map<String, Row> rows, String name) {
        return Objects.requireNonNull(rows.get(name), name);
    }

    private static double grownRate(Row row) {
        return Double.parseDouble(row.grown().replaceFirst(" %.*", "")) / 100;
    }

    @Test
    void cuckooFilterShouldLoseNothingWhenItIsFullAndForgetWhatIsRemoved() {
        long[] hashes = new SplittableRandom(1).longs(2 * N).toArray();
        CuckooFilter filter = CuckooFilter.of(N, 12);
        int[] added = {0};
        assertThatIllegalStateException()
                .isThrownBy(
                        () -> {
                            for (; added[0] < hashes.length; added[0]++) {
                                filter.add(hashes[added[0]]);
                            }
                        });
        assertThat(added[0]).isBetween(N, N + N / 5);
        assertThat(Arrays.stream(hashes, 0, added[0]).allMatch(filter::mayContain)).isTrue();
        for (int i = 0; i < added[0]; i++) {
            filter.remove(hashes[i]);
            assertThat(Arrays.stream(hashes, i + 1, Math.min(i + 20, added[0])))
                    .allMatch(filter::mayContain);
        }
        assertThat(Arrays.stream(hashes).noneMatch(filter::mayContain)).isTrue();
    }
}
