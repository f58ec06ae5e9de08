package io.github.senderwhitelist.filter;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * A binary fuse filter: a static set as an array of fingerprints of k bits, made so that those at
 * the three places of a key give the key's own by exclusive or, and those of a stranger anything.
 *
 * <p>Source: T. M. Graf, D. Lemire, "Binary fuse filters: fast and smaller than xor filters"
 * (2022).
 *
 * <p>The hashes are shared by their highest bits among parts of {@value #PART} keys, each a filter
 * of its own, so that building takes the memory of one part. A key's places are in three
 * neighbouring segments of its part.
 *
 * <p>Serial form: for each part a word with the number of the seed that its places are found with,
 * 0 when the part is empty; then part after part, of equal length, the fingerprints one after the
 * other. It is kept as bytes, from which one fingerprint is read in one go, and so is of 16 GiBit
 * at most.
 */
final class FuseFilter implements Filter {
    private static final int PART = 1 << 18;
    private static final int SEEDS = 200;
    private static final long GOLDEN = 0x9e3779b97f4a7c15L;

    /** An odd number without pattern. Part of the snapshot format, as is the other. */
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
        // Eight bytes more, so that the last fingerprint is read as any other.
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

    /** The length of a segment in a part of so many slots: a power of two, a third at most. */
    private static int segment(int slots) {
        double best = Math.log(slots / 1.15) / Math.log(3.33) + 2.25;
        return Integer.highestOneBit(Math.min(1 << (int) Math.min(best, 18), slots / 3));
    }

    /** Why there is no such filter, or nothing. */
    static String wrong(long m, int k, int parts) {
        if (m > MOST_BITS) {
            return "up to " + MOST_BITS + " bits";
        }
        return slots(partWords(m, parts), k) < 4 ? "parts of at least 4 fingerprints" : "";
    }

    /** The shape for n keys. */
    static FilterShape shape(double n, int k) {
        int parts = (int) Math.clamp(Math.ceil(n / PART), 1, FilterShape.MAX_ROWS);
        // Parts fill unevenly; more than five standard deviations are none in a million parts.
        double keys = Math.max(2, parts == 1 ? n : n / parts + 5 * Math.sqrt(n / parts));
        double slots = keys * Math.max(1.125, 0.875 + 0.25 * Math.log(1e6) / Math.log(keys)) + 4;
        int segment = segment((int) slots);
        slots = Math.ceil(slots / segment) * segment;
        double words = 1 + Math.ceil(slots * k / Long.SIZE);
        return new FilterShape(
                FilterKind.FUSE, FilterShape.roundUp(parts * words * Long.SIZE), k, parts);
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

    /** Where the fingerprints of a part begin, in bytes. */
    private int base(int part) {
        return (parts + part * partWords) * Long.BYTES;
    }

    /** The two halves of a product, folded: as good as remixing for hashes, at half the price. */
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

    /** A fingerprint, and above it what stands there. */
    private long slot(int base, int slot) {
        if (k == Byte.SIZE) {
            return bytes[base + slot];
        }
        long bit = (long) slot * k;
        return (long) LONGS.get(bytes, base + (int) (bit >>> 3)) >>> (bit & 7);
    }

    /** Sets a fingerprint that was 0. */
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

    /** Builds a filter; a part without a solution is tried again with other seeds. */
    static FuseFilter build(FilterShape shape, SortedHashes hashes) throws IOException {
        FuseFilter filter = new FuseFilter(shape);
        Builder builder = filter.new Builder();
        hashes.forEach(builder::add);
        builder.finish();
        return filter;
    }

    /** Solves part by part, of hashes in ascending order. */
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
         * Orders the keys so that each has a place that none after it has; false: there is none.
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

        private int enqueue(int slot, int alone) {
            if (counts[slot] == 1) {
                queue[alone] = slot;
                return alone + 1;
            }
            return alone;
        }

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
