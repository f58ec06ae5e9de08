package io.github.senderwhitelist.filter;

import io.github.senderwhitelist.disk.Scratch;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * A builder of a large filter from many hashes, for one thread. An updatable filter is filled as
 * hashes come. For a static one the hashes are kept until all have come, in a temporary file if
 * they are many.
 */
public abstract class FilterFiller implements Closeable {
    FilterFiller() {}

    /**
     * Returns a new filler.
     *
     * @param expected the shape that the filter is expected to have in the end
     * @param memory the bytes of memory it may take beside the filter, at least 1 MiB
     * @param scratch the place for temporary files
     */
    public static FilterFiller of(FilterShape expected, long memory, Scratch scratch) {
        return expected.kind().isStatic()
                ? new Keeping(memory, scratch)
                : new Gathering((UpdatableFilter) expected.create());
    }

    /**
     * Returns a filler that does the work of this one in a thread of its own. Nobody else may use
     * this one from now on.
     */
    public final FilterFiller inBackground() {
        return new BackgroundFiller(this);
    }

    /** Adds a hash. */
    public abstract void add(long hash) throws IOException;

    /** Returns whether {@link #finish} can make a filter of that shape. */
    public abstract boolean fits(FilterShape shape);

    /**
     * Makes the filter. May be called once.
     *
     * @param shape a shape that {@link #fits}
     * @param progress takes the number of hashes done, now and then, if that takes long
     */
    public abstract Filter finish(FilterShape shape, LongConsumer progress) throws IOException;

    /** Makes the filter without reporting progress. */
    public final Filter finish(FilterShape shape) throws IOException {
        return finish(shape, done -> {});
    }

    @Override
    public void close() throws IOException {}

    /**
     * Gathers hashes by the part of the filter that they belong to and adds those of a part
     * together. So the part stays in the processor's cache while it is filled.
     */
    private static final class Gathering extends FilterFiller {
        private static final int PARTS_BITS = 8;
        private static final int LEAST = 1 << 4;
        private static final int GATHERED = 1 << 10;

        private final UpdatableFilter filter;
        private final FilterShape shape;
        private final long[][] gathered = new long[1 << PARTS_BITS][0];
        private final int[] counts = new int[1 << PARTS_BITS];

        Gathering(UpdatableFilter filter) {
            this.filter = filter;
            this.shape = filter.shape();
        }

        @Override
        public void add(long hash) {
            // All updatable kinds choose a hash's place in memory by its high bits.
            int part = (int) (hash >>> (Long.SIZE - PARTS_BITS));
            int room = gathered[part].length;
            if (counts[part] == room) {
                int more = Math.clamp(2L * room, LEAST, GATHERED);
                gathered[part] = Arrays.copyOf(gathered[part], more);
            }
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
        public Filter finish(FilterShape wanted, LongConsumer progress) {
            for (int part = 0; part < counts.length; part++) {
                flush(part);
            }
            return filter;
        }
    }

    /** Keeps hashes until all have come. */
    private static final class Keeping extends FilterFiller {
        private final long memory;
        private final Scratch scratch;
        private final SortedHashes hashes;

        Keeping(long memory, Scratch scratch) {
            // Building may need two such sets at a time.
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
        public Filter finish(FilterShape shape, LongConsumer progress) throws IOException {
            hashes.reportTo(progress);
            return RibbonFilter.build(shape, hashes, () -> new SortedHashes(memory, scratch));
        }

        @Override
        public void close() throws IOException {
            hashes.close();
        }
    }
}
