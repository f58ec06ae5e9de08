package io.github.senderwhitelist.address;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NumberTextTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "007, 7",
        "1000000, 1000000",
        "1_000_000, 1000000",
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
    void shouldReadWholeNumbers(String text, long value) {
        assertThat(NumberText.whole(text)).hasValue(value);
        assertThat(NumberText.decimal(text)).hasValue((double) value);
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
    void shouldReadSizes(String text, long bytes) {
        assertThat(NumberText.bytes(text)).hasValue(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "-1", "1.5g", "1 g", "1gb", "1p", "8388608t", "0x1", "1e3"})
    void shouldReadNoOtherSizes(String text) {
        assertThat(NumberText.bytes(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"0.001, 0.001", ".5, 0.5", "1e-3, 0.001", "10^-3, 0.001", "-0.5, -0.5"})
    void shouldReadDecimalNumbers(String text, double value) {
        assertThat(NumberText.decimal(text)).hasValue(value);
        assertThat(NumberText.whole(text)).isEmpty();
    }

    /** Texts that Java's own parsers accept, and texts that were once read as another number. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-",
                "_",
                ".",
                "5.",
                "+5",
                " 5",
                "5 ",
                "5\n",
                "1 000",
                "1,000",
                "1_",
                "_1",
                "1__0",
                "1_.5",
                "1._5",
                "210^3",
                "110^6",
                "2^10",
                "10^",
                "10^1.5",
                "10^6e1",
                "10^_6",
                "1e",
                "e6",
                "1e6.5",
                "1e1000",
                "8d",
                "8f",
                "8L",
                "0x10",
                "0x1p-3",
                "NaN",
                "Infinity",
                "\u0663",
                "\uff11",
                "1\u0660",
                "\u2212" + "1",
                "1%"
            })
    void shouldRefuseWhatIsNoNumber(String text) {
        assertThat(NumberText.whole(text)).as(text).isEmpty();
        assertThat(NumberText.decimal(text)).as(text).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"9223372036854775808", "10^19", "10^999", "1e999", "1.5"})
    void shouldTakeNoWholeNumberForAnother(String text) {
        assertThat(NumberText.whole(text)).isEmpty();
        assertThat(NumberText.decimal(text)).isPresent();
    }

    @Test
    void shouldRefuseEndlessDigitsUnread() {
        assertThat(NumberText.decimal("1".repeat(64))).isPresent();
        assertThat(NumberText.decimal("1".repeat(65))).isEmpty();
        assertThat(NumberText.decimal("1".repeat(10_000_000))).isEmpty();
    }
}
