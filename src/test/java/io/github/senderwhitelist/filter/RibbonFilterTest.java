package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.Arrays;

class RibbonFilterTest extends FilterContract {

    @Override
    FilterKind kind() {
        return FilterKind.RIBBON;
    }

    @Override
    int pinnedChecksum() {
        return -1897852333;
    }

    @Override
    int pinnedFalsePositives() {
        return 793;
    }

    /** With less than eight bits per key the rate is lower than a Bloom filter's with eight. */
    @Test
    void shouldHaveTwoToTheMinusSevenAtLessThanSevenAndAHalfBits() throws IOException {
        int n = 1_000_000;
        FilterShape shape = FilterSize.ofRate(1 / 128.0).shape(kind(), n);
        assertThat((double) shape.m() / n).isLessThan(7.45);
        double positives = positives(filled(shape, hashes(71, n)), 4_000_000, 72);
        assertThat(positives / 4_000_000).isCloseTo(1 / 128.0, within(0.0003));
    }

    /** With more keys than planned the rate rises, but no key is lost. */
    @ParameterizedTest
    @ValueSource(ints = {1500, 3000, 10_000})
    void shouldDenyNothingWhenItIsTooFull(int n) throws IOException {
        FilterShape shape = FilterSize.ofRate(0.01).shape(kind(), 1000);
        requireAll(filled(shape, hashes(73, n)), hashes(73, n));
    }

    @Test
    void shouldShareAllLinesAmongTheLevels() {
        for (int k = RibbonFilter.LEAST_K; k <= RibbonFilter.MOST_K; k++) {
            for (long all = 1; all < 1L << 28; all += all / 3 + 1) {
                long[] lines = RibbonFilter.lines(all, RibbonFilter.columns(k));
                assertThat(Arrays.stream(lines).sum()).isEqualTo(all);
                assertThat(lines).hasSizeBetween(1, 4).doesNotContain(0);
                assertThat(Arrays.stream(lines).min().orElseThrow()).isPositive();
            }
        }
    }

    /** A line has 504 bits and 1.08 keys per column, and a tenth of the keys needs another line. */
    @Override
    double bitsPerKey(double p) {
        double k = Math.ceil(FilterMath.floorBitsPerKey(p));
        double columns = Math.floor(504 / k);
        double bumped = 0.08 + 2.2 / columns;
        return 512 / (1.08 * columns) / (1 - bumped);
    }
}
