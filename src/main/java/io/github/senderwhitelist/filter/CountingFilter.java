package io.github.senderwhitelist.filter;

import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * A counting Bloom filter: every bit has a counter from 0 to {@value #MAX_COUNT}, so that what was
 * added can be removed. A counter that reached {@value #MAX_COUNT} is never lowered, because it is
 * not known how often it was to be raised.
 *
 * <p>Source: L. Fan, P. Cao, J. Almeida, A. Broder, "Summary cache" (2000); counters kept apart
 * from the bits and in unary code as in F. Bonomi et al., "An improved construction for counting
 * Bloom filters" (2006).
 *
 * <p>Questions are answered by a {@link BlockedFilter} in one cache line, without the counters. The
 * counters of a block of 512 bits are a stream of 512 bits. It holds, for each bit of the block
 * that is set, in order, its counter c as c − 1 zeros and a one. Four bits for each counter would
 * take two to four times the memory.
 *
 * <p>A stream without room for another counter is frozen: it is filled with ones, and the bits of
 * its block stay set for good. k is chosen so low that this only happens to blocks with six
 * standard deviations more keys than the mean.
 *
 * <p>Serial form: the words of the blocks, then those of the streams.
 */
final class CountingFilter implements RemovableFilter {
    /** The highest count. */
    static final int MAX_COUNT = 15;

    private static final int BLOCK = BlockedFilter.BLOCK;
    private static final int WORDS = BLOCK / Long.SIZE;

    private final FilterShape shape;
    private final BlockedFilter bits;
    private final long blocks;
    private final long[] counters;

    /** A filter of one block; adding a hash to it yields the positions of the hash. */
    private final BlockedFilter one;

    private final long[] positions = new long[WORDS];
    private final Stream stream = new Stream();

    CountingFilter(FilterShape shape) {
        this.shape = shape;
        this.blocks = shape.m() / (2 * BLOCK);
        this.bits = blocked(blocks * BLOCK, shape.k());
        this.counters = new long[(int) (blocks * WORDS)];
        this.one = blocked(BLOCK, shape.k());
    }

    private static BlockedFilter blocked(long m, int k) {
        return new BlockedFilter(new FilterShape(FilterKind.BLOCKED, m, k));
    }

    /** Gives half of the bits to the blocks, half to the counters. */
    static final class Design implements FilterDesign {
        @Override
        public FilterShape plan(FilterSize size, long n) {
            double bits = size.bitsPerKey(FilterKind.COUNTING, all -> bestRate(all / 2)) / 2;
            return new FilterShape(
                    FilterKind.COUNTING, 2 * FilterShape.roundUp(bits * n), bestK(bits));
        }

        private static double bestRate(double bitsPerKey) {
            return FilterMath.blockedRate(bitsPerKey, bestK(bitsPerKey), BLOCK);
        }

        private static int bestK(double bitsPerKey) {
            return Math.min(FilterMath.bestBlockedK(bitsPerKey, BLOCK), mostK(bitsPerKey));
        }

        /** Returns the most positions that the counters of a block nearly always have room for. */
        private static int mostK(double bitsPerKey) {
            double keys = BLOCK / bitsPerKey;
            return Math.max(1, (int) (BLOCK / (keys + 6 * Math.sqrt(keys))));
        }

        @Override
        public double rate(double n, FilterShape shape) {
            return FilterMath.blockedRate((double) shape.m() / 2 / n, shape.k(), BLOCK);
        }

        @Override
        public Filter create(FilterShape shape) {
            return new CountingFilter(shape);
        }

        @Override
        public String brokenLimit(long m, int k, int rows) {
            return m % (2 * FilterShape.STEP) == 0 && rows == 1
                    ? ""
                    : "multiples of " + 2 * FilterShape.STEP + " bits, one row";
        }

        @Override
        public boolean removes() {
            return true;
        }
    }

    @Override
    public boolean mightContain(long hash) {
        return bits.mightContain(hash);
    }

    @Override
    public FilterShape shape() {
        return shape;
    }

    @Override
    public void add(long hash) {
        int base = locate(hash);
        if (!stream.load(base)) {
            for (int word = 0; word < WORDS; word++) {
                setBits(base + word, positions[word]);
            }
            return;
        }
        int set = 0;
        for (int word = 0; word < WORDS; word++) {
            for (long left = positions[word]; left != 0; left &= left - 1) {
                long bit = left & -left;
                long old = word(base, word);
                stream.raise(set + Long.bitCount(old & (bit - 1)), (old & bit) != 0);
                setBits(base + word, bit);
            }
            set += Long.bitCount(word(base, word));
        }
        stream.store(base);
    }

    @Override
    public boolean remove(long hash) {
        if (!bits.mightContain(hash)) {
            return false;
        }
        int base = locate(hash);
        if (!stream.load(base)) {
            return true;
        }
        int set = 0;
        for (int word = 0; word < WORDS; word++) {
            for (long left = positions[word]; left != 0; left &= left - 1) {
                long bit = left & -left;
                long old = word(base, word);
                if (stream.lower(set + Long.bitCount(old & (bit - 1)))) {
                    bits.words[Words.FIRST + base + word] = old & ~bit;
                }
            }
            set += Long.bitCount(word(base, word));
        }
        stream.store(base);
        return true;
    }

    /** Finds the positions of a hash and returns the first word of its block. */
    private int locate(long hash) {
        Arrays.fill(one.words, 0);
        one.add(hash);
        System.arraycopy(one.words, Words.FIRST, positions, 0, WORDS);
        return (int) Math.unsignedMultiplyHigh(hash, blocks) * WORDS;
    }

    private long word(int base, int word) {
        return bits.words[Words.FIRST + base + word];
    }

    private void setBits(int word, long set) {
        bits.words[Words.FIRST + word] |= set;
    }

    @Override
    public void write(long first, LongBuffer into) {
        int middle = counters.length;
        if (first < middle) {
            int count = (int) Math.min(into.remaining(), middle - first);
            bits.write(first, into.slice(into.position(), count));
            into.position(into.position() + count);
        }
        into.put(counters, (int) Math.max(0, first - middle), into.remaining());
    }

    @Override
    public void read(long first, LongBuffer from) {
        int middle = counters.length;
        if (first < middle) {
            int count = (int) Math.min(from.remaining(), middle - first);
            bits.read(first, from.slice(from.position(), count));
            from.position(from.position() + count);
        }
        from.get(counters, (int) Math.max(0, first - middle), from.remaining());
    }

    /** The counters of one block. */
    private final class Stream {
        private final long[] words = new long[WORDS];
        private int length;
        private boolean frozen;

        /** Loads the stream of a block; returns false if it is frozen. */
        boolean load(int base) {
            System.arraycopy(counters, base, words, 0, WORDS);
            length = 0;
            frozen = true;
            for (int word = 0; word < WORDS; word++) {
                frozen &= words[word] == -1;
                if (words[word] != 0) {
                    length = (word + 1) * Long.SIZE - Long.numberOfLeadingZeros(words[word]);
                }
            }
            return !frozen;
        }

        /** Writes the stream back. */
        void store(int base) {
            if (frozen) {
                Arrays.fill(words, -1);
            }
            System.arraycopy(words, 0, counters, base, WORDS);
        }

        /**
         * Raises the counter of that number if its bit was set before; else inserts a counter of 1
         * there.
         */
        void raise(int number, boolean there) {
            if (frozen) {
                return;
            }
            int start = start(number);
            if (there && count(start) == MAX_COUNT) {
                return;
            }
            if (length == BLOCK) {
                frozen = true;
                return;
            }
            insert(start, there ? 0 : 1);
        }

        /** Lowers the counter of that number; returns true if it was removed. */
        boolean lower(int number) {
            int start = start(number);
            int count = count(start);
            if (count < MAX_COUNT) {
                delete(start);
            }
            return count == 1;
        }

        /** Returns the bit at which the counter of that number begins. */
        private int start(int number) {
            int left = number;
            if (left == 0) {
                return 0;
            }
            int word = 0;
            for (int ones = Long.bitCount(words[0]); ones < left; ) {
                left -= ones;
                ones = Long.bitCount(words[++word]);
            }
            return word * Long.SIZE
                    + Long.numberOfTrailingZeros(Long.expand(1L << (left - 1), words[word]))
                    + 1;
        }

        /** Returns the counter that begins at that bit. */
        private int count(int start) {
            int at = start;
            while ((words[at >>> 6] >>> at & 1) == 0) {
                at++;
            }
            return at - start + 1;
        }

        private void insert(int at, long bit) {
            int word = at >>> 6;
            for (int i = WORDS - 1; i > word; i--) {
                words[i] = (words[i] << 1) | (words[i - 1] >>> 63);
            }
            long below = (1L << at) - 1;
            words[word] = (words[word] & below) | ((words[word] & ~below) << 1) | (bit << at);
            length++;
        }

        private void delete(int at) {
            int word = at >>> 6;
            long below = (1L << at) - 1;
            words[word] = (words[word] & below) | ((words[word] >>> 1) & ~below);
            for (int i = word; i < WORDS; i++) {
                if (i > word) {
                    words[i] >>>= 1;
                }
                if (i + 1 < WORDS) {
                    words[i] |= words[i + 1] << 63;
                }
            }
            length--;
        }
    }
}
