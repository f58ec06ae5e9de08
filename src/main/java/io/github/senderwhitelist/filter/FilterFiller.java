package io.github.senderwhitelist.filter;

import io.github.senderwhitelist.disk.Scratch;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.util.function.LongConsumer;

/**
 * A builder of a large filter from many hashes, for one thread. The hashes of a {@code ribbon}
 * filter are kept until all have come, in a temporary file if they are many.
 */
public final class FilterFiller implements Closeable {
    private final FilterShape shape;
    private final long memory;
    private final Scratch scratch;
    private final SortedHashes hashes;

    /** The filter, to which hashes are added as they come; null for {@code ribbon}. */
    private final @Nullable Filter filter;

    /**
     * Creates a filler of an empty filter.
     *
     * @param memory the bytes of memory it may take beside the filter, at least 1 MiB
     */
    public FilterFiller(FilterShape shape, long memory, Scratch scratch) {
        this.shape = shape;
        // Two sets of hashes are kept at a time.
        this.memory = memory / 2;
        this.scratch = scratch;
        this.hashes = new SortedHashes(this.memory, scratch);
        this.filter = shape.kind() == FilterKind.RIBBON ? null : shape.create();
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
     * @param progress takes the number of hashes done, now and then, if that takes long
     */
    public Filter finish(LongConsumer progress) throws IOException {
        if (filter != null) {
            return filter;
        }
        RibbonFilter made = new RibbonFilter(shape);
        SortedHashes left = hashes;
        try {
            for (RibbonMix.Level level : made.levels) {
                try (SortedHashes these = left) {
                    left = new SortedHashes(memory, scratch);
                    RibbonBuilder builder = new RibbonBuilder(made.words, level, left);
                    builder.addAll(these, these == hashes ? progress : done -> {});
                }
            }
            return made;
        } finally {
            left.close();
        }
    }

    @Override
    public void close() throws IOException {
        hashes.close();
    }
}
