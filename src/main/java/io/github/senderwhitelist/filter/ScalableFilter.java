package io.github.senderwhitelist.filter;

import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * A Bloom filter that grows. When half of the bits of the newest row are set, a row for twice the
 * keys with half the rate is put beside it. So the rate of all rows together stays below twice that
 * of the first, however many there are.
 *
 * <p>Source: P. S. Almeida, C. Baquero, N. Preguiça, D. Hutchison, "Scalable Bloom filters" (2007),
 * with growth 2 and tightening 1/2.
 *
 * <p>A row is a classic filter. Row i has the size that {@link GrowthRows} gives it, and k + i
 * positions by double hashing, at most {@value FilterShape#MAX_K}.
 *
 * <p>Serial form: the words of the rows, the oldest first.
 */
final class ScalableFilter implements UpdatableFilter {
    /** With more positions in the first row, later rows would run out of them. */
    static final int MOST_K = 25;

    private static final double LN2 = Math.log(2);

    private volatile Row[] rows;

    /** One of the classic filters. */
    private static final class Row {
        final long m;
        final int k;
        final long[] words;

        /** The number of bits set, or -1 if they were not counted. */
        long set = -1;

        Row(long m, int k) {
            this.m = m;
            this.k = Math.min(k, FilterShape.MAX_K);
            this.words = Words.allocate(m);
        }

        boolean mightContain(long hash, long step) {
            return Words.hasAll(words, m, k, hash, step);
        }

        void add(long hash, long step) {
            long point = hash;
            for (int i = 0; i < k; i++) {
                long bit = Math.unsignedMultiplyHigh(point, m);
                int word = Words.FIRST + (int) (bit >>> 6);
                set += (~words[word] >>> bit) & 1;
                words[word] |= 1L << bit;
                point += step;
            }
        }

        boolean isFull() {
            if (set < 0) {
                set = Arrays.stream(words).mapToInt(Long::bitCount).asLongStream().sum();
            }
            return set >= m / 2;
        }
    }

    ScalableFilter(FilterShape shape) {
        long[] sizes = GrowthRows.of(shape.m(), shape.k(), shape.rows());
        Row[] made = new Row[sizes.length];
        Arrays.setAll(made, i -> new Row(sizes[i], shape.k() + i));
        this.rows = made;
    }

    /** Plans the first row; the keys are assumed to fill one row after the other. */
    static final class Design implements FilterDesign {
        @Override
        public FilterShape plan(FilterSize size, long n) {
            // One position more, since the rate of all rows together is up to twice the first's.
            int k =
                    size.byRate()
                            ? size.fingerprintBits(FilterKind.SCALABLE, MOST_K, 1)
                            : size.greatestK(MOST_K, n, Design::bits);
            return new FilterShape(
                    FilterKind.SCALABLE, FilterShape.roundUp(bits((double) n, k)), k);
        }

        /** Returns the bits with which n keys set at most half of them, six deviations aside. */
        private static double bits(double n, int k) {
            double bits = n * k / LN2;
            return bits + 6 * Math.sqrt(bits);
        }

        @Override
        public double rate(double n, FilterShape shape) {
            long[] sizes = GrowthRows.of(shape.m(), shape.k(), shape.rows());
            double left = n;
            double none = 1;
            for (int i = 0; i < sizes.length; i++) {
                int k = Math.min(shape.k() + i, FilterShape.MAX_K);
                double here = i == sizes.length - 1 ? left : Math.min(left, sizes[i] * LN2 / k);
                left -= here;
                none *= 1 - FilterMath.classicRate(here, (double) sizes[i], k);
            }
            return 1 - none;
        }

        @Override
        public double reads(FilterShape shape) {
            return (double) shape.k() * shape.rows();
        }

        @Override
        public Filter create(FilterShape shape) {
            return new ScalableFilter(shape);
        }

        @Override
        public String brokenLimit(long m, int k, int rows) {
            return k <= MOST_K ? GrowthRows.brokenLimit(m, k, rows) : "k of 1 to " + MOST_K;
        }

        @Override
        public boolean grows() {
            return true;
        }
    }

    @Override
    public boolean mightContain(long hash) {
        return mightContain(rows, hash, Words.remix(hash) | 1);
    }

    private static boolean mightContain(Row[] rows, long hash, long step) {
        for (int i = rows.length - 1; i >= 0; i--) {
            if (rows[i].mightContain(hash, step)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void add(long hash) {
        Row[] now = rows;
        long step = Words.remix(hash) | 1;
        // A hash that the filter already answers true for needs no bits.
        if (mightContain(now, hash, step)) {
            return;
        }
        if (now[now.length - 1].isFull()) {
            Row[] more = Arrays.copyOf(now, now.length + 1);
            long size = GrowthRows.row(now[0].m, now[0].k, now.length);
            // Throws if the filter would be too large.
            new FilterShape(FilterKind.SCALABLE, shape().m() + size, now[0].k, more.length);
            more[now.length] = new Row(size, now[0].k + now.length);
            more[now.length].set = 0;
            rows = more;
            now = more;
        }
        now[now.length - 1].add(hash, step);
    }

    @Override
    public FilterShape shape() {
        Row[] now = rows;
        long m = Arrays.stream(now).mapToLong(row -> row.m).sum();
        return new FilterShape(FilterKind.SCALABLE, m, now[0].k, now.length);
    }

    private long[][] words() {
        return Arrays.stream(rows).map(row -> row.words).toArray(long[][]::new);
    }

    @Override
    public void write(long first, LongBuffer into) {
        Words.write(first, into, words());
    }

    @Override
    public void read(long first, LongBuffer from) {
        Words.read(first, from, words());
        for (Row row : rows) {
            row.set = -1;
        }
    }
}
