package io.github.senderwhitelist.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;

class ComparisonTest {
    private static final int N = 20_000;
    private static final FilterSize SIZE = FilterSize.ofBitsPerKey(10);

    @TempDir Path folder;

    private Comparison comparison(int n, FilterSize size, boolean texts) {
        return new Comparison(
                ListedAddresses.generated(n, 3, texts),
                new ComparisonSettings(size, 3, 3, new Scratch(Disk.LOCAL, folder), step -> {}));
    }

    private static List<String> names(boolean contrasts) {
        List<String> names =
                new ArrayList<>(Arrays.stream(FilterKind.values()).map(FilterKind::label).toList());
        if (contrasts) {
            names.addAll(List.of("HashSet", "sorted array"));
        }
        return names;
    }

    @Tag("large")
    @Test
    void shouldMeasureEveryKindAndTheContrasts() throws IOException {
        List<Row> table = comparison(N, SIZE, true).table();

        assertThat(table).extracting(Row::name).isEqualTo(names(true));
        Map<String, Row> rows =
                table.stream().collect(Collectors.toMap(Row::name, Function.identity()));
        for (FilterKind kind : FilterKind.values()) {
            requireRight(kind, Objects.requireNonNull(rows.get(kind.label())));
        }
        Row hashSet = Objects.requireNonNull(rows.get("HashSet"));
        Row array = Objects.requireNonNull(rows.get("sorted array"));
        // A string with its array takes 48 bytes or more, a reference 4, an entry of the set 32.
        assertThat(array.bytes() / N).isBetween(45L, 100L);
        assertThat(hashSet.bytes() / N).isBetween(array.bytes() / N + 20, 200L);
        for (Row row : table) {
            assertThat(List.of(row.listedNanos(), row.strangerNanos(), row.buildNanos()))
                    .as(row.name())
                    .allMatch(nanos -> nanos > 0);
        }
        for (Row contrast : List.of(hashSet, array)) {
            assertThat(Objects.requireNonNull(contrast.more()).addNanos()).isPositive();
            assertThat(Objects.requireNonNull(contrast.more()).removeNanos()).isPositive();
            assertThat(Objects.requireNonNull(contrast.more()).rate()).isNull();
        }
    }

    private static void requireRight(FilterKind kind, Row row) {
        FilterShape shape = SIZE.shape(kind, N);
        assertThat(row.bytes()).as(row.name()).isEqualTo(shape.bytes());
        assertThat(row.bitsPerAddress()).isEqualTo((double) shape.m() / N);
        assertThat(row.k()).isEqualTo(shape.k());
        assertThat(row.predictedRate()).isEqualTo(shape.rate(N));
        Row.More more = Objects.requireNonNull(row.more());
        Rate rate = Objects.requireNonNull(more.rate());
        assertThat(rate.strangers()).isGreaterThanOrEqualTo(1_000_000);
        assertThat(rate.value())
                .as(row.name())
                .isCloseTo(row.predictedRate(), within(0.1 * row.predictedRate()));
        assertThat(Double.isNaN(more.addNanos())).isEqualTo(kind.isStatic());
        assertThat(Double.isNaN(more.removeNanos())).isEqualTo(!kind.removes());
        assertThat(more.growth() != null).isEqualTo(kind.grows());
        Row.Growth growth = more.growth();
        if (growth != null) {
            assertThat(growth.bytes()).isGreaterThan(2 * row.bytes());
            // A filter that grows stays below twice its rate.
            assertThat(growth.rate().value()).isBetween(rate.value(), 2 * rate.value());
        }
    }

    @Test
    void shouldMeasurePowersOfTenBelowAll() throws IOException {
        List<Row> rows = comparison(N, SIZE, false).overAddresses();

        assertThat(rows).extracting(Row::addresses).containsOnly(1000, 10_000);
        for (int n : new int[] {1000, 10_000}) {
            assertThat(rows.stream().filter(row -> row.addresses() == n).map(Row::name))
                    .isEqualTo(names(false));
        }
    }

    @Tag("large")
    @Test
    void shouldMeasureRatesOverBits() throws IOException {
        Comparison comparison = comparison(N, SIZE, false);

        List<RatePoint> measured = comparison.rates();

        for (String name : names(false)) {
            List<RatePoint> points =
                    measured.stream().filter(point -> point.kind().equals(name)).toList();
            assertThat(points).as(name).hasSizeGreaterThan(7);
            assertThat(points.getLast().bitsPerAddress()).isBetween(14.0, 16.1);
            for (RatePoint point : points) {
                Rate rate = Objects.requireNonNull(point.rate());
                assertThat(rate.value())
                        .as("%s", point)
                        .isCloseTo(
                                point.predictedRate(),
                                within(0.05 * point.predictedRate() + 2 * rate.margin()));
            }
            assertThat(comparison.predictedRates().stream().filter(p -> p.kind().equals(name)))
                    .hasSizeGreaterThanOrEqualTo(points.size())
                    .allMatch(point -> point.rate() == null);
        }
    }

    @Test
    void shouldLeaveOutKindsThatCannotHaveTheRate() {
        assertThat(Comparison.shapes(FilterSize.ofRate(1e-8), 1000))
                .containsKeys(FilterKind.CLASSIC, FilterKind.RIBBON)
                .doesNotContainKeys(FilterKind.SCALABLE, FilterKind.CUCKOO);
    }

    @Test
    void shouldNotMeasureASetThatDeniesWhatItHolds() {
        ListedAddresses addresses = ListedAddresses.generated(1000, 3, true);
        String[] texts = Objects.requireNonNull(addresses.texts());
        Candidate half = new SortedArrayCandidate(SortedArrayCandidate.build(texts, 500), 0);

        assertThatThrownBy(() -> new Timing(addresses, 3, 3).ask(List.of(half), 1000))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("sorted array denies");
    }

    @Test
    void shouldSayHowSureARateIs() {
        assertThat(new Rate(10_000, 1_000_000).margin()).isCloseTo(195e-6, within(1e-6));
        assertThat(new Rate(0, 1_000_000).margin()).isPositive();
    }

    @Test
    void shouldAddToAndRemoveFromTheSortedArray() {
        SortedArrayCandidate array =
                new SortedArrayCandidate(
                        SortedArrayCandidate.build(new String[] {"d", "b", "f"}, 3), 0);
        AddressBatch more = new AddressBatch(new Key[0], new String[] {"a", "e", "g", "b"});
        AddressBatch old = new AddressBatch(new Key[0], new String[] {"b", "d", "f", "c"});

        array.add(more, 4);
        assertThat(array.count(more)).isEqualTo(4);
        assertThat(array.count(old)).isEqualTo(3);
        array.remove(more, 3);
        assertThat(array.count(more)).isEqualTo(1);
        assertThat(array.count(old)).isEqualTo(3);
    }
}
