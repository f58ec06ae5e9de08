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

/** What every kind of filter owes. */
abstract class BloomFilterContract {

    abstract FilterKind kind();

    /** The false positives of a thousand keys at eight bits, among 100,000 strangers. */
    abstract int pinnedFalsePositives();

    /** The same of 100,000 keys at a rate of 0.001, among a million strangers. */
    abstract int pinnedFalsePositivesAtAThousandth();

    /** The bits that the hashes of {@link #shouldKeepItsSerialForm} set, in order. */
    abstract String pinnedBits();

    @Test
    void shouldNeverDenyWhatWasAdded() {
        int n = 1_000_000;
        BloomFilter filter = filled(FilterSize.ofBitsPerKey(8).shape(kind(), n), n, 1);
        SplittableRandom keys = new SplittableRandom(1);
        for (int i = 0; i < n; i++) {
            long hash = keys.nextLong();
            if (!filter.mightContain(hash)) {
                throw new AssertionError("hash " + i + ", " + hash + ", was added and is denied");
            }
        }
    }

    /** With every k, and with filters so small or so full that all is special. */
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
    void shouldContainNothingWhenEmpty() {
        BloomFilter filter = FilterSize.ofRate(0.01).shape(kind(), 0).create();
        SplittableRandom strangers = new SplittableRandom(3);
        for (int i = 0; i < 10_000; i++) {
            assertThat(filter.mightContain(strangers.nextLong())).isFalse();
        }
        assertThat(filter.words().remaining()).isEqualTo(8);
        assertThat(BitSet.valueOf(filter.words()).isEmpty()).isTrue();
    }

    @Test
    void shouldDenyMostStrangersOfASingleKey() {
        int positives = 0;
        SplittableRandom random = new SplittableRandom(4);
        FilterShape shape = FilterSize.ofRate(0.01).shape(kind(), 1);
        for (int i = 0; i < 20_000; i++) {
            BloomFilter filter = shape.create();
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

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 0.01, 0.001, 1e-4})
    void shouldHaveTheRateAskedFor(double p) {
        FilterShape shape = FilterSize.ofRate(p).shape(kind(), 200_000);
        assertThat(shape.rate(200_000)).isCloseTo(p, within(p * 0.01));
        assertRate(shape, 2_000_000);
    }

    /** Within five standard deviations of the strangers drawn, and one part in a hundred. */
    private static void assertRate(FilterShape shape, int strangers) {
        int n = 200_000;
        double expected = shape.rate(n) * strangers;
        int measured = falsePositives(filled(shape, n, 5), strangers, 6);
        assertThat((double) measured)
                .as("false positives of %s", shape)
                .isCloseTo(expected, within(5 * Math.sqrt(expected) + 0.01 * expected));
    }

    @Test
    void shouldKeepItsFalsePositives() {
        FilterShape eight = FilterSize.ofBitsPerKey(8).shape(kind(), 1000);
        assertThat(falsePositives(filled(eight, 1000, 7), 100_000, 8))
                .isEqualTo(pinnedFalsePositives());
        FilterShape thousandth = FilterSize.ofRate(0.001).shape(kind(), 100_000);
        assertThat(falsePositives(filled(thousandth, 100_000, 7), 1_000_000, 8))
                .isEqualTo(pinnedFalsePositivesAtAThousandth());
    }

    @Test
    void shouldKeepItsSerialForm() {
        BloomFilter filter = new FilterShape(kind(), 2048, 9).create();
        for (long hash : new long[] {0x0123456789abcdefL, 0xfedcba9876543210L, 42L << 40}) {
            filter.add(hash);
        }
        assertThat(filter.words().remaining()).isEqualTo(32);
        assertThat(BitSet.valueOf(filter.words())).hasToString(pinnedBits());
    }

    @Test
    void shouldAnswerFromItsWords() {
        FilterShape shape = FilterSize.ofRate(0.01).shape(kind(), 500);
        BloomFilter filter = filled(shape, 500, 9);
        BloomFilter copy = shape.create();
        copy.words().put(filter.words());
        SplittableRandom random = new SplittableRandom(10);
        for (int i = 0; i < 100_000; i++) {
            long hash = random.nextLong();
            assertThat(copy.mightContain(hash)).isEqualTo(filter.mightContain(hash));
        }
    }

    /** Every position counts: with any one bit of a key cleared, the key is denied. */
    @Test
    void shouldAskEveryPosition() {
        for (int k = 1; k <= FilterShape.MAX_K; k++) {
            BloomFilter filter = new FilterShape(kind(), 1L << 20, k).create();
            long hash = new SplittableRandom(k).nextLong();
            filter.add(hash);
            BitSet bits = BitSet.valueOf(filter.words());
            // Positions of one key may coincide, seldom more than a few.
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
        LongBuffer words = filter.words();
        words.put(bit >>> 6, words.get(bit >>> 6) ^ (1L << bit));
    }

    /** All bits are used, and about equally: what a lost or repeated position would spoil. */
    @Test
    void shouldSpreadPositionsEvenly() {
        int lines = 7;
        long[] uses = new long[512 * lines];
        SplittableRandom random = new SplittableRandom(12);
        int keys = 200_000;
        FilterShape shape = new FilterShape(kind(), 512L * lines, 8);
        BloomFilter filter = shape.create();
        for (int i = 0; i < keys; i++) {
            filter.words().put(new long[8 * lines]);
            filter.add(random.nextLong());
            BitSet.valueOf(filter.words()).stream().forEach(bit -> uses[bit]++);
        }
        double mean = Arrays.stream(uses).average().orElseThrow();
        assertThat(mean * uses.length / keys).isBetween(7.9, 8.0);
        double chiSquare =
                Arrays.stream(uses).mapToDouble(u -> (u - mean) * (u - mean) / mean).sum();
        // Degrees of freedom: 3583; five standard deviations of √(2·3583).
        assertThat(chiSquare).isLessThan(uses.length + 5 * Math.sqrt(2.0 * uses.length));
    }

    static BloomFilter filled(FilterShape shape, int n, long seed) {
        BloomFilter filter = shape.create();
        SplittableRandom keys = new SplittableRandom(seed);
        for (int i = 0; i < n; i++) {
            filter.add(keys.nextLong());
        }
        return filter;
    }

    private static int falsePositives(BloomFilter filter, int strangers, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int positives = 0;
        for (int i = 0; i < strangers; i++) {
            positives += filter.mightContain(random.nextLong()) ? 1 : 0;
        }
        return positives;
    }
}
