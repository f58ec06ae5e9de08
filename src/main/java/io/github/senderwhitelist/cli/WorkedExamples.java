package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterMath;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;

import java.io.PrintWriter;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * The examples that textbooks on Bloom filters work out by hand, computed by the code that filters
 * use.
 */
final class WorkedExamples {
    private static final double[] BITS = {0.5, 1, 2, 3, 4, 5, 8, 16};

    private final PrintWriter out;

    WorkedExamples(PrintWriter out) {
        this.out = out;
    }

    void print() {
        atBits(1000, 8);
        atBits(1000, 16);
        line("the least p for so many bits per address, (1/2)^(m/n * ln 2):");
        for (double bits : BITS) {
            line("  m/n = %4.1f  p = %.5f", bits, FilterMath.optimalRate(bits));
        }
        double bits = FilterMath.bitsPerKey(0.01);
        line(
                "p = 1 %%: %.3f bits per address, k = %d; no filter does with less than %.3f",
                bits, FilterMath.bestClassicK(bits), FilterMath.floorBitsPerKey(0.01));
        FilterShape billion = FilterSize.ofBitsPerKey(8).shape(FilterKind.CLASSIC, 1_000_000_000);
        line(
                "n = 10^9 addresses of 20 bytes, %s of text: m = %d, %s, k = %d, p = %s",
                Numbers.bytes(20_000_000_000L),
                billion.m(),
                Numbers.bytes(billion.bytes()),
                billion.k(),
                Numbers.percent(billion.rate(1_000_000_000)));
        toys();
    }

    private void atBits(long n, int bits) {
        int k = FilterMath.bestClassicK(bits);
        line(
                "n = %d, m = %d: k = m/n * ln 2 = %.3f, better of its neighbours %d, p = %s",
                n,
                n * bits,
                FilterMath.optimalK(bits),
                k,
                Numbers.percent(FilterMath.classicRate((double) n, (double) n * bits, k)));
    }

    private void toys() {
        List<IntUnaryOperator> three =
                List.of(x -> (x + 3) % 10, x -> (3 * x + 1) % 10, x -> (x * x + 2) % 10);
        BitSet bits = new BitSet();
        IntStream.of(2, 4, 9).forEach(x -> three.forEach(hash -> bits.set(hash.applyAsInt(x))));
        line("a toy of 10 bits, h1 = x + 3, h2 = 3x + 1, h3 = x^2 + 2 (mod 10), holding 2, 4, 9:");
        line("  bits set: %s", bits);
        for (int x : new int[] {4, 7, 12}) {
            List<Integer> positions = three.stream().map(hash -> hash.applyAsInt(x)).toList();
            boolean maybe = positions.stream().allMatch(bits::get);
            line("  %d: bits %s, %s", x, positions, maybe ? "maybe" : "certainly not");
        }
        line(
                "a toy of 11 bits, h1 the bits at odd places, h2 those at even places (mod 11): 159"
                        + " sets %d and %d",
                everySecondBit(159) % 11, everySecondBit(159 >> 1) % 11);
    }

    private static int everySecondBit(int x) {
        return x == 0 ? 0 : (x & 1) | everySecondBit(x >> 2) << 1;
    }

    private void line(String format, Object... values) {
        out.printf(Locale.ROOT, format + "%n", values);
    }
}
