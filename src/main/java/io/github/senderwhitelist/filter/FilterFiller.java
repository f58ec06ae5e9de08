package io.github.senderwhitelist.filter;

import io.github.senderwhitelist.disk.Scratch;

import java.io.Closeable;
import java.io.IOException;

/**
 * Makes a large filter of many hashes, for one thread. Filters that can be updated are filled on
 * the way; for static ones the hashes are kept, in a temporary file when there are many.
 */
public abstract class FilterFiller implements Closeable {
    private FilterFiller() {}

    /**
     * A filler.
     *
     * @param expected the shape that the filter will have when nothing unexpected happens
     * @param memory bytes that it may take beside the filter, from 1 MiB
     * @param scratch for a temporary file
     */
    public static FilterFiller of(FilterShape expected, long memory, Scratch scratch) {
        return expected.kind().isStatic()
                ? new Keeping(memory, scratch)
                : new Gathering((UpdatableFilter) expected.create());
    }

    /** Adds a hash, now or later. */
    public abstract void add(long hash) throws IOException;

    /** Whether what was added can be made a filter of that shape. */
    public abstract boolean fits(FilterShape shape);

    /**
     * Makes the filter; to be called once. Its shape is the one given unless it had to grow.
     *
     * @param shape one that {@link #fits}
     */
    public abstract Filter finish(FilterShape shape) throws IOException;

    @Override
    public void close() throws IOException {}

    /**
     * Gathers hashes by the part of the filter they fall into, so that each part is in the
     * processor's cache while it is filled.
     */
    private static final class Gathering extends FilterFiller {
        private static final int PARTS_BITS = 8;
        private static final int GATHERED = 1 << 10;

        private final UpdatableFilter filter;
        private final FilterShape shape;
        private final long[][] gathered = new long[1 << PARTS_BITS][GATHERED];
        private final int[] counts = new int[1 << PARTS_BITS];

        Gathering(UpdatableFilter filter) {
            this.filter = filter;
            this.shape = filter.shape();
        }

        @Override
        public void add(long hash) {
            // All these kinds place a hash by its high bits first.
            int part = (int) (hash >>> (Long.SIZE - PARTS_BITS));
            gathered[part][counts[part]++] = hash;
            if (counts[part] == GATHERED) {
                flush(part);
            }
        }

        private void flush(int part) {
            for (int i = 0; i < counts[part]; i++) {
                filter.add(gathered[part][i]);
            }
            counts[part] = 0;
        }

        @Override
        public boolean fits(FilterShape wanted) {
            return wanted.equals(shape);
        }

        @Override
        public Filter finish(FilterShape wanted) {
            for (int part = 0; part < counts.length; part++) {
                flush(part);
            }
            return filter;
        }
    }

    /** Keeps hashes until all are there. */
    private static final class Keeping extends FilterFiller {
        private final long memory;
        private final Scratch scratch;
        private final SortedHashes hashes;

        Keeping(long memory, Scratch scratch) {
            // A ribbon filter has two such sets at a time.
            this.memory = memory / 2;
            this.scratch = scratch;
            this.hashes = new SortedHashes(memory / 2, scratch);
        }

        @Override
        public void add(long hash) throws IOException {
            hashes.add(hash);
        }

        @Override
        public boolean fits(FilterShape shape) {
            return shape.kind().isStatic();
        }

        @Override
        public Filter finish(FilterShape shape) throws IOException {
            return shape.kind() == FilterKind.FUSE
                    ? FuseFilter.build(shape, hashes)
                    : RibbonFilter.build(shape, hashes, () -> new SortedHashes(memory, scratch));
        }

        @Override
        public void close() throws IOException {
            hashes.close();
        }
    }
}
