package io.github.senderwhitelist.coding;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.util.SplittableRandom;

class ContextCountsTest {
    private static final int CONTEXTS = 40;
    private static final int SYMBOLS = 30;

    private final int[][] counted = new int[CONTEXTS][SYMBOLS];
    private final ContextCounts counts = new ContextCounts(CONTEXTS, SYMBOLS);

    private void add(int context, int symbol, int times) {
        counted[context][symbol] += times;
        counts.add(context, symbol, times);
    }

    /** Counts symbols of which a quarter of the contexts each prefer others. */
    private void addSome(int seed, int count) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < count; i++) {
            int context = random.nextInt(CONTEXTS);
            int symbol =
                    (random.nextInt(1 + random.nextInt(SYMBOLS)) + 7 * (context % 4)) % SYMBOLS;
            add(context, symbol, 1);
        }
    }

    private static int[] groups(int most) {
        int[] groups = new int[CONTEXTS];
        for (int context = 0; context < CONTEXTS; context++) {
            groups[context] = context % most;
        }
        return groups;
    }

    private static byte[] serial(ContextCode code) {
        ByteArrayOutputStream serial = new ByteArrayOutputStream();
        code.write(serial);
        return serial.toByteArray();
    }

    private static int tables(ContextCode code) {
        return serial(code)[0];
    }

    /** Returns the bits that all symbols counted take, each of which must have a code. */
    private long bits(ContextCode code) {
        BitWriter out = new BitWriter(4);
        long bits = 0;
        for (int context = 0; context < CONTEXTS; context++) {
            for (int symbol = 0; symbol < SYMBOLS; symbol++) {
                if (counted[context][symbol] > 0) {
                    assertThat(code.write(out, context, symbol)).isTrue();
                    bits += (long) counted[context][symbol] * out.position();
                    out.truncate(0);
                }
            }
        }
        return bits;
    }

    private static void requireAlways(ContextCode code, int always) {
        BitWriter out = new BitWriter(CONTEXTS);
        for (int context = 0; context < CONTEXTS; context++) {
            assertThat(code.write(out, context, always)).isTrue();
        }
    }

    @Test
    void shouldHaveOnlyOneSymbolWhenNothingWasCounted() {
        ContextCode code = counts.code(groups(5), 5, 3);
        assertThat(tables(code)).isEqualTo(1);
        requireAlways(code, 3);
    }

    @Test
    void shouldGiveContextsThatWereNotCountedTheTableOfTheMost() {
        add(1, 5, 10);
        add(2, 6, 1000);
        add(2, 7, 1000);
        ContextCode code = counts.code(groups(CONTEXTS), CONTEXTS, 6);
        BitWriter out = new BitWriter(CONTEXTS);
        for (int context = 0; context < CONTEXTS; context++) {
            if (context != 1) {
                assertThat(code.write(out, context, 7)).isTrue();
            }
        }
        requireAlways(code, 6);
        bits(code);
    }

    @Test
    void shouldHaveACodeForAllThatWasCountedAndOne() {
        for (int seed = 0; seed < 20; seed++) {
            addSome(seed, 100 << seed % 8);
            for (int most : new int[] {1, 2, 5, CONTEXTS}) {
                ContextCode code = counts.code(groups(most), most, seed);
                assertThat(tables(code)).isBetween(1, most);
                requireAlways(code, seed);
                bits(code);
            }
        }
    }

    @Test
    void shouldMakeTheSameCodeOfTheSameCounts() {
        addSome(1, 20_000);
        ContextCounts same = new ContextCounts(CONTEXTS, SYMBOLS);
        for (int context = CONTEXTS - 1; context >= 0; context--) {
            for (int symbol = SYMBOLS - 1; symbol >= 0; symbol--) {
                for (int times = counted[context][symbol]; times > 0; times--) {
                    same.add(context, symbol);
                }
            }
        }
        assertThat(serial(same.code(groups(9), 9, 0)))
                .isEqualTo(serial(counts.code(groups(9), 9, 0)));
    }

    @Test
    void shouldBeShorterWithTablesThanWithOneForAll() {
        addSome(2, 40_000);
        long one = bits(counts.code(new int[CONTEXTS], 1, 0));
        ContextCode code = counts.code(groups(8), 8, 0);
        // Contexts that prefer the same symbols share tables.
        assertThat(tables(code)).isLessThanOrEqualTo(8);
        assertThat(bits(code)).isLessThan(one - one / 20);
    }
}
