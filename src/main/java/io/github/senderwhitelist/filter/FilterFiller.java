package io.github.senderwhitelist.filter;

import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.LongConsumer;

/**
 * A builder of a large filter from many hashes, for one thread. An updatable filter is filled as
 * hashes come. For a static one the hashes are kept until all have come, in a temporary file if
 * they are many.
 */
public final class FilterFiller implements Closeable {
    private final @Nullable Filter filter;
    private final SortedHashes hashes;
    private final long memory;
    private final Scratch scratch;

    private FilterFiller(@Nullable Filter filter, long memory, Scratch scratch) {
        this.filter = filter;
        this.memory = memory;
        this.scratch = scratch;
        this.hashes = new SortedHashes(memory, scratch);
    }

    /**
     * Returns a new filler.
     *
     * @param expected the shape that the filter is expected to have in the end
     * @param memory the bytes of memory it may take beside the filter, at least 1 MiB
     * @param scratch the place for temporary files
     */
    public static FilterFiller of(FilterShape expected, long memory, Scratch scratch) {
        // Building a static filter needs two sets of hashes at a time.
        return new FilterFiller(
                expected.kind().isStatic() ? null : expected.create(), memory / 2, scratch);
    }

    /** Adds a hash. */
    public void add(long hash) throws IOException {
        if (filter == null) {
            hashes.add(hash);
        } else {
            filter.add(hash);
        }
    }

    /**
     * Makes the filter. May be called once.
     *
     * @param shape the shape of a static filter; any other has the shape that was expected
     * @param progress takes the number of hashes done, now and then, if that takes long
     */
    public Filter finish(FilterShape shape, LongConsumer progress) throws IOException {
        if (filter != null) {
            return filter;
        }
        RibbonFilter made = new RibbonFilter(shape);
        made.solve(hashes, () -> new SortedHashes(memory, scratch), progress);
        return made;
    }

    @Override
    public void close() throws IOException {
        hashes.close();
    }
}
