package io.github.senderwhitelist.faults;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.tools.Extent;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A text list is built to a snapshot in place of an old one, as {@code build -o} does. */
final class Building extends Deed {
    static final Path OUT = Path.of("/out");
    static final Path TARGET = OUT.resolve("list.swl");
    private static final Path SCRATCH = Path.of("/tmp");

    /** So many more entries that the hashes of a static filter have no room in memory. */
    private static final int MANY = Extent.of(70_000, 140_000);

    private final BuildOptions options;

    Building(MemoryDisk memory, BuildOptions options) {
        super(memory);
        this.options = options;
    }

    /** Returns the same as {@link #disk} with a new list that is built by way of the disk. */
    static MemoryDisk largeDisk(BuildOptions options) throws IOException {
        MemoryDisk disk = disk(options);
        StringBuilder text = new StringBuilder(new String(Content.NEW.text(), US_ASCII));
        for (int i = 0; i < MANY; i++) {
            text.append(i).append("@many.example").append('\n');
        }
        disk.put(TEXT, text.toString().getBytes(US_ASCII));
        return disk;
    }

    /** Returns a disk with the new list as text, and the old one as a snapshot in its place. */
    static MemoryDisk disk(BuildOptions options) throws IOException {
        MemoryDisk disk = new MemoryDisk();
        disk.putFolder(OUT);
        disk.putFolder(SCRATCH);
        disk.put(TEXT, Content.OLD.text());
        build(disk, options);
        disk.put(TEXT, Content.NEW.text());
        return disk;
    }

    /** Builds the list to its place. */
    static void build(Disk disk, BuildOptions options) throws IOException {
        SnapshotBuilder builder =
                new SnapshotBuilder(
                        options,
                        SnapshotBuilder.MIN_MEMORY,
                        new Scratch(disk, SCRATCH),
                        1,
                        0,
                        (phase, done, total) -> {});
        try (AtomicFile file = AtomicFile.of(disk, TARGET)) {
            builder.build(List.of(TextSource.of(disk, TEXT)), file.file());
            file.publish();
        }
    }

    @Override
    void run() throws IOException {
        build(disk, options);
    }

    @Override
    void requireWell(@Nullable IOException failure, boolean harmless) throws IOException {
        requireNothingOpen();
        Content content = Content.of(memory, TARGET);
        if (failure == null) {
            require(content == Content.NEW, "not built");
        } else {
            require(!harmless, "" + failure);
            requireClear(failure.getMessage(), TEXT, TARGET, SCRATCH);
        }
        if (!disk.struckCalls().contains(FaultyDisk.Call.DELETE)) {
            require(memory.list(OUT).size() == 1, "left over: " + memory.names());
        }
        requireWellAfter(memory);
    }

    @Override
    void requireWellAfter(MemoryDisk left) throws IOException {
        Content.of(left, TARGET);
        build(left, options);
        require(Content.of(left, TARGET) == Content.NEW, "not built");
        AtomicFile.sweep(left, TARGET);
        require(left.list(OUT).size() == 1, "left over: " + left.names());
        require(left.openFiles().isEmpty(), "open");
    }
}
