package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;

/** The contract of every kind of filter. */
@ParameterizedClass
@EnumSource(FilterKind.class)
class FilterTest {
    /** The CRC-32C of the serial form of a thousand keys at a rate of 0.01. */
    private static final Map<FilterKind, Integer> CHECKSUMS =
            Map.of(
                    FilterKind.CLASSIC, 2053287101,
                    FilterKind.BLOCKED, -1822779071,
                    FilterKind.RIBBON, -830059109);

    @Parameter FilterKind kind = FilterKind.CLASSIC;
    @TempDir Path folder = Path.of("made by JUnit");

    private Filter filled(FilterShape shape, long... hashes) throws IOException {
        return filled(folder, shape, 1 << 24, hashes);
    }

    static Filter filled(Path folder, FilterShape shape, long memory, long... hashes)
            throws IOException {
        try (FilterFiller filler =
                new FilterFiller(shape, memory, new Scratch(Disk.LOCAL, folder))) {
            for (long hash : hashes) {
                filler.add(hash);
            }
            return filler.finish(done -> {});
        }
    }

    static long[] hashes(long seed, int count) {
        return new SplittableRandom(seed).longs(count).toArray();
    }

    static long[] words(Filter filter) {
        long[] words = new long[(int) (filter.shape().m() / Long.SIZE)];
        filter.write(0, LongBuffer.wrap(words));
        return words;
    }

    static void requireAll(Filter filter, long... hashes) {
        for (int i = 0; i < hashes.length; i++) {
            if (!filter.mightContain(hashes[i])) {
                throw new AssertionError(
                        filter.shape() + " denies hash " + i + ", " + hashes[i] + ", which it has");
            }
        }
    }

    static int positives(Filter filter, int strangers, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int positives = 0;
        for (int i = 0; i < strangers; i++) {
            positives += filter.mightContain(random.nextLong()) ? 1 : 0;
        }
        return positives;
    }

    @ParameterizedTest
    @CsvSource({"8, 1000000", "1, 300000", "12.5, 300000", "30, 300000"})
    void mightContainShouldNeverDenyAMember(double bits, int n) throws IOException {
        long[] hashes = hashes(1, n);
        requireAll(filled(FilterSize.ofBitsPerKey(bits).shape(kind, n), hashes), hashes);
    }

    @Test
    void extremeHashesShouldBeMembers() throws IOException {
        long[] extremes = {0, 1, -1, 2, -2, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, 0xffffffffL};
        for (double p : new double[] {0.3, 0.01, 1e-6}) {
            requireAll(filled(FilterSize.ofRate(p).shape(kind, 9), extremes), extremes);
        }
    }

