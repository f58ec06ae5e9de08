package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;

/** Rejects numbers far outside what a list has, as in a forged header or after a typing error. */
class FilterLimitsTest {

    @ParameterizedTest
    @CsvSource({"64, 288230376151711744", "64, 9223372036854775807", "8, -1"})
    void shouldRefuseNumbersOfKeysThatNoFilterHolds(double bits, long n) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> FilterSize.ofBitsPerKey(bits).shape(FilterKind.BLOCKED, n));
    }

    @Test
    void shouldPredictTheRateOfAFilterFarTooFull() {
        FilterShape shape = new FilterShape(FilterKind.BLOCKED, 512, 3);
        double rate =
                assertTimeoutPreemptively(
                        Duration.ofSeconds(20), () -> shape.rate(1_000_000_000_000L));
        assertThat(rate).isEqualTo(1);
    }
}
