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
        // the bits.
        if (k == 5) {
            // The best k at 8 bits per address, where the filter is larger than any cache: without
            // a loop, and the answer a bit rather than a branch.
            return (bit(base, positions)
                            & bit(base, positions << POSITION_BITS)
                            & bit(base, positions << (2 * POSITION_BITS))
                            & bit(base, positions << (3 * POSITION_BITS))
                            & bit(base, positions << (4 * POSITION_BITS))
                            & 1)
                    != 0;
        }
        long all = 1;
        for (int left = k; left > 0; left -= PER_MIX) {
            long next = positions;
            for (int i = Math.min(left, PER_MIX); i > 0; i--) {
                all &= bit(base, next);
                next <<= POSITION_BITS;
            }
            positions = remix(positions);
        }
        return all != 0;
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
        return (int) Math.unsignedMultiplyHigh(hash, blocks) * WORDS + ORIGIN;
    }
}
