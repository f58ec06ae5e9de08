package io.github.senderwhitelist.filter;

import static io.github.senderwhitelist.filter.FilterTest.hashes;
import static io.github.senderwhitelist.filter.FilterTest.positives;
import static io.github.senderwhitelist.filter.FilterTest.requireAll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.tools.Extent;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.LongBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;

@Tag("more")
class RibbonFilterTest {
    /** Only one of so many small sets is built. */
    private static final int STEP = Extent.of(7, 1, 1);

    private static final int[] KS = {7, 8, 9, 10, 12, 15, 21, 31};

    @TempDir Path folder = Path.of("made by JUnit");

    private Filter filled(FilterShape shape, long... hashes) throws IOException {
        return FilterTest.filled(folder, shape, 1 << 24, hashes);
    }

    @ParameterizedTest
    @CsvSource({"7.25, 0.0078125", "8, 0.005", "11, 0.001"})
    void rateShouldBeVeryLowForTheBits(double bits, double rate) throws IOException {
        int n = 1_000_000;
        FilterShape shape = FilterSize.ofBitsPerKey(bits).shape(FilterKind.RIBBON, n);
        assertThat((double) shape.m() / n).isBetween(0.99 * bits, bits);
        assertThat(shape.rate(n)).isLessThanOrEqualTo(rate);
        double positives = positives(filled(shape, hashes(71, n)), 4_000_000, 72);
        assertThat(positives / 4_000_000).isCloseTo(shape.rate(n), within(0.025 * rate));
    }

    @Test
    void buildShouldReportHowFarItIs() throws IOException {
        int n = 100_000;
        FilterShape shape = FilterSize.ofRate(0.01).shape(FilterKind.RIBBON, n);
        List<Long> told = new ArrayList<>();
        try (FilterFiller filler =
                new FilterFiller(shape, 1 << 20, new Scratch(Disk.LOCAL, folder))) {
            for (long hash : hashes(71, n)) {
                filler.add(hash);
            }
            filler.finish(told::add);
        }
        assertThat(told).isSorted().hasSizeGreaterThan(100).endsWith((long) n);
    }

    /** With more bits or a lower rate, lines of the next k take the place of more and more. */
    @Test
    void planShouldMeetAnyNumberOfBits() {
        int n = 10_000_000;
        double last = 1;
        for (double bits = 7.3; bits < 36; bits += 0.1) {
            FilterShape shape = FilterSize.ofBitsPerKey(bits).shape(FilterKind.RIBBON, n);
            assertThat((double) shape.m() / n).isBetween(bits - 0.08, bits);
            assertThat(shape.rate(n)).isLessThan(last);
            last = shape.rate(n);
            FilterShape byRate = FilterSize.ofRate(last * 1.000001).shape(FilterKind.RIBBON, n);
            assertThat(byRate).isEqualTo(shape);
        }
    }

    /**
     * A filter of a few keys takes one line, and one of a thousand a quarter more than one of many.
     */
    @ParameterizedTest
    @CsvSource({"1, 1", "50, 1", "100, 3", "300, 6", "1000, 18", "2000, 34"})
    void filterShouldBeSmallWhenThereIsLittle(int n, int lines) {
        FilterShape shape = FilterSize.ofRate(0.01).shape(FilterKind.RIBBON, n);
        assertThat(shape.m() / FilterShape.STEP).isEqualTo(lines);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.01, 0.003, 0.001, 1e-5})
    void everySmallSetShouldBeContained(double p) throws IOException {
        int positives = 0;
        for (int n = 0; n <= 2000; n += STEP) {
            long[] hashes = hashes(n, n);
            Filter filter = filled(FilterSize.ofRate(p).shape(FilterKind.RIBBON, n), hashes);
            requireAll(filter, hashes);
            positives += positives(filter, 3000, 3000 + n);
        }
        assertThat(positives * STEP / 6e6).isLessThan(p);
    }

    /** With more keys than planned the rate rises, but no key is lost. */
    @ParameterizedTest
    @ValueSource(ints = {1100, 1500, 3000, 10_000, 100_000})
    void mightContainShouldDenyNoMemberWhenTheFilterIsTooFull(int n) throws IOException {
        for (int k : KS) {
            FilterShape shape =
                    FilterSize.ofRate(Math.max(1e-9, Math.pow(2, -k)))
                            .shape(FilterKind.RIBBON, 1000);
            requireAll(filled(shape, hashes(73, n)), hashes(73, n));
        }
    }

    /** Hashes with few different bits fall into a few lines or have equal equations. */
    @Test
    void mightContainShouldDenyNoMemberWhenHashesArePoor() throws IOException {
        LongUnaryOperator[] poor = {
            i -> i,
            i -> -i,
            i -> i << 44,
            i -> i << 32,
            i -> i << 20 | 1,
            i -> i * 0x0001_0001_0001_0001L,
            i -> (i & 0xff) << 56 | i,
            i -> Long.rotateLeft(1L << (i & 63) | 1L << (i >> 6 & 63), (int) (i >> 12)),
        };
        int n = 30_000;
        for (LongUnaryOperator hash : poor) {
            long[] hashes = LongStream.range(0, n).map(hash).toArray();
            for (double bits : new double[] {7.25, 8, 9.5, 38}) {
                for (int planned : new int[] {n, 3, 150_000}) {
                    FilterShape shape =
                            FilterSize.ofBitsPerKey(bits).shape(FilterKind.RIBBON, planned);
                    requireAll(filled(shape, hashes), hashes);
                }
            }
        }
    }

    /** The lines of no keys are 0, but no fingerprint is. */
    @Test
    void linesWithoutKeysShouldContainNothing() throws IOException {
        for (int k : KS) {
            long[] hashes = LongStream.of(hashes(74, 300)).map(hash -> hash >>> 2).toArray();
            Filter filter = filled(shape(k, 1, 100), hashes);
            requireAll(filter, hashes);
            SplittableRandom random = new SplittableRandom(76);
            for (int i = 0; i < 10_000; i++) {
                assertThat(filter.mightContain(random.nextLong() | Long.MIN_VALUE)).isFalse();
            }
        }
    }

    private FilterShape shape(int k, int rows, long lines) {
        return new FilterShape(FilterKind.RIBBON, lines * FilterShape.STEP, k, rows);
    }

    @ParameterizedTest
    @CsvSource({"6, 1", "11, 1", "7, 257", "31, 2"})
    void shapeShouldBeRefusedWhenThereAreNoSuchLines(int k, int rows) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shape(k, rows, 100))
                .withMessageContainingAll("ribbon", "allowed: k of 7, 8, 9");
    }

    /** Whatever the words are, an answer is given. */
    @Test
    void mightContainShouldAnswerWhenWordsAreForged() {
        SplittableRandom random = new SplittableRandom(75);
        for (int k : KS) {
            for (long lines : new long[] {1, 2, 9, 1000}) {
                FilterShape shape = shape(k, k == 31 ? 1 : 1 + random.nextInt(256), lines);
                Filter filter = shape.create();
                int words = (int) (shape.m() / Long.SIZE);
                for (LongUnaryOperator word :
                        new LongUnaryOperator[] {i -> -1, i -> random.nextLong(), i -> ~i}) {
                    filter.read(0, LongBuffer.wrap(LongStream.range(0, words).map(word).toArray()));
                    positives(filter, 1000, k);
                    for (long hash : new long[] {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
                        assertThat(filter.mightContain(hash)).isIn(true, false);
                    }
                }
            }
        }
    }
}
