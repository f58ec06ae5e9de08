package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;

/** The contract of kinds that set k bits for each hash, and take more at any time. */
abstract class BloomFilterContract extends FilterContract {

    /**
     * Returns the false positives of 100,000 keys at a rate of 0.001, among a million strangers.
     */
    abstract int pinnedFalsePositivesAtAThousandth();

    /** Returns the bits that the hashes of {@link #bitsShouldStay} set, in order. */
    abstract String pinnedBits();

    /** Tries every k, and filters so small or so full that they may be special cases. */
    @Test
    void mightContainShouldNeverDenyWhatWasAddedWhateverTheShape() {
        for (int k = 1; k <= FilterShape.MAX_K; k++) {
            for (long m : new long[] {512, 1024, 1536, 512 * 1001}) {
                Filter filter = filled(new FilterShape(kind(), m, k), 300, k);
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
    void mightContainShouldDenyMostStrangersOfASingleKey() {
        int positives = 0;
        SplittableRandom random = new SplittableRandom(4);
        FilterShape shape = FilterSize.ofRate(0.01).shape(kind(), 1);
        for (int i = 0; i < 20_000; i++) {
            Filter filter = shape.create();
            filter.add(random.nextLong());
            positives += filter.mightContain(random.nextLong()) ? 1 : 0;
        }
        assertThat(positives).isLessThan(5);
    }

    @ParameterizedTest
    @ValueSource(doubles = {2, 4, 8, 10, 12, 16})
    void rateShouldBeAsPredictedAtThatManyBits(double bits) {
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
    void falsePositivesAtAThousandthShouldStay() {
        FilterShape thousandth = FilterSize.ofRate(0.001).shape(kind(), 100_000);
        assertThat(positives(filled(thousandth, 100_000, 7), 1_000_000, 8))
                .isEqualTo(pinnedFalsePositivesAtAThousandth());
    }

    @Test
    void bitsShouldStay() {
        Filter filter = new FilterShape(kind(), 2048, 9).create();
        for (long hash : new long[] {0x0123456789abcdefL, 0xfedcba9876543210L, 42L << 40}) {
            filter.add(hash);
        }
        assertThat(words(filter)).hasSize(32);
        assertThat(BitSet.valueOf(words(filter))).hasToString(pinnedBits());
    }

    /** A key is denied when any one of its bits is cleared, so every position counts. */
    @Test
    void mightContainShouldAskEveryPosition() {
        for (int k = 1; k <= FilterShape.MAX_K; k++) {
            Filter filter = new FilterShape(kind(), 1L << 20, k).create();
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

    /** All bits are set about equally often, which a lost or repeated position would change. */
    @Test
    void positionsShouldSpreadEvenly() {
        int lines = 7;
        long[] uses = new long[512 * lines];
        SplittableRandom random = new SplittableRandom(12);
        int keys = 200_000;
        FilterShape shape = new FilterShape(kind(), 512L * lines, 8);
        Filter filter = shape.create();
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

    static Filter filled(FilterShape shape, int n, long seed) {
        Filter filter = shape.create();
        SplittableRandom keys = new SplittableRandom(seed);
        for (int i = 0; i < n; i++) {
            filter.add(keys.nextLong());
        }
        return filter;
    }

    final Filter empty(double p, long n) {
        return FilterSize.ofRate(p).shape(kind(), n).create();
    }

    @Test
    void addShouldBeSeenAtOnce() {
        Filter filter = empty(0.01, 20_000);
        for (long hash : hashes(21, 20_000)) {
            filter.add(hash);
            assertThat(filter.mightContain(hash)).isTrue();
        }
        requireAll(filter, hashes(21, 20_000));
    }

    /** A filter that was read from its words goes on as the one it was written from. */
    @Test
    void addShouldGoOnAfterTheFilterWasReadIn() {
        long[] hashes = hashes(22, 30_000);
        Filter whole = empty(0.01, 20_000);
        Filter first = empty(0.01, 20_000);
        for (int i = 0; i < 15_000; i++) {
            whole.add(hashes[i]);
            first.add(hashes[i]);
        }
        Filter second = first.shape().create();
        second.read(0, LongBuffer.wrap(words(first)));
        for (int i = 15_000; i < hashes.length; i++) {
            whole.add(hashes[i]);
            second.add(hashes[i]);
        }
        requireAll(second, hashes);
        assertThat(second.shape()).isEqualTo(whole.shape());
        assertThat(words(second)).isEqualTo(words(whole));
    }

    /** Readers find all that was in the filter before, while one thread adds more. */
    @Test
    void addShouldHideNothingFromReadersMeanwhile() throws Exception {
        int n = 40_000;
        long[] stable = hashes(23, n / 2);
        Filter filter = empty(0.01, n);
        for (long hash : stable) {
            filter.add(hash);
        }
        AtomicBoolean done = new AtomicBoolean();
        try (ExecutorService readers = Executors.newFixedThreadPool(2)) {
            List<Future<?>> results = new ArrayList<>();
            for (int reader = 0; reader < 2; reader++) {
                results.add(
                        readers.submit(
                                () -> {
                                    while (!done.get()) {
                                        requireAll(filter, stable);
                                    }
                                }));
            }
            try {
                SplittableRandom random = new SplittableRandom(24);
                for (int i = 0; i < n / 2; i++) {
                    filter.add(random.nextLong());
                }
            } finally {
                done.set(true);
            }
            for (Future<?> result : results) {
                result.get();
            }
        }
        requireAll(filter, stable);
    }
}
