package io.github.senderwhitelist.faults;

import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.Filter;
import io.github.senderwhitelist.filter.FilterFiller;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterShape;
import io.github.senderwhitelist.filter.FilterSize;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;

/** A static filter is made of more hashes than have room in memory. */
final class Filtering extends Deed {
    private static final Path SCRATCH = Path.of("/tmp");
    private static final int HASHES = 70_000;
    private static final long MEMORY = 1 << 20;

    private final FilterKind kind;
    private @Nullable Filter filter;

    Filtering(FilterKind kind) {
        super(Sorting.disk());
        this.kind = kind;
    }

    @Override
    void run() throws IOException {
        FilterShape shape = FilterSize.ofRate(0.1).shape(kind, HASHES);
        try (FilterFiller filler = new FilterFiller(shape, MEMORY, new Scratch(disk, SCRATCH))) {
            SplittableRandom hashes = new SplittableRandom(1);
            for (int i = 0; i < HASHES; i++) {
                filler.add(hashes.nextLong());
            }
            filter = filler.finish(done -> {});
        }
    }

    @Override
    void requireWell(@Nullable IOException failure, boolean harmless) {
        requireNothingOpen();
        requireNoneLeft(memory);
        require(failure == null || !harmless, "" + failure);
        SplittableRandom hashes = new SplittableRandom(1);
        for (int i = 0; filter != null && i < HASHES; i++) {
            require(filter.mightContain(hashes.nextLong()), "a hash is not in the filter");
        }
    }

    @Override
    void requireWellAfter(MemoryDisk left) {
        requireNoneLeft(left);
    }
}
