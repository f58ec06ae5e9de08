package io.github.senderwhitelist.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.IntUnaryOperator;
import java.util.function.LongUnaryOperator;

/** Tests the formulas with worked examples of the literature, and against each other. */
class FilterMathTest {

    /** The second is the worked example of a thousand keys in eight thousand bits. */
    @ParameterizedTest
    @CsvSource({"16, 11, 0.00046, 5e-6", "8, 6, 0.0216, 5e-5"})
    void bestKShouldBeBesideTheOptimalOne(
            double bitsPerKey, int best, double rate, double tolerance) {
        assertThat(FilterMath.bestK(FilterKind.CLASSIC, bitsPerKey)).isEqualTo(best);
        assertThat(FilterMath.classicRate(bitsPerKey, best)).isCloseTo(rate, within(tolerance));
    }

    @ParameterizedTest
    @CsvSource({
        "0.5, 0.786, 0.0005",
        "1, 0.6185, 0.00005",
        "2, 0.3825, 0.00005",
        "3, 0.2366, 0.00005",
        "4, 0.1463, 0.00005",
        "5, 0.0905, 0.00005",
        "8, 0.0214, 0.00005",
        "16, 0.00046, 0.000005"
    })
    void rateShouldBeHalfToThePowerOfTheOptimalK(double bitsPerKey, double rate, double tolerance) {
        double k = bitsPerKey * Math.log(2);
        assertThat(FilterMath.classicRate(bitsPerKey, k)).isCloseTo(rate, within(tolerance));
    }

    @Test
    void billionAddressesShouldFitIntoAGigabyte() {
        FilterShape shape = FilterSize.ofBitsPerKey(8).shape(FilterKind.CLASSIC, 1_000_000_000L);
        assertThat(shape.m()).isEqualTo(8_000_000_000L);
        assertThat(shape.bytes()).isEqualTo(1_000_000_000L);
        assertThat(shape.k()).isEqualTo(6);
        assertThat(shape.rate(1_000_000_000L)).isCloseTo(0.0216, within(0.00005));
    }

    @Test
    void onePercentShouldTakeNineAndAHalfBits() {
        FilterShape shape = FilterSize.ofRate(0.01).shape(FilterKind.CLASSIC, 1_000_000_000L);
        // k is an integer, which costs some thousandths of a bit.
        assertThat(shape.m() / 1e9).isCloseTo(9.585, within(0.01));
        assertThat(shape.k()).isEqualTo(7);
        double k = 9.585 * Math.log(2);
        assertThat(FilterMath.classicRate(9.585, k)).isCloseTo(0.01, within(1e-6));
        assertThat(FilterMath.floorBitsPerKey(0.01)).isCloseTo(6.644, within(0.0005));
        assertThat(9.585 / FilterMath.floorBitsPerKey(0.01)).isCloseTo(1.4427, within(0.0001));
        assertThat(FilterMath.floorBitsPerKey(1.0 / 1024)).isCloseTo(10, within(1e-9));
    }

    /** A toy filter of ten bits with three ad-hoc hash functions. */
    @Test
    void filterShouldAgreeWithTheToyOfThreeFunctions() {
        IntUnaryOperator[] functions = {
            x -> (x + 3) % 10, x -> (3 * x + 1) % 10, x -> (x * x + 2) % 10
        };
        BitSet bits = new BitSet();
        for (int x : new int[] {2, 4, 9}) {
            Arrays.stream(functions).forEach(h -> bits.set(h.applyAsInt(x)));
        }
        assertThat(bits).hasToString("{2, 3, 5, 6, 7, 8}");
        assertThat(maybe(bits, functions, 4)).isTrue();
        assertThat(maybe(bits, functions, 7)).isFalse();
        assertThat(maybe(bits, functions, 12)).as("a false positive").isTrue();
    }

    private static boolean maybe(BitSet bits, IntUnaryOperator[] functions, int x) {
        return Arrays.stream(functions).allMatch(h -> bits.get(h.applyAsInt(x)));
    }

    /**
     * A toy filter of eleven bits, whose functions take the bits of x at odd and at even places.
     */
    @Test
    void filterShouldAgreeWithTheToyOfInterleavedBits() {
        assertThat(everySecondBit(159) % 11).isEqualTo(7);
        assertThat(everySecondBit(159 >>> 1) % 11).isEqualTo(0);
    }

    private static long everySecondBit(long x) {
        LongUnaryOperator rest = value -> everySecondBit(value >>> 2) << 1;
        return x == 0 ? 0 : (x & 1) | rest.applyAsLong(x);
    }

    @ParameterizedTest
    @ValueSource(doubles = {1, 1.4, 2, 3.3, 5, 8, 9.585, 10.1, 12, 14.4, 16, 20, 28.7, 40})
    void bestKShouldHaveTheLowestRate(double bitsPerKey) {
        int classic = FilterMath.bestK(FilterKind.CLASSIC, bitsPerKey);
        int blocked = FilterMath.bestK(FilterKind.BLOCKED, bitsPerKey);
        for (int k = 1; k <= 30; k++) {
            assertThat(FilterMath.classicRate(bitsPerKey, classic))
                    .isLessThanOrEqualTo(FilterMath.classicRate(bitsPerKey, k));
            double enough = 1.03 * FilterMath.blockedRate(bitsPerKey, k);
            assertThat(FilterMath.blockedRate(bitsPerKey, blocked)).isLessThanOrEqualTo(enough);
        }
    }

    /** At 12 bits, 8 positions are hardly better than 7; at 8 bits, 5 are clearly better than 4. */
    @ParameterizedTest
    @CsvSource({"12, 7", "8, 5", "10, 6"})
    void bestKOfBlocksShouldBeNoMoreThanPays(double bitsPerKey, int k) {
        assertThat(FilterMath.bestK(FilterKind.BLOCKED, bitsPerKey)).isEqualTo(k);
    }

    /** Computes the rate by its definition: the sum over all numbers of keys in a block. */
    @ParameterizedTest
    @CsvSource({"8, 5", "8, 6", "4, 3", "16, 9", "1, 1", "30, 15", "64, 20"})
    void rateOfBlocksShouldBeWeighedByPoisson(double bitsPerKey, int k) {
        double mean = 512 / bitsPerKey;
        double probability = Math.exp(-mean);
        double rate = 0;
        for (int keys = 0; keys < 3000; keys++) {
            rate += probability * Math.pow(1 - Math.pow(1 - 1 / 512.0, k * keys), k);
            probability *= mean / (keys + 1);
        }
        double relative = FilterMath.blockedRate(bitsPerKey, k) / rate;
        assertThat(relative).isCloseTo(1, within(1e-6));
    }
}
