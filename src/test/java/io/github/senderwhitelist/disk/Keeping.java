package io.github.senderwhitelist.disk;

import io.github.senderwhitelist.living.KeptFilters;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;

/** The filters of a living list are kept in place of those that were kept before. */
final class Keeping extends Deed {
    static final Path FILE = Path.of("/var/whitelist/own.filter");
    private static final long OLD = 1;
    private static final long NEW = 2;

    Keeping(MemoryDisk memory) {
        super(memory);
    }

    /** Returns a disk with old filters. */
    static MemoryDisk disk() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        KeptFilters.write(disk, FILE, OLD);
        return disk;
    }

    @Override
    void run() throws IOException {
        KeptFilters.write(disk, FILE, NEW);
    }

    @Override
    void requireWell(@Nullable IOException failure, boolean harmless) throws IOException {
        requireNothingOpen();
        if (failure == null) {
            require(KeptFilters.read(memory, FILE) == NEW, "not kept");
        } else {
            require(!harmless, "" + failure);
            requireClear(failure.getMessage(), FILE, FILE.getRoot());
        }
        requireWellAfter(memory);
    }

    @Override
    void requireWellAfter(MemoryDisk left) throws IOException {
        long kept = KeptFilters.read(left, FILE);
        require(kept == OLD || kept == NEW, "kept: " + kept);
        KeptFilters.write(left, FILE, NEW);
        require(KeptFilters.read(left, FILE) == NEW, "not kept");
        require(left.openFiles().isEmpty(), "open");
        require(left.names().size() == 1, "left over: " + left.names());
    }
}
