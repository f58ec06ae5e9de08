package io.github.senderwhitelist.filter;

/**
 * The textbook Bloom filter: k positions anywhere in m bits, so up to k cache misses per answer.
 *
 * <p>The positions come from one hash by double hashing (A. Kirsch, M. Mitzenmacher, "Less hashing,
 * same performance", 2006), reduced to [0, m) by multiplication instead of division.
 */
final class ClassicFilter extends BloomFilter {
    private final long m;
    private final int k;

    ClassicFilter(long m, int k) {
        super(new FilterShape(FilterKind.CLASSIC, m, k));
        this.m = m;
        this.k = k;
    }

    @Override
    public boolean mightContain(long hash) {
        long step = remix(hash) | 1;
        long point = hash;
        for (int i = 0; i < k; i++) {
            long bit = Math.unsignedMultiplyHigh(point, m);
            if ((words[ORIGIN + (int) (bit >>> 6)] >>> bit & 1) == 0) {
                return false;
            }
            point += step;
        }
        return true;
    }

    @Override
    public void add(long hash) {
        long step = remix(hash) | 1;
        long point = hash;
        for (int i = 0; i < k; i++) {
            long bit = Math.unsignedMultiplyHigh(point, m);
            words[ORIGIN + (int) (bit >>> 6)] |= 1L << bit;
            point += step;
        }
    }
}
