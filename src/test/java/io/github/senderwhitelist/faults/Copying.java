package io.github.senderwhitelist.faults;

import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.snapshot.Snapshot;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/** A snapshot is copied in place of an old one. */
final class Copying extends Deed {
    Copying(MemoryDisk memory) {
        super(memory);
    }

    /** Returns a disk with the new list as a snapshot, and the old one in place. */
    static MemoryDisk disk() throws IOException {
        MemoryDisk disk = Building.disk(Following.LOOSE);
        byte[] before = disk.bytes(Building.TARGET);
        Building.build(disk, Following.LOOSE);
        disk.put(SNAPSHOT, disk.bytes(Building.TARGET));
        disk.put(Building.TARGET, before);
        return disk;
    }

    private static void copy(Disk disk) throws IOException {
        try (AtomicFile copy = AtomicFile.of(disk, Building.TARGET)) {
            Snapshot.copy(disk, SNAPSHOT, copy.file(), () -> {});
            copy.publish();
        }
    }

    @Override
    void run() throws IOException {
        copy(disk);
    }

    @Override
    void requireWell(@Nullable IOException failure, boolean harmless) throws IOException {
        requireNothingOpen();
        Content content = Content.of(memory, Building.TARGET);
        if (failure == null) {
            require(content == Content.NEW, "not copied");
        } else {
            require(!harmless, "" + failure);
            requireClear(failure.getMessage(), SNAPSHOT, Building.TARGET);
        }
        if (!disk.struckCalls().contains(FaultyDisk.Call.DELETE)) {
            require(memory.names().size() == 3, "left over: " + memory.names());
        }
        requireWellAfter(memory);
    }

    @Override
    void requireWellAfter(MemoryDisk left) throws IOException {
        Content.of(left, Building.TARGET);
        copy(left);
        require(Content.of(left, Building.TARGET) == Content.NEW, "not copied");
        AtomicFile.sweep(left, Building.TARGET);
        require(left.names().size() == 3, "left over: " + left.names());
        require(left.openFiles().isEmpty(), "open");
    }
}
