package io.github.senderwhitelist.coding;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

class OrderedLengthsTest {

    @Test
    void shouldGiveACompleteCodeInOrderWithinTheLimit() {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 500; round++) {
            int most = 3 + random.nextInt(4);
            int size = 2 + random.nextInt((1 << most) - 1);
            int[] counts = CodeLengthsTest.counts(random, size);
            byte[] lengths = OrderedLengths.of(counts, most);
            int space = 0;
            for (byte length : lengths) {
                assertThat((int) length).isBetween(1, most);
                assertThat(space % (1 << (most - length))).isZero();
                space += 1 << (most - length);
            }
            assertThat(space).isEqualTo(1 << most);
        }
    }

    @Test
    void shouldFindTheShortestOfAllCodes() {
        SplittableRandom random = new SplittableRandom(2);
        for (int round = 0; round < 300; round++) {
            int most = 2 + random.nextInt(3);
            int[] counts = new int[2 + random.nextInt(Math.min(6, (1 << most) - 1))];
            for (int symbol = 0; symbol < counts.length; symbol++) {
                counts[symbol] = random.nextInt(1 << random.nextInt(12));
            }
            byte[] lengths = OrderedLengths.of(counts, most);
            long bits = 0;
            for (int symbol = 0; symbol < counts.length; symbol++) {
                bits += (long) counts[symbol] * lengths[symbol];
            }
            assertThat(bits).isEqualTo(least(counts, most, 0, 0));
        }
    }

    /** Tries all lengths for the symbols from one on, of which so much space is taken before. */
    private static long least(int[] counts, int most, int symbol, int taken) {
        if (symbol == counts.length) {
            return taken == 1 << most ? 0 : Integer.MAX_VALUE;
        }
        long least = Integer.MAX_VALUE;
        for (int length = 1; length <= most; length++) {
            int space = 1 << (most - length);
            if (taken % space == 0 && taken + space <= 1 << most) {
                long rest = least(counts, most, symbol + 1, taken + space);
                least = Math.min(least, (long) counts[symbol] * length + rest);
            }
        }
        return least;
    }
}
