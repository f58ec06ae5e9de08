package io.github.senderwhitelist.coding;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.SplittableRandom;

class CodeLengthsTest {

    @Test
    void shouldGiveACompleteCodeToAllThatOccurWithinTheLimit() {
        SplittableRandom random = new SplittableRandom(1);
        for (int round = 0; round < 2000; round++) {
            int most = 3 + random.nextInt(6);
            int[] counts = counts(random, 1 + random.nextInt(1 << most));
            byte[] lengths = CodeLengths.of(counts, most);
            int occurring = 0;
            int space = 0;
            for (int symbol = 0; symbol < counts.length; symbol++) {
                occurring += counts[symbol] > 0 ? 1 : 0;
                space += lengths[symbol] == 0 ? 0 : 1 << (most - lengths[symbol]);
                assertThat((int) lengths[symbol]).isBetween(0, most);
            }
            assertThat(space).isEqualTo(occurring < 2 ? 0 : 1 << most);
            for (int symbol = 0; occurring > 1 && symbol < counts.length; symbol++) {
                assertThat(lengths[symbol] > 0).isEqualTo(counts[symbol] > 0);
            }
        }
    }

    /** Some symbols do not occur; the counts of the others differ as widely as they can. */
    static int[] counts(SplittableRandom random, int size) {
        int[] counts = new int[size];
        for (int symbol = 0; symbol < size; symbol++) {
            counts[symbol] =
                    random.nextInt(4) == 0 ? 0 : random.nextInt() >>> random.nextInt(1, 32);
        }
        return counts;
    }

    @Test
    void shouldFindTheShortestOfAllCodes() {
        SplittableRandom random = new SplittableRandom(2);
        for (int round = 0; round < 300; round++) {
            int most = 2 + random.nextInt(3);
            int[] counts = new int[2 + random.nextInt(Math.min(5, (1 << most) - 1))];
            for (int symbol = 0; symbol < counts.length; symbol++) {
                counts[symbol] = 1 + random.nextInt(1 << random.nextInt(12));
            }
            byte[] lengths = CodeLengths.of(counts, most);
            long bits = 0;
            for (int symbol = 0; symbol < counts.length; symbol++) {
                bits += (long) counts[symbol] * lengths[symbol];
            }
            assertThat(bits).isEqualTo(least(counts, most, 0, 1 << most));
        }
    }

    /** Tries all lengths for the symbols from one on, which share a space. */
    private static long least(int[] counts, int most, int symbol, int space) {
        if (symbol == counts.length) {
            return 0;
        }
        long least = Integer.MAX_VALUE;
        for (int length = 1; length <= most; length++) {
            int taken = 1 << (most - length);
            if (taken <= space) {
                long rest = least(counts, most, symbol + 1, space - taken);
                least = Math.min(least, (long) counts[symbol] * length + rest);
            }
        }
        return least;
    }

    @Test
    void shouldGiveNothingToNoneOrToOne() {
        assertThat(CodeLengths.of(new int[3], 8)).containsOnly(0);
        assertThat(CodeLengths.of(new int[] {0, 9, 0}, 8)).containsOnly(0);
    }
}
