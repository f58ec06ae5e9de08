package io.github.senderwhitelist.filter;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.function.Supplier;

/**
 * A binary fuse filter: a static set as an array of values of k bits. Each key has three places in
 * it, whose values yield the key's fingerprint by exclusive or. For a stranger they yield a random
 * number.
 *
 * <p>Source: T. M. Graf, D. Lemire, "Binary fuse filters: fast and smaller than xor filters"
 * (2022).
 *
 * <p>The hashes are divided by their highest bits into parts of about {@value #PART} keys. Each
 * part is a filter of its own, so that building takes the memory of one part. A key's places are in
 * three neighbouring segments of its part.
 *
 * <p>Serial form: for each part a word with the number of its seed, 0 if the part is empty; then
 * the values of each part one after the other, all parts of equal length. The filter is kept as an
 * array of bytes, so that a value is read by one access. Therefore it has at most 2^34 bits.
 */
final class FuseFilter implements Filter {
    private static final int PART = 1 << 18;
    private static final int SEEDS = 200;
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    /** An arbitrary odd number; it is part of the snapshot format, as {@link #GOLDEN} is. */
    private static final long MULTIPLIER = 0xd1342543de82ef95L;

    private static final long MOST_BITS = 8L * (Integer.MAX_VALUE - 1024);
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final FilterShape shape;
    private final byte[] bytes;
    private final int parts;
    private final int partWords;
    private final int k;
    private final long mask;
    private final int slots;
    private final int segment;
    private final int starts;

    FuseFilter(FilterShape shape) {
        this.shape = shape;
        // Eight bytes more, because each value is read as part of a long.
        this.bytes = new byte[(int) (shape.m() / Byte.SIZE) + Long.BYTES];
        this.parts = shape.rows();
        this.k = shape.k();
        this.mask = (1L << k) - 1;
        this.partWords = partWords(shape.m(), parts);
        int room = slots(partWords, k);
        this.segment = segment(room);
        this.slots = room / segment * segment;
        this.starts = slots - 2 * segment;
    }

    private static int partWords(long m, int parts) {
        return (int) ((m / Long.SIZE - parts) / parts);
    }

    private static int slots(int partWords, int k) {
        return (int) Math.min((long) partWords * Long.SIZE / k, 1 << 30);
    }

    /** Returns the length of a segment: a power of two, at most a third of the slots of a part. */
    private static int segment(int slots) {
        double best = Math.log(slots / 1.15) / Math.log(3.33) + 2.25;
        return Integer.highestOneBit(Math.min(1 << (int) Math.min(best, 18), slots / 3));
    }

    /** Gives each part an eighth more slots than keys, and small parts some more. */
    static final class Design implements StaticDesign {
        @Override
        public FilterShape plan(FilterSize size, long n) {
            int k =
                    size.byRate()
                            ? size.fingerprintBits(FilterKind.FUSE, FilterShape.MAX_K, 0)
                            : size.greatestK(
                                    FilterShape.MAX_K,
                                    n,
                                    // For small lists, it is given more keys than n, whose best
                                    // case counts.
                                    (keys, bits) ->
                                            (double) new Room(keys).bits(bits, keys > (double) n));
            Room room = new Room((double) n);
            return new FilterShape(FilterKind.FUSE, room.bits(k, false), k, room.parts);
        }

        /** The room for a number of keys. It may be more than a filter can have. */
        private static final class Room {
            final int parts;

            /** The slots of each part. */
            private final double slots;

            Room(double n) {
                parts = (int) Math.clamp(Math.ceil(n / PART), 1, FilterShape.MAX_ROWS);
                // Parts fill unevenly; not one in a million has five standard deviations more keys.
                double keys = Math.max(2, parts == 1 ? n : n / parts + 5 * Math.sqrt(n / parts));
                double factor = Math.max(1.125, 0.875 + 0.25 * Math.log(1e6) / Math.log(keys));
                slots = keys * factor + 4;
            }

            /**
             * Returns the bits with this k.
             *
             * @param atBest whether rounding never does harm
             */
            long bits(int k, boolean atBest) {
                int segment = segment((int) slots);
                while (true) {
                    double all = Math.ceil(slots / segment) * segment;
                    double words = 1 + Math.ceil(all * k / Long.SIZE);
                    long m = FilterShape.roundUp(parts * words * Long.SIZE);
                    // It can make room for segments twice as long, which leave more slots unused.
                    int room = FuseFilter.slots(partWords(m, parts), k);
                    int longer = segment(room);
                    if (atBest || longer <= segment || room / longer * longer >= slots) {
                        return m;
                    }
                    segment = longer;
                }
            }
        }

        @Override
        public double reads(FilterShape shape) {
            return 3;
        }

        @Override
        public Filter create(FilterShape shape) {
            return new FuseFilter(shape);
        }

        @Override
        public Filter build(FilterShape shape, SortedHashes hashes, Supplier<SortedHashes> more)
                throws IOException {
            FuseFilter filter = new FuseFilter(shape);
            Builder builder = filter.new Builder();
            hashes.forEach(builder::add);
            builder.finish();
            return filter;
        }

        @Override
        public String brokenLimit(long m, int k, int rows) {
            if (m > MOST_BITS) {
                return "up to " + MOST_BITS + " bits";
            }
            return slots(partWords(m, rows), k) < 4 ? "parts of at least 4 fingerprints" : "";
        }
    }

