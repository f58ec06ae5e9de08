package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;

/** The contract of kinds that set k bits for each hash. */
abstract class BloomFilterContract extends UpdatableFilterContract {

    /**
     * Returns the false positives of 100,000 keys at a rate of 0.001, among a million strangers.
     */
    abstract int pinnedFalsePositivesAtAThousandth();

    /** Returns the bits that the hashes of {@link #shouldKeepItsBits} set, in order. */
    abstract String pinnedBits();

    /** Tries every k, and filters so small or so full that they may be special cases. */
    @Test
    void shouldNeverDenyWhatWasAddedWhateverTheShape() {
        for (int k = 1; k <= FilterShape.MAX_K; k++) {
            for (long m : new long[] {512, 1024, 1536, 512 * 1001}) {
                BloomFilter filter = filled(new FilterShape(kind(), m, k), 300, k);
                SplittableRandom keys = new SplittableRandom(k);
                for (int i = 0; i < 300; i++) {
                    assertThat(filter.mightContain(keys.nextLong())).isTrue();
                }
                for (long extreme : new long[] {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
                    filter.add(extreme);
                    assertThat(filter.mightContain(extreme)).isTrue();
                }
            }
        }
    }

    @Test
    void shouldDenyMostStrangersOfASingleKey() {
        int positives = 0;
        SplittableRandom random = new SplittableRandom(4);
        FilterShape shape = FilterSize.ofRate(0.01).shape(kind(), 1);
        for (int i = 0; i < 20_000; i++) {
            BloomFilter filter = (BloomFilter) shape.create();
            filter.add(random.nextLong());
            positives += filter.mightContain(random.nextLong()) ? 1 : 0;
        }
        assertThat(positives).isLessThan(5);
    }

    @ParameterizedTest
    @ValueSource(doubles = {2, 4, 8, 10, 12, 16})
    void shouldHaveThePredictedRateAtThatManyBits(double bits) {
        assertRate(FilterSize.ofBitsPerKey(bits).shape(kind(), 200_000), 2_000_000);
    }

    /** Allows five standard deviations of the measurement, and one percent of the rate. */
    private static void assertRate(FilterShape shape, int strangers) {
        int n = 200_000;
        double expected = shape.rate(n) * strangers;
        int measured = positives(filled(shape, n, 5), strangers, 6);
        assertThat((double) measured)
                .as("false positives of %s", shape)
                .isCloseTo(expected, within(5 * Math.sqrt(expected) + 0.01 * expected));
    }

    @Test
    void shouldKeepItsFalsePositivesAtAThousandth() {
        FilterShape thousandth = FilterSize.ofRate(0.001).shape(kind(), 100_000);
        assertThat(positives(filled(thousandth, 100_000, 7), 1_000_000, 8))
                .isEqualTo(pinnedFalsePositivesAtAThousandth());
    }

    @Test
    void shouldKeepItsBits() {
        BloomFilter filter = (BloomFilter) new FilterShape(kind(), 2048, 9).create();
        for (long hash : new long[] {0x0123456789abcdefL, 0xfedcba9876543210L, 42L << 40}) {
            filter.add(hash);
        }
        assertThat(words(filter)).hasSize(32);
        assertThat(BitSet.valueOf(words(filter))).hasToString(pinnedBits());
    }

    /** A key is denied when any one of its bits is cleared, so every position counts. */
    @Test
    void shouldAskEveryPosition() {
        for (int k = 1; k <= FilterShape.MAX_K; k++) {
            BloomFilter filter = (BloomFilter) new FilterShape(kind(), 1L << 20, k).create();
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

    private static void flip(BloomFilter filter, int bit) {
        long[] words = words(filter);
        words[bit >>> 6] ^= 1L << bit;
        filter.read(0, LongBuffer.wrap(words));
    }

    /** All bits are set about equally often, which a lost or repeated position would change. */
    @Test
    void shouldSpreadPositionsEvenly() {
        int lines = 7;
        long[] uses = new long[512 * lines];
        SplittableRandom random = new SplittableRandom(12);
        int keys = 200_000;
        FilterShape shape = new FilterShape(kind(), 512L * lines, 8);
        BloomFilter filter = (BloomFilter) shape.create();
        for (int i = 0; i < keys; i++) {
            filter.read(0, LongBuffer.allocate(8 * lines));
            filter.add(random.nextLong());
            BitSet.valueOf(words(filter)).stream().forEach(bit -> uses[bit]++);
        }
        double mean = Arrays.stream(uses).average().orElseThrow();
        assertThat(mean * uses.length / keys).isBetween(7.9, 8.0);
        double chiSquare =
                Arrays.stream(uses).mapToDouble(u -> (u - mean) * (u - mean) / mean).sum();
        // 3583 degrees of freedom; the standard deviation is √(2·3583).
        assertThat(chiSquare).isLessThan(uses.length + 5 * Math.sqrt(2.0 * uses.length));
    }

    static BloomFilter filled(FilterShape shape, int n, long seed) {
        BloomFilter filter = (BloomFilter) shape.create();
        SplittableRandom keys = new SplittableRandom(seed);
        for (int i = 0; i < n; i++) {
            filter.add(keys.nextLong());
        }
        return filter;
    }
}
