package io.github.senderwhitelist.filter;

/**
 * The textbook Bloom filter (B. H. Bloom 1970). It never denies a key that was added, and takes a
 * stranger for one with the rate {@link FilterMath#classicRate}: 2.16 % at 8 bits a key. A key has
 * k positions anywhere in m bits, so an answer costs up to k cache misses.
 *
 * <p>The positions come from one hash by double hashing (A. Kirsch, M. Mitzenmacher, "Less hashing,
 * same performance", 2006), reduced to [0, m) by multiplication instead of division.
 *
 * <p>Serial form: bit i of the filter is bit i mod 64 of word i / 64.
 */
final class ClassicFilter extends Filter {
    private final long m;
    private final int k;

    ClassicFilter(FilterShape shape) {
        super(shape);
        this.m = shape.m();
        this.k = shape.k();
    }

    @Override
    public boolean mightContain(long hash) {
        long step = remix(hash) | 1;
        long point = hash;
        for (int i = 0; i < k; i++) {
            long bit = Math.unsignedMultiplyHigh(point, m);
            if ((words[FIRST + (int) (bit >>> 6)] >>> bit & 1) == 0) {
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
            words[FIRST + (int) (bit >>> 6)] |= 1L << bit;
            point += step;
        }
    }
}
