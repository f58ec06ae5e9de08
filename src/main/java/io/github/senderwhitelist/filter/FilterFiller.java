package io.github.senderwhitelist.filter;

import io.github.senderwhitelist.disk.Scratch;

import java.io.Closeable;
import java.io.IOException;
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
                : new Adding((UpdatableFilter) expected.create());
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

    /** Adds hashes as they come. */
    private static final class Adding extends FilterFiller {
        private final UpdatableFilter filter;

        Adding(UpdatableFilter filter) {
            this.filter = filter;
        }

        @Override
        public void add(long hash) {
            filter.add(hash);
        }

        @Override
        public boolean fits(FilterShape shape) {
            return shape.equals(filter.shape());
        }

        @Override
        public Filter finish(FilterShape shape, LongConsumer progress) {
            return filter;
        }

        @Override
        public void close() {}
    }

    /** Keeps hashes until all have come. */
    private static final class Keeping extends FilterFiller {
        private final long memory;
        private final Scratch scratch;
        private final SortedHashes hashes;

        Keeping(long memory, Scratch scratch) {
            // Building needs two such sets at a time.
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
            RibbonFilter filter = new RibbonFilter(shape);
            filter.solve(hashes, () -> new SortedHashes(memory, scratch), progress);
            return filter;
        }

        @Override
        public void close() throws IOException {
            hashes.close();
        }
    }
}
