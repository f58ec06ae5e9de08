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
                "entries | 12400 | 310000 | 0.4 | 4 %, 12,400 of 310,000 entries, 10 s left",
                "entries | 10000000 | 1000000000 | 5 | 1 %, 10,000,000 of 1,000,000,000 entries, 8"
                        + " min left",
                "entries | 0 | 300000 | 9 | 0 %, 0 of 300,000 entries",
                "entries | 300000 | 300000 | 3 | 100 %, 300,000 of 300,000 entries",
                "bytes | 1250000 | 5000000 | 1 | 25 %, 1.25 MB of 5.00 MB, 3 s left",
                "bytes | 1250000 | -1 | 1 | 1.25 MB",
                "entries | 12 | -1 | 1 | 12 entries",
                "entries | 12 | 9 | 1 | 100 %, 12 of 9 entries",
            })
    void lineShouldSayHowFarAStepIs(
            String unit, long done, long total, double seconds, String expected) {
        assertThat(Progress.line("step", unit, done, total, seconds))
                .isEqualTo("step: " + expected);
    }
}