    @Test
    void emptyFilterShouldContainNothing() throws IOException {
        Filter filter = filled(FilterSize.ofRate(0.01).shape(kind, 0));
        assertThat(positives(filter, 10_000, 3)).isZero();
        assertThat(words(filter)).containsOnly(0);
        assertThat(filter.shape().rate(0)).isZero();
        assertThat(positives(filled(FilterSize.ofRate(0.01).shape(kind, 5000)), 10_000, 3))
                .isZero();
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.01, 0.001, 1e-4})
    void rateShouldBeTheOneAskedFor(double p) throws IOException {
        int n = 200_000;
        int strangers = 2_000_000;
        FilterShape shape = FilterSize.ofRate(p).shape(kind, n);
        double expected = shape.rate(n) * strangers;
        assertThat(shape.rate(n)).isLessThanOrEqualTo(p * 1.001);
        double measured = positives(filled(shape, hashes(5, n)), strangers, 6);
        // Allows five standard deviations of the measurement, and one percent of the rate.
        assertThat(measured)
                .as("false positives of %s", shape)
                .isCloseTo(expected, within(5 * Math.sqrt(expected) + 0.01 * expected));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 10, 60, 200})
    void rateShouldBeKeptWhenThereIsLittle(int n) throws IOException {
        FilterShape shape = FilterSize.ofRate(0.01).shape(kind, n);
        int positives = 0;
        for (int seed = 0; seed < 100; seed++) {
            positives += positives(filled(shape, hashes(seed, n)), 10_000, 1000 + seed);
        }
        assertThat(positives).isLessThan(10_500);
    }

    @Test
    void falsePositivesShouldStay() throws IOException {
        FilterShape eight = FilterSize.ofBitsPerKey(8).shape(kind, 1000);
        assertThat(positives(filled(eight, hashes(7, 1000)), 100_000, 8))
                .isEqualTo(
                        kind == FilterKind.CLASSIC
                                ? 1953
                                : kind == FilterKind.BLOCKED ? 2044 : 771);
    }

    @Test
    void serialFormShouldStay() throws IOException {
        FilterShape shape = FilterSize.ofRate(0.01).shape(kind, 1000);
        long[] words = words(filled(shape, hashes(9, 1000)));
        ByteBuffer bytes =
                ByteBuffer.allocate(words.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asLongBuffer().put(words);
        CRC32C checksum = new CRC32C();
        checksum.update(bytes);
        assertThat((int) checksum.getValue()).isEqualTo(CHECKSUMS.get(kind));
    }

    @Test
    void filterShouldAnswerFromItsWords() throws IOException {
        FilterShape shape = FilterSize.ofRate(0.01).shape(kind, 5000);
        Filter filter = filled(shape, hashes(9, 5000));
        Filter copy = filter.shape().create();
        int words = (int) (filter.shape().m() / Long.SIZE);
        for (int first = 0; first < words; first += 97) {
            LongBuffer some = LongBuffer.allocate(Math.min(97, words - first));
            filter.write(first, some);
            copy.read(first, some.flip());
        }
        assertThat(words(copy)).isEqualTo(words(filter));
        SplittableRandom random = new SplittableRandom(10);
        for (int i = 0; i < 100_000; i++) {
            long hash = random.nextLong();
            assertThat(copy.mightContain(hash)).isEqualTo(filter.mightContain(hash));
        }
    }

    /** Adds a few hashes very often each, in turn and one after the other. */
    @Test
    void manyDuplicatesShouldBeBorne() throws IOException {
        long[] few = hashes(11, 40);
        long[] turns = new long[40 * 20_000];
        Arrays.setAll(turns, i -> few[i / 2000 % few.length]);
        long[] others = hashes(12, 960);
        FilterShape shape = FilterSize.ofRate(0.01).shape(kind, 2000);
        long[] all = LongStream.concat(Arrays.stream(turns), Arrays.stream(others)).toArray();
        Filter filter = filled(folder, shape, 1 << 20, all);
        requireAll(filter, all);
        assertThat(positives(filter, 1_000_000, 13)).isLessThan(10_500);
    }

    /** The bits depend on nothing but the hashes, which may come in any order, and again. */
    @Test
    void bytesShouldBeTheSameAgain() throws IOException {
        int n = 250_000;
        long[] hashes = hashes(14, n);
        FilterShape shape = FilterSize.ofRate(0.01).shape(kind, n);
        Filter much = filled(folder, shape, 1 << 26, hashes);
        Filter little = filled(folder, shape, 1 << 20, hashes);
        assertThat(words(little)).isEqualTo(words(much));
        if (kind == FilterKind.RIBBON) {
            long[] twice = Arrays.copyOf(hashes, 2 * n);
            System.arraycopy(hashes, 0, twice, n, n);
            Arrays.sort(hashes);
            assertThat(words(filled(folder, shape, 1 << 20, hashes))).isEqualTo(words(much));
            assertThat(words(filled(folder, shape, 1 << 20, twice))).isEqualTo(words(much));
        }
        assertThat(folder).isEmptyDirectory();
    }

    /** Tries every k, and filters so small or so full that they may be special cases. */
    @Test
    void mightContainShouldNeverDenyWhatWasAddedWhateverTheShape() {
        assumeFalse(kind == FilterKind.RIBBON);
        for (int k = 1; k <= FilterShape.MAX_K; k++) {
            for (long m : new long[] {512, 1024, 1536, 512 * 1001}) {
                Filter filter = new FilterShape(kind, m, k).create();
                long[] hashes = hashes(k, 300);
                Arrays.stream(hashes).forEach(filter::add);
                requireAll(filter, hashes);
                for (long extreme : new long[] {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
                    filter.add(extreme);
                    assertThat(filter.mightContain(extreme)).isTrue();
                }
            }
        }
    }

    /** A key is denied when any one of its bits is cleared, so every position counts. */
    @Test
    void mightContainShouldAskEveryPosition() {
        assumeFalse(kind == FilterKind.RIBBON);
        for (int k = 1; k <= FilterShape.MAX_K; k++) {
            Filter filter = new FilterShape(kind, 1L << 20, k).create();
            long hash = new SplittableRandom(k).nextLong();
            filter.add(hash);
            BitSet bits = BitSet.valueOf(words(filter));
            // A few positions of one key may coincide.
            assertThat(bits.cardinality()).isBetween(Math.max(1, k - 4), k);
            bits.stream()
                    .forEach(
                            bit -> {
                                flip(filter, bit);
                                assertThat(filter.mightContain(hash)).isFalse();
                                flip(filter, bit);
                            });
        }
    }

    private static void flip(Filter filter, int bit) {
        long[] words = words(filter);
        words[bit >>> 6] ^= 1L << bit;
        filter.read(0, LongBuffer.wrap(words));
    }

    /** Uses more than 2^32 bits, where an int would overflow. */
    @Tag("large")
    @Test
    void bitsShouldReachBeyondTwoToThe32() throws IOException {
        long m = (1L << 32) + (1L << 30);
        FilterShape small = FilterSize.ofRate(0.01).shape(kind, 1_000_000);
        FilterShape shape = new FilterShape(kind, m, small.k());
        long[] hashes = hashes(15, 20_000);
        Filter filter = filled(shape, hashes);
        requireAll(filter, hashes);
        long[] last = new long[1 << 20];
        long first = shape.m() / Long.SIZE * 4 / 5;
        filter.write(first, LongBuffer.wrap(last));
        assertThat(Arrays.stream(last).filter(word -> word != 0).count()).isPositive();
        assertThat(positives(filter, 100_000, 16)).isLessThan(1_100);
    }
}
