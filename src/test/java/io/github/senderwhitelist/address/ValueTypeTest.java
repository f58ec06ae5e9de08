package io.github.senderwhitelist.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;

/** What the types of settings allow; both ends of a range are in it. */
class ValueTypeTest {
    private static final ValueType<Long> WHOLE = ValueType.whole(Long.MIN_VALUE, Long.MAX_VALUE);

    private static final ValueType<Double> DECIMAL = ValueType.decimal(-1e300, 1e300);

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "007, 7",
        "1000000, 1000000",
        "10^6, 1000000",
        "10^0, 1",
        "1e6, 1000000",
        "2.5E3, 2500",
        "5000e-3, 5",
        "3.0, 3",
        "-5, -5",
        "9223372036854775807, 9223372036854775807",
        "-9223372036854775808, -9223372036854775808",
    })
    void wholeShouldReadNumbers(String text, long value) {
        assertThat(WHOLE.parse(text)).hasValue(value);
        assertThat(DECIMAL.parse(text)).hasValue((double) value);
    }

    @ParameterizedTest
    @CsvSource({"0.001, 0.001", ".5, 0.5", "1e-3, 0.001", "10^-3, 0.001", "-0.5, -0.5"})
    void decimalShouldReadFractions(String text, double value) {
        assertThat(DECIMAL.parse(text)).hasValue(value);
        assertThat(WHOLE.parse(text)).isEmpty();
    }

    /** Texts that Java's own parsers accept, and texts that were once read as another number. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "", " ", "-", "_", ".", "5.",
                "+5", " 5", "5 ", "5\n", "1 000", "1,000",
                "1_000", "210^3", "110^6", "2^10", "10^", "10^1.5",
                "10^6e1", "10^_6", "1e", "e6", "1e6.5", "1e1000",
                "8d", "8f", "8L", "0x10", "0x1p-3", "NaN",
                "Infinity", "\u0663", "\uff11", "1\u0660", "\u2212" + "1", "1%"
            })
    void typesShouldRefuseWhatIsNoNumber(String text) {
        assertThat(WHOLE.parse(text)).as(text).isEmpty();
        assertThat(DECIMAL.parse(text)).as(text).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775808", "10^19", "10^999", "1e999", "1.5"})
    void wholeShouldTakeNoNumberForAnother(String text) {
        assertThat(WHOLE.parse(text)).isEmpty();
    }

    @Test
    void typesShouldReadNoLongNumber() {
        assertThat(WHOLE.parse("0".repeat(64))).hasValue(0L);
        assertThat(WHOLE.parse("0".repeat(65))).isEmpty();
        assertThat(ValueType.SIZE.parse("0".repeat(65))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0.25, true", "2, true", "1e0, true", "0.2499, false", "2.0001, false"})
    void decimalShouldKeepToItsRange(String text, boolean allowed) {
        assertThat(ValueType.decimal(0.25, 2).parse(text).isPresent()).isEqualTo(allowed);
        assertThat(ValueType.whole(-2, 5).parse("-2")).hasValue(-2L);
        assertThat(ValueType.whole(-2, 5).parse("5")).hasValue(5L);
        assertThat(ValueType.whole(-2, 5).parse("-3")).isEmpty();
        assertThat(ValueType.whole(-2, 5).parse("6")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "512, 512",
        "64k, 65536",
        "32M, 33554432",
        "1g, 1073741824",
        "8388607t, 9223370937343148032",
    })
    void sizeShouldReadUnits(String text, long bytes) {
        assertThat(ValueType.SIZE.parse(text)).hasValue(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "-1", "1.5g", "1 g", "1gb", "1p", "8388608t", "0x1", "1e3"})
    void sizeShouldReadNothingElse(String text) {
        assertThat(ValueType.SIZE.parse(text)).isEmpty();
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
    void shareShouldReadPercents(String text, Double value) {
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
    void durationShouldKeepToItsRange(String text, Duration value) {
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
    void daysShouldBeWhole(String text, Integer value) {
        assertThat(ValueType.days(3).parse(text).orElse(null)).isEqualTo(value);
    }

    @Test
    void typesShouldSayWhatIsAllowed() {
        assertThat(ValueType.decimal(1e-9, 10).allowed()).endsWith("from 0.000000001 to 10");
        assertThat(ValueType.days(3).allowed()).endsWith("from 3d to 365d");
        assertThat(ValueType.either("on", "off").parse("off")).hasValue(false);
        assertThat(ValueType.either("on", "off").parse("On")).isEmpty();
        assertThat(ValueType.oneOf(String::strip, List.of(" a", "b")).parse("a")).hasValue(" a");
    }
}