    @Override
    public boolean mightContain(long hash) {
        int part = (int) Math.unsignedMultiplyHigh(hash, parts);
        long seed = (long) LONGS.get(bytes, part * Long.BYTES);
        if (seed == 0) {
            return false;
        }
        long mixed = mixed(hash, seed);
        int base = base(part);
        int first = first(mixed);
        long all =
                slot(base, first)
                        ^ slot(base, second(mixed, first))
                        ^ slot(base, third(mixed, first));
        return ((all ^ fingerprint(mixed)) & mask) == 0;
    }

    /** Returns the byte at which the values of a part begin. */
    private int base(int part) {
        return (parts + part * partWords) * Long.BYTES;
    }

    /**
     * Mixes a hash with the seed of its part: cheaper than {@link Words#remix}, and good enough.
     */
    private static long mixed(long hash, long seed) {
        long salted = hash + seed * GOLDEN;
        return Math.unsignedMultiplyHigh(salted, MULTIPLIER) ^ (salted * MULTIPLIER);
    }

    private int first(long mixed) {
        return (int) Math.unsignedMultiplyHigh(mixed, starts);
    }

    private int second(long mixed, int first) {
        return (first + segment) ^ ((int) (mixed >>> 18) & (segment - 1));
    }

    private int third(long mixed, int first) {
        return (first + 2 * segment) ^ ((int) mixed & (segment - 1));
    }

    private static long fingerprint(long mixed) {
        return (mixed * GOLDEN) >>> 33;
    }

    /** Returns the value of a slot in the low k bits, and other bits above it. */
    private long slot(int base, int slot) {
        if (k == Byte.SIZE) {
            return bytes[base + slot];
        }
        long bit = (long) slot * k;
        return (long) LONGS.get(bytes, base + (int) (bit >>> 3)) >>> (bit & 7);
    }

    /** Sets the value of a slot that was 0. */
    private void setSlot(int base, int slot, long fingerprint) {
        long bit = (long) slot * k;
        int at = base + (int) (bit >>> 3);
        LONGS.set(bytes, at, (long) LONGS.get(bytes, at) | fingerprint << (bit & 7));
    }

    private LongBuffer words() {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
    }

    @Override
    public FilterShape shape() {
        return shape;
    }

    @Override
    public void write(long first, LongBuffer into) {
        into.put(words().slice((int) first, into.remaining()));
    }

    @Override
    public void read(long first, LongBuffer from) {
        words().slice((int) first, from.remaining()).put(from);
    }

    /**
     * Solves part by part, given the hashes in ascending order. A part without a solution is tried
     * again with another seed.
     */
    private final class Builder {
        private long[] keys = new long[64];
        private int size;
        private long part;
        private final int[] counts = new int[slots];
        private final int[] queue = new int[slots];
        private final long[] sums = new long[slots];
        private long[] order = {};
        private int[] places = {};

        void add(long hash) {
            long its = Math.unsignedMultiplyHigh(hash, parts);
            if (its != part) {
                finish();
                part = its;
            }
            if (size == keys.length) {
                keys = Arrays.copyOf(keys, size + size / 2);
            }
            keys[size++] = hash;
        }

        void finish() {
            if (size == 0) {
                return;
            }
            if (order.length < size) {
                order = new long[size];
                places = new int[size];
            }
            int base = base((int) part);
            long seed = 1;
            while (!peel(seed)) {
                if (++seed > SEEDS) {
                    throw new IllegalStateException(
                            "a fuse filter of "
                                    + slots
                                    + " slots in a part has no solution for "
                                    + size
                                    + " keys");
                }
            }
            LONGS.set(bytes, (int) part * Long.BYTES, seed);
            for (int i = size - 1; i >= 0; i--) {
                long mixed = order[i];
                int first = first(mixed);
                long all =
                        slot(base, first)
                                ^ slot(base, second(mixed, first))
                                ^ slot(base, third(mixed, first))
                                ^ fingerprint(mixed);
                setSlot(base, places[i], all & mask);
            }
            size = 0;
        }

        /**
         * Orders the keys so that each has a place that no later key has.
         *
         * @return false if there is no such order
         */
        private boolean peel(long seed) {
            Arrays.fill(counts, 0);
            Arrays.fill(sums, 0);
            for (int i = 0; i < size; i++) {
                change(mixed(keys[i], seed), 1);
            }
            int alone = 0;
            for (int slot = 0; slot < slots; slot++) {
                if (counts[slot] == 1) {
                    queue[alone++] = slot;
                }
            }
            int done = 0;
            while (alone > 0) {
                int slot = queue[--alone];
                if (counts[slot] != 1) {
                    continue;
                }
                long mixed = sums[slot];
                order[done] = mixed;
                places[done++] = slot;
                change(mixed, -1);
                int first = first(mixed);
                alone = enqueue(first, alone);
                alone = enqueue(second(mixed, first), alone);
                alone = enqueue(third(mixed, first), alone);
            }
            return done == size;
        }

        /** Puts a slot that one key is left in into the queue; returns the queue's new length. */
        private int enqueue(int slot, int alone) {
            if (counts[slot] == 1) {
                queue[alone] = slot;
                return alone + 1;
            }
            return alone;
        }

        /** Adds a key to its three slots, or takes it away. */
        private void change(long mixed, int by) {
            int first = first(mixed);
            int second = second(mixed, first);
            int third = third(mixed, first);
            counts[first] += by;
            counts[second] += by;
            counts[third] += by;
            sums[first] ^= mixed;
            sums[second] ^= mixed;
            sums[third] ^= mixed;
        }
    }
}
