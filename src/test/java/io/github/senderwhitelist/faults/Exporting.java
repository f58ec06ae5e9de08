package io.github.senderwhitelist.faults;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.tools.Builds;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** All entries of a snapshot are read, as {@code export} does. */
final class Exporting extends Deed {
    private final List<Entry> found = new ArrayList<>();

    Exporting(MemoryDisk memory) {
        super(memory);
    }

    private static void export(Disk disk, List<Entry> into) throws IOException {
        try (Snapshot snapshot = Snapshot.openStore(disk.open(Building.TARGET), Building.TARGET)) {
            into.addAll(Builds.entries(snapshot.store()));
        }
    }

    @Override
    void run() throws IOException {
        export(disk, found);
    }

    @Override
    void requireWell(@Nullable IOException failure, boolean harmless) throws IOException {
        requireNothingOpen();
        if (failure == null) {
            Content.OLD.requireEntries(found);
        } else {
            require(!harmless, "" + failure);
            requireClear(failure.getMessage(), Building.TARGET);
        }
        requireWellAfter(memory);
    }

    @Override
    void requireWellAfter(MemoryDisk left) throws IOException {
        List<Entry> again = new ArrayList<>();
        export(left, again);
        Content.OLD.requireEntries(again);
    }
}
