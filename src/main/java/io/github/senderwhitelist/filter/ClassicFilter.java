package io.github.senderwhitelist.filter;

/**
 * The textbook Bloom filter: a key has k positions anywhere in m bits, so an answer costs up to k
 * cache misses.
 *
 * <p>The positions come from one hash by double hashing (A. Kirsch, M. Mitzenmacher, "Less hashing,
 * same performance", 2006), reduced to [0, m) by multiplication instead of division.
 */
final class ClassicFilter extends BloomFilter {
    private final long m;
    private final int k;

    ClassicFilter(FilterShape shape) {
        super(shape);
        this.m = shape.m();
        this.k = shape.k();
    }

    /** Takes the best k for the bits per key. */
    static final class Design implements FilterDesign {
        @Override
        public FilterShape plan(FilterSize size, long n) {
            double bits = size.bitsPerKey(FilterKind.CLASSIC, Design::bestRate);
            return new FilterShape(
                    FilterKind.CLASSIC,
                    FilterShape.roundUp(bits * n),
                    FilterMath.bestClassicK(bits));
        }

        private static double bestRate(double bits) {
            return FilterMath.classicRate(bits, FilterMath.bestClassicK(bits));
        }

        @Override
        public double rate(double n, FilterShape shape) {
            return FilterMath.classicRate(n, (double) shape.m(), shape.k());
        }

        @Override
        public Filter create(FilterShape shape) {
            return new ClassicFilter(shape);
        }
    }

    @Override
    public boolean mightContain(long hash) {
        long step = Words.remix(hash) | 1;
        long point = hash;
        for (int i = 0; i < k; i++) {
            long bit = Math.unsignedMultiplyHigh(point, m);
            if ((words[Words.FIRST + (int) (bit >>> 6)] >>> bit & 1) == 0) {
                return false;
            }
            point += step;
        }
        return true;
    }

    @Override
    public void add(long hash) {
        long step = Words.remix(hash) | 1;
        long point = hash;
        for (int i = 0; i < k; i++) {
            long bit = Math.unsignedMultiplyHigh(point, m);
            words[Words.FIRST + (int) (bit >>> 6)] |= 1L << bit;
            point += step;
        }
    }
}
