package io.github.senderwhitelist.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.List;

/** What the types of settings allow; both ends of a range are in it. */
class ValueTypeTest {
    @ParameterizedTest
    @CsvSource({
        "-2, -2", "5, 5", "0, 0", "-3, ", "6, ", "1.5, ", "x, ",
    })
    void shouldReadWholeNumbersOfARange(String text, Long value) {
        assertThat(ValueType.whole(-2, 5).parse(text).orElse(null)).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({
        "0.25, 0.25",
        "2, 2.0",
        "1e0, 1.0",
        "0.2499, ",
        "2.0001, ",
        "x, ",
    })
    void shouldReadNumbersOfARange(String text, Double value) {
        assertThat(ValueType.decimal(0.25, 2).parse(text).orElse(null)).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({
        "0%, 0.0",
        "100%, 1.0",
        "25 %, 0.25",
        "101%, ",
        "-1%, ",
        "0.5, ",
        "%, ",
    })
    void shouldReadShares(String text, Double value) {
        assertThat(ValueType.SHARE.parse(text).orElse(null)).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({
        "500ms, PT0.5S",
        "5s, PT5S",
        "10m, PT10M",
        "2h, PT2H",
        "365d, P365D",
        "366d, ",
        "499ms, ",
        "5, ",
        "5 s, ",
        "-5s, ",
        "9999999999999ms, ",
    })
    void shouldReadDurationsOfARange(String text, Duration value) {
        assertThat(ValueType.duration(Duration.ofMillis(500)).parse(text).orElse(null))
                .isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource({
        "3d, 3",
        "365d, 365",
        "72h, 3",
        "73h, ",
        "2d, ",
        "366d, ",
    })
    void shouldReadWholeDays(String text, Integer value) {
        assertThat(ValueType.days(3).parse(text).orElse(null)).isEqualTo(value);
    }

    @Test
    void shouldSayWhatIsAllowed() {
        assertThat(ValueType.decimal(1e-9, 10).form()).isEqualTo("0.000000001 to 10");
        assertThat(ValueType.days(3).allowed()).endsWith("from 3d to 365d");
        assertThat(ValueType.either("on", "off").parse("off")).hasValue(false);
        assertThat(ValueType.either("on", "off").parse("On")).isEmpty();
        assertThat(ValueType.oneOf(String::strip, List.of(" a", "b")).parse("a")).hasValue(" a");
    }
}
