package io.github.senderwhitelist.bench;

import io.github.senderwhitelist.filter.FilterMath;
import io.github.senderwhitelist.tools.Mix;

import org.fastfilter.Filter;

import java.util.ArrayList;
import java.util.List;

/**
 * A Bloom filter that grows. When half of the bits of the newest row are set, a row for twice the
 * keys with half the rate is put beside it. So the rate of all rows together stays below twice that
 * of the first, however many there are.
 *
 * <p>Source: P. S. Almeida, C. Baquero, N. Preguiça, D. Hutchison, "Scalable Bloom filters" (2007),
 * with growth 2 and tightening 1/2.
 */
final class ScalableFilter implements Filter {
    private static final double LN2 = Math.log(2);

    private final List<Row> rows = new ArrayList<>();

    /** A classic filter with double hashing, which knows how many of its bits are set. */
    private static final class Row {
        final long m;
        final int k;
        final long[] words;
        long keys;
        private long set;

        /** Makes a row of which n keys set half of the bits, six deviations aside. */
        Row(double n, int k) {
            double bits = n * k / LN2;
            this.m = (long) Math.ceil((bits + 6 * Math.sqrt(bits)) / Long.SIZE) * Long.SIZE;
            this.k = k;
            this.words = new long[Math.toIntExact(m / Long.SIZE)];
        }

        boolean mayContain(long hash, long step) {
            long point = hash;
            for (int i = 0; i < k; i++) {
                long bit = Math.unsignedMultiplyHigh(point, m);
                if ((words[(int) (bit >>> 6)] >>> bit & 1) == 0) {
                    return false;
                }
                point += step;
            }
            return true;
        }

        void add(long hash, long step) {
            long point = hash;
            for (int i = 0; i < k; i++) {
                long bit = Math.unsignedMultiplyHigh(point, m);
                int word = (int) (bit >>> 6);
                set += (~words[word] >>> bit) & 1;
                words[word] |= 1L << bit;
                point += step;
            }
            keys++;
        }

        boolean isFull() {
            return set >= m / 2;
        }
    }

    /** Makes an empty filter whose first row is for n keys with about so many bits each. */
    static ScalableFilter of(long n, double bitsPerKey) {
        ScalableFilter filter = new ScalableFilter();
        filter.rows.add(new Row((double) n, Math.max(1, (int) (Math.log(2) * bitsPerKey))));
        return filter;
    }

    /** Returns the rate of all rows together. */
    double rate() {
        double none = 1;
        for (Row row : rows) {
            none *= 1 - FilterMath.classicRate((double) row.m / (double) row.keys, row.k);
        }
        return 1 - none;
    }

    private static long step(long hash) {
        return Mix.of(hash) | 1;
    }

    @Override
    public boolean mayContain(long hash) {
        long step = step(hash);
        for (int i = rows.size() - 1; i >= 0; i--) {
            if (rows.get(i).mayContain(hash, step)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean supportsAdd() {
        return true;
    }

    @Override
    public void add(long hash) {
        // A key that the filter already answers true for needs no bits.
        if (mayContain(hash)) {
            return;
        }
        Row newest = rows.getLast();
        if (newest.isFull()) {
            newest = new Row(2 * (double) newest.m * LN2 / newest.k, newest.k + 1);
            rows.add(newest);
        }
        newest.add(hash, step(hash));
    }

    @Override
    public long getBitCount() {
        return rows.stream().mapToLong(row -> row.m).sum();
    }
}
