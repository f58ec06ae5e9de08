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
 * of a remixed hash, seven to a word; k &gt; 7 remixes again. Positions are independent: double
 * hashing would repeat patterns within so small a block and raise the rate.
 */
final class BlockedFilter extends BloomFilter {
    /** Bits of a block. */
    static final int BLOCK = 512;

    private static final int WORDS = BLOCK / Long.SIZE;
    private static final int POSITION_BITS = 9;
    private static final int PER_REMIX = Long.SIZE / POSITION_BITS;

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
        long source = hash;
        for (int left = k; left > 0; left -= PER_REMIX) {
            source = remix(source);
            long positions = source;
            long all = 1;
            // No early exit: the line is one memory access, and a branch per bit would cost more
            // than the bits.
            for (int i = Math.min(left, PER_REMIX); i > 0; i--) {
                int bit = (int) (positions >>> (Long.SIZE - POSITION_BITS));
                all &= words[base + (bit >>> 6)] >>> bit;
                positions <<= POSITION_BITS;
            }
            if (all == 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void add(long hash) {
        int base = block(hash);
        long source = hash;
        for (int left = k; left > 0; left -= PER_REMIX) {
            source = remix(source);
            long positions = source;
            for (int i = Math.min(left, PER_REMIX); i > 0; i--) {
                int bit = (int) (positions >>> (Long.SIZE - POSITION_BITS));
                words[base + (bit >>> 6)] |= 1L << bit;
                positions <<= POSITION_BITS;
            }
        }
    }

    private int block(long hash) {
        return (int) Math.unsignedMultiplyHigh(hash, blocks) * WORDS;
    }
}
