package io.github.senderwhitelist.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotWriter;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;

/** The base of a living list takes the place of the one before. */
final class Folding extends Deed {
    static final Path FILE = Path.of("/var/whitelist/own.base");
    private static final String OLD = "old";
    static final String NEW = "new";

    Folding(MemoryDisk memory) {
        super(memory);
    }

    /** Returns a disk with an old base. */
    static MemoryDisk disk() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        write(disk, OLD);
        return disk;
    }

    static void write(Disk disk, String feed) throws IOException {
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(10));
        try (SnapshotWriter writer =
                SnapshotWriter.ofBase(disk, FILE, options, 1, (phase, done, total) -> {})) {
            writer.add(new Entry(SmallLists.address("a@example.com").key(), false));
            writer.finish(1, feed.getBytes(UTF_8));
        }
    }

    private static String read(Disk disk) throws IOException {
        try (Snapshot snapshot = Snapshot.open(disk, FILE)) {
            return new String(snapshot.feed(), UTF_8);
        }
    }

    /** Returns which base is kept. */
    static Content content(Disk disk) throws IOException {
        return read(disk).equals(NEW) ? Content.NEW : Content.OLD;
    }

    @Override
    void run() throws IOException {
        write(disk, NEW);
    }

    @Override
    void requireWell(@Nullable IOException failure, boolean harmless) throws IOException {
        requireNothingOpen();
        if (failure == null) {
            require(read(memory).equals(NEW), "not in place");
        } else {
            require(!harmless, "" + failure);
            requireClear(failure.getMessage(), FILE, FILE.getRoot());
        }
        requireWellAfter(memory);
    }

    @Override
    void requireWellAfter(MemoryDisk left) throws IOException {
        String kept = read(left);
        require(kept.equals(OLD) || kept.equals(NEW), "kept: " + kept);
        write(left, NEW);
        require(read(left).equals(NEW), "not in place");
        require(left.openFiles().isEmpty(), "open");
        require(left.names().size() == 1, "left over: " + left.names());
    }
}
