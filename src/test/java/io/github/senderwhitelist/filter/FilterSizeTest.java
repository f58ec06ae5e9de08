package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the sizes of filters, and which sizes are rejected. */
class FilterSizeTest {
    private static final double[] RATES = {
        0.5, 0.3, 0.1, 0.05, 0.02, 0.01, 0.003, 0.001, 1e-4, 1e-5, 1e-6, 1e-7
    };

    @ParameterizedTest
    @EnumSource(FilterKind.class)
    void shapeShouldKeepTheRateAskedFor(FilterKind kind) {
        for (double p : RATES) {
            for (long n = 1; n <= 1_000_000_000L; n = n * 3 + 1) {
                FilterShape shape = FilterSize.ofRate(p).shape(kind, n);
                assertThat(shape.rate(n))
                        .as("%s, p = %s, n = %s", kind, p, n)
                        .isLessThanOrEqualTo(p);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLASSIC", "BLOCKED"})
    void shapeShouldHaveNoMoreBitsThanTheRateNeeds(FilterKind kind) {
        long n = 100_000_000;
        for (double p : RATES) {
            FilterShape shape = FilterSize.ofRate(p).shape(kind, n);
            // Blocks may have one position less than the best k, for a little more memory.
            double most = kind == FilterKind.BLOCKED ? 0.01 * shape.m() : 0.002 * n;
            long less = FilterShape.roundUp(shape.m() - most);
            for (int k = 1; k <= 30; k++) {
                assertThat(new FilterShape(kind, less, k).rate(n))
                        .as("%s, p = %s, k = %s", kind, p, k)
                        .isGreaterThan(p);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "8, 0, 512",
        "8, 1, 512",
        "8, 64, 512",
        "8, 65, 1024",
        "8.5, 1024, 8704",
        "8.5, 1025, 9216",
        "8, 1000000000, 8000000000",
        "9, 1000000001, 9000000512",
        "64, 2000000000, 128000000000",
        "8, 17000000000, 136000000000"
    })
    void bitsShouldBeRoundedUpToWholeCacheLines(double bits, long n, long m) {
        FilterShape shape = FilterSize.ofBitsPerKey(bits).shape(FilterKind.BLOCKED, n);
        assertThat(shape.m()).isEqualTo(m);
        assertThat(shape.bytes()).isEqualTo(m / 8);
    }

    @ParameterizedTest
    @CsvSource({
        "8, 17180000000",
        "64, 2147483648",
        "1, 137438953473",
        "64, 288230376151711744",
        "64, 9223372036854775807"
    })
    void sizeShouldBeRefusedWhenAnArrayHoldsFewerBits(double bits, long n) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FilterSize.ofBitsPerKey(bits).shape(FilterKind.BLOCKED, n))
                .withMessageContainingAll("bits", "allowed", Long.toString(FilterShape.MAX_M));
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -0.0, 0.50001, 0.99, 64.01, 1e-10, -1, Double.NaN, 1.0 / 0})
    void nonsensicalSizeShouldBeRefused(double size) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FilterSize(size, size < 0.6))
                .withMessageContainingAll(" " + size, size < 0.6 ? "1.0E-9 to 0.5" : "1.0 to 64.0");
        assertThatIllegalArgumentException().isThrownBy(() -> FilterSize.ofRate(size));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FilterSize.ofBitsPerKey(8).shape(FilterKind.BLOCKED, -1));
    }

    @Test
    void rateShouldBeRefusedWhenBlocksCannotHaveItAndNameTheKindThatCan() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FilterSize.ofRate(1e-9).shape(FilterKind.BLOCKED, 1000))
                .withMessageContainingAll("blocked", "1.0E-9", "least", "classic");
        assertThat(FilterSize.ofRate(1e-9).shape(FilterKind.CLASSIC, 1000).rate(1000))
                .isLessThanOrEqualTo(1e-9);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "-512, 1",
        "511, 1",
        "513, 1",
        "137437905408, 1", // the largest plus one line
        "-9223372036854775808, 1",
        "9223372036854775807, 1",
        "512, 0",
        "512, 32",
        "512, 2147483647"
    })
    void shapeShouldBeRefusedWhenNoFilterHasIt(long m, int k) {
        for (FilterKind kind : FilterKind.values()) {
            assertThatThrownBy(() -> new FilterShape(kind, m, k))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("allowed");
        }
    }

    /** As a forged header may say it, and soon enough. */
    @Test
    @Timeout(20)
    void rateShouldBeOneWhenAFilterIsFarTooFull() {
        FilterShape shape = new FilterShape(FilterKind.BLOCKED, 512, 3);
        assertThat(shape.rate(1_000_000_000_000L)).isEqualTo(1);
    }

    @Test
    void largestShapeShouldBeTaken() {
        FilterShape shape = new FilterShape(FilterKind.BLOCKED, FilterShape.MAX_M, 10);
        assertThat(shape.m() / Long.SIZE).isLessThan(Integer.MAX_VALUE - 8);
        assertThat(shape.m()).isGreaterThan(1L << 36);
        assertThat(shape.rate(10_000_000_000L)).isBetween(0.001, 0.005);
    }

    @Test
    void codesAndLabelsShouldStay() {
        assertThat(FilterKind.values())
                .extracting(FilterKind::label)
                .containsExactly("classic", "blocked", "ribbon");
        assertThat(FilterKind.values()).extracting(FilterKind::code).containsExactly(1, 2, 9);
        // The others were kinds, or ribbon filters of another layout.
        for (int code = -1; code < 300; code++) {
            assertThat(FilterKind.of(code).isPresent())
                    .isEqualTo(code == 1 || code == 2 || code == 9);
        }
    }
}
