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
                "entries | 12400 | 300000 | 0.4 |   4 %, 12,400 of 300,000 entries, 31,000/s, 9 s"
                        + " left",
                "entries | 15000000 | 1000000000 | 5 |   1 %, 15.0 of 1,000.0 million entries, 3.0"
                        + " million/s, 5 min left",
                "entries | 123456 | 100000000 | 100 |   0 %, 0.1 of 100.0 million entries, 1,230/s,"
                        + " 22 h left",
                "entries | 0 | 300000 | 9 |   0 %, 0 of 300,000 entries",
                "entries | 100 | 300000 | 0 |   0 %, 100 of 300,000 entries",
                "entries | 300000 | 300000 | 3 | 100 %, 300,000 of 300,000 entries, 100,000/s",
                "bytes | 1250000 | 5000000 | 1 |  25 %, 1.25 MB of 5.00 MB, 1.25 MB/s, 3 s left",
                "bytes | 1250000 | -1 | 1 | 1.25 MB, 1.25 MB/s",
                "entries | 12 | 9 | 1 | 100 %, 12 of 9 entries, 12/s",
            },
            ignoreLeadingAndTrailingWhitespace = false)
    void shouldCountInUnitsThatFit(
            String unit, String done, String total, String seconds, String expected) {
        Progress progress =
                new Progress(
                        "step",
                        unit.strip(),
                        Long.parseLong(done.strip()),
                        Long.parseLong(total.strip()),
                        Double.parseDouble(seconds.strip()));
        assertThat(progress.line()).isEqualTo("step:" + expected);
    }
}
