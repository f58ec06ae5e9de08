package io.github.senderwhitelist.filter;

/**
 * A Bloom filter of blocks of 512 bits, one cache line each. It never denies a key that was added,
 * and takes a stranger for one with the rate {@link FilterMath#blockedRate}: 2.34 % at 8 bits a
 * key. That is slightly more than a classic filter's, because blocks fill unevenly. The hash
 * chooses a block and k bits within it, so an answer costs one cache miss (Putze et al. 2007).
 *
 * <p>The number of the block is the high word of hash · blocks. The positions have 9 bits each and
 * are taken from the top of hash · a constant (mod 2^64), where each bit depends on the whole hash,
 * seven from a word. For the next seven the word is remixed. Double hashing would be cheaper, but
 * it repeats patterns within so small a block and so raises the rate.
 *
 * <p>Serial form: bit i of the filter is bit i mod 64 of word i / 64.
 */
final class BlockedFilter extends Filter {
    /** The bits of a block. */
    static final int BLOCK = 512;

    private static final int WORDS = BLOCK / Long.SIZE;
    private static final int POSITION_BITS = 9;
    private static final int PER_MIX = Long.SIZE / POSITION_BITS;

    /** An arbitrary odd number; it is part of the snapshot format. */
    private static final long MULTIPLIER = 0xd6e8feb86659fd93L;

    private final long blocks;
    private final int k;

    BlockedFilter(FilterShape shape) {
        super(shape);
        this.blocks = shape.m() / BLOCK;
        this.k = shape.k();
    }

    @Override
    public boolean mightContain(long hash) {
        int base = block(hash);
        long positions = hash * MULTIPLIER;
        // All bits are read even after one was 0: they lie in one cache line, and a branch for each
        // would cost more. The usual k do without a loop, so their branches are easily predicted.
        if (k < 4) {
            return (all(base, positions, k) & 1) != 0;
        }
        long all =
                bit(base, positions)
                        & bit(base, positions << POSITION_BITS)
                        & bit(base, positions << (2 * POSITION_BITS))
                        & bit(base, positions << (3 * POSITION_BITS));
        if (k > 4) {
            all &= bit(base, positions << (4 * POSITION_BITS));
        }
        if (k > 5) {
            all &= bit(base, positions << (5 * POSITION_BITS));
        }
        if (k > 6) {
            all &= bit(base, positions << (6 * POSITION_BITS));
        }
        for (int left = k - PER_MIX; left > 0; left -= PER_MIX) {
            positions = remix(positions);
            all &= all(base, positions, Math.min(left, PER_MIX));
        }
        return (all & 1) != 0;
    }

    /** Returns in the lowest bit whether the first {@code count} positions of a word are set. */
    private long all(int base, long positions, int count) {
        long all = 1;
        long next = positions;
        for (int i = 0; i < count; i++) {
            all &= bit(base, next);
            next <<= POSITION_BITS;
        }
        return all;
    }

    /** Returns the bit at the topmost position of {@code positions}, and other bits above it. */
    private long bit(int base, long positions) {
        int position = top(positions);
        return words[base + (position >>> 6)] >>> position;
    }

    @Override
    public void add(long hash) {
        int base = block(hash);
        long positions = hash * MULTIPLIER;
        for (int left = k; left > 0; left -= PER_MIX) {
            long next = positions;
            for (int i = Math.min(left, PER_MIX); i > 0; i--) {
                int position = top(next);
                words[base + (position >>> 6)] |= 1L << position;
                next <<= POSITION_BITS;
            }
            positions = remix(positions);
        }
    }

    private static int top(long positions) {
        return (int) (positions >>> (Long.SIZE - POSITION_BITS));
    }

    private int block(long hash) {
        return (int) Math.unsignedMultiplyHigh(hash, blocks) * WORDS + FIRST;
    }
}
