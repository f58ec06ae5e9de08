package io.github.senderwhitelist.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Progress in words, for small and large lists. */
class ProgressTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "12400 | 310000 | 0.4 | 4 %, 12,400 of 310,000, 10 s left",
                "10000000 | 1000000000 | 5 | 1 %, 10,000,000 of 1,000,000,000, 8 min left",
                "0 | 300000 | 9 | 0 %, 0 of 300,000, 0 s left",
                "12 | 9 | 1 | 100 %, 12 of 9, 0 s left",
                "12345 | -1 | 1 | 12,345",
            })
    void lineShouldSayHowFarAStepIs(long done, long total, double seconds, String expected) {
        assertThat(Progress.line("step", done, total, seconds)).isEqualTo("step: " + expected);
    }
}
