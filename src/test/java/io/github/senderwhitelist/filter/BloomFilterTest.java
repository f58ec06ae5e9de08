package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;

/** The contract of kinds that set k bits for each hash, and take more at any time. */
@ParameterizedClass
@EnumSource(
        value = FilterKind.class,
        names = {"CLASSIC", "BLOCKED"})
class BloomFilterTest {
    @Parameter FilterKind kind = FilterKind.CLASSIC;

    /** Tries every k, and filters so small or so full that they may be special cases. */
    @Test
    void mightContainShouldNeverDenyWhatWasAddedWhateverTheShape() {
        for (int k = 1; k <= FilterShape.MAX_K; k++) {
            for (long m : new long[] {512, 1024, 1536, 512 * 1001}) {
                Filter filter = new FilterShape(kind, m, k).create();
                long[] hashes = FilterTest.hashes(k, 300);
                Arrays.stream(hashes).forEach(filter::add);
                FilterTest.requireAll(filter, hashes);
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
        for (int k = 1; k <= FilterShape.MAX_K; k++) {
            Filter filter = new FilterShape(kind, 1L << 20, k).create();
            long hash = new SplittableRandom(k).nextLong();
            filter.add(hash);
            BitSet bits = BitSet.valueOf(FilterTest.words(filter));
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
        long[] words = FilterTest.words(filter);
        words[bit >>> 6] ^= 1L << bit;
        filter.read(0, LongBuffer.wrap(words));
    }
}
