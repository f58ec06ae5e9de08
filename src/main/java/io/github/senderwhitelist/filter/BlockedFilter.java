package io.github.senderwhitelist.filter;

/**
 * A Bloom filter of blocks of 512 bits, one cache line each: the hash chooses a block, then k bits
 * within it, so that an answer costs one memory access. The price is a slightly higher rate for the
 * same m, because blocks fill unevenly.
 *
 * <p>Source: F. Putze, P. Sanders, J. Singler, "Cache-, hash- and space-efficient Bloom filters"
 * (2007).
 *
 * <p>The block is the high part of hash · blocks. The positions are 9 bits each, taken from the top
 * of hash · a constant (mod 2^64), seven to a word; k &gt; 7 remixes that word. Positions are
 * independent: double hashing would repeat patterns within so small a block and raise the rate.
 */
final class BlockedFilter extends BloomFilter {
    /** Bits of a block. */
    static final int BLOCK = 512;

    private static final int WORDS = BLOCK / Long.SIZE;
    private static final int POSITION_BITS = 9;
    private static final int PER_MIX = Long.SIZE / POSITION_BITS;

    /** An odd number without pattern. Part of the snapshot format. */
    private static final long MULTIPLIER = 0xd6e8feb86659fd93L;

    private final long blocks;
    private final int k;

    BlockedFilter(long m, int k) {
        super(new FilterShape(FilterKind.BLOCKED, m, k));
        this.blocks = m / BLOCK;
        this.k = k;
    }

    @Override
    public boolean mightContain(long hash) {
        int base = block(hash);
        long positions = positions(hash);
        // No early exit: the line is one memory access, and a branch per bit would cost more than
        // the bits. The usual k go without a loop: their branches are always the same.
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

    /** The lowest bit says whether the first {@code count} positions of a word are all set. */
    private long all(int base, long positions, int count) {
        long all = 1;
        long next = positions;
        for (int i = 0; i < count; i++) {
            all &= bit(base, next);
            next <<= POSITION_BITS;
        }
        return all;
    }

    /** The bit at the position on top of {@code positions}, and other bits above it. */
    private long bit(int base, long positions) {
        int position = top(positions);
        return words[base + (position >>> 6)] >>> position;
    }

    @Override
    public void add(long hash) {
        int base = block(hash);
        long positions = positions(hash);
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

    /** The first positions, topmost first. The top of a product depends on all bits of the hash. */
    private static long positions(long hash) {
        return hash * MULTIPLIER;
    }

    private int block(long hash) {
        return (int) Math.unsignedMultiplyHigh(hash, blocks) * WORDS + Words.FIRST;
    }
}
