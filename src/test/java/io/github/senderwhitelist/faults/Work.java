package io.github.senderwhitelist.faults;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.Rule;
import io.github.senderwhitelist.address.RulesCodec;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FaultyDisk.Call;
import io.github.senderwhitelist.disk.MemoryDisk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.filter.FilterKind;
import io.github.senderwhitelist.filter.FilterSize;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.SnapshotWriter;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.store.EntrySorter;
import io.github.senderwhitelist.store.SortedEntries;
import io.github.senderwhitelist.tools.Builds;
import io.github.senderwhitelist.tools.Extent;
import io.github.senderwhitelist.tools.SmallLists;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Something that is done on a disk from beginning to end. It does it right or fails, and leaves
 * nothing behind. If it makes a snapshot, that takes the place of the old one whole or not at all.
 */
final class Work extends Deed {
    static final Path OUT = Path.of("/out");
    static final Path TARGET = OUT.resolve("list.swl");
    private static final Path BASE = Path.of("/var/whitelist/own.base");

    /** So many more entries that the hashes of a static filter have no room in memory. */
    private static final int MANY = Extent.of(70_000, 140_000);

    private static final int SORTED = 70_000;

    private final Action action;
    private final @Nullable Reader reader;
    private final List<Path> named;
    private final int files;

    /** Does it; throws an {@link AssertionError} if what comes of it is wrong. */
    @FunctionalInterface
    interface Action {
        void on(Disk disk) throws IOException;
    }

    /** Reads which content is in place. */
    @FunctionalInterface
    interface Reader {
        Content read(MemoryDisk disk) throws IOException;
    }

    private Work(MemoryDisk memory, Action action, @Nullable Reader reader, Path... named) {
        super(memory);
        this.action = action;
        this.reader = reader;
        this.named = List.of(named);
        this.files = memory.names().size();
    }

    /** A text list is built, as {@code build -o} does. */
    static Work building(MemoryDisk memory, BuildOptions options) {
        return new Work(memory, disk -> build(disk, options), Work::built, TEXT, OUT);
    }

    /** The base of a living list takes the place of the one before. */
    static Work merging(MemoryDisk memory) {
        return new Work(memory, disk -> merge(disk, Content.NEW), Work::base, BASE.getRoot());
    }

    /** All entries are read, as {@code export} does. */
    static Work exporting(MemoryDisk memory) {
        return new Work(memory, Work::export, null, TARGET);
    }

    /** More entries are sorted than have room in memory. */
    static Work sorting() {
        return new Work(scratch(), Work::sort, null, OUT);
    }

    private static MemoryDisk scratch() {
        MemoryDisk disk = new MemoryDisk();
        disk.putFolder(OUT);
        return disk;
    }

    /** Returns a disk with the new list as text, and the old one as a snapshot in its place. */
    static MemoryDisk diskToBuild(BuildOptions options) throws IOException {
        MemoryDisk disk = scratch();
        disk.put(TEXT, Content.OLD.text());
        build(disk, options);
        disk.put(TEXT, Content.NEW.text());
        return disk;
    }

    /** Returns the same with a new list that is built by way of the disk. */
    static MemoryDisk largeDiskToBuild(BuildOptions options) throws IOException {
        MemoryDisk disk = diskToBuild(options);
        StringBuilder text = new StringBuilder(new String(Content.NEW.text(), US_ASCII));
        for (int i = 0; i < MANY; i++) {
            text.append(i).append("@many.example").append('\n');
        }
        disk.put(TEXT, text.toString().getBytes(US_ASCII));
        return disk;
    }

    /** Returns a disk with the new list as a snapshot, and the old one in place. */
    static MemoryDisk diskToCopy() throws IOException {
        MemoryDisk disk = diskToBuild(Following.LOOSE);
        byte[] before = disk.bytes(TARGET);
        build(disk, Following.LOOSE);
        disk.put(SNAPSHOT, disk.bytes(TARGET));
        disk.put(TARGET, before);
        return disk;
    }

    /** Returns a disk with an old base. */
    static MemoryDisk diskToMerge() throws IOException {
        MemoryDisk disk = new MemoryDisk();
        merge(disk, Content.OLD);
        return disk;
    }

    static void build(Disk disk, BuildOptions options) throws IOException {
        SnapshotBuilder builder =
                new SnapshotBuilder(
                        options,
                        SnapshotBuilder.MIN_MEMORY,
                        new Scratch(disk, OUT),
                        1,
                        0,
                        (phase, done, total) -> {});
        try (AtomicFile file = AtomicFile.create(disk, TARGET)) {
            builder.build(List.of(TextSource.of(disk, TEXT)), file.file());
            file.publish();
        }
    }

    static Content built(MemoryDisk disk) {
        return Content.of(disk, TARGET);
    }

    static void merge(Disk disk, Content content) throws IOException {
        BuildOptions options = new BuildOptions(FilterKind.BLOCKED, FilterSize.ofBitsPerKey(10));
        try (SnapshotWriter writer = SnapshotWriter.ofBase(disk, BASE, options, 1)) {
            writer.add(new Entry(SmallLists.address("a@example.com").key(), null, Rule.ONLY_LISTS));
            writer.finish(1, content.name().getBytes(UTF_8));
        }
    }

    static Content base(MemoryDisk disk) throws IOException {
        try (Snapshot snapshot = Snapshot.open(disk, BASE)) {
            return Content.valueOf(new String(snapshot.feed(), UTF_8));
        }
    }

    private static void export(Disk disk) throws IOException {
        try (Snapshot snapshot = Snapshot.openStore(disk.open(TARGET), TARGET)) {
            Content.OLD.requireEntries(Builds.entries(snapshot.store()));
        }
    }

    private static void sort(Disk disk) throws IOException {
        try (EntrySorter sorter = new EntrySorter(4 << 20, new Scratch(disk, OUT))) {
            for (int i = 0; i < SORTED; i++) {
                String text =
                        Integer.toString(i * 7919, 36)
                                + "-".repeat(54)
                                + "\0d"
                                + i % 50
                                + ".example";
                byte[] key = text.getBytes(US_ASCII);
                sorter.add(key, 0, key.length, RulesCodec.PLAIN);
            }
            SortedEntries entries = sorter.sorted(done -> {});
            byte[] before = {};
            long count = 0;
            for (var entry = entries.next(); entry != null; entry = entries.next()) {
                require(Arrays.compareUnsigned(before, entry.key()) < 0, "not in order");
                before = entry.key();
                count++;
            }
            require(count == SORTED, count + " entries");
        }
    }

    @Override
    void run() throws IOException {
        action.on(disk);
    }

    @Override
    void requireWell(@Nullable IOException failure, boolean harmless) throws IOException {
        requireOpen(0);
        if (failure != null) {
            require(!harmless, "" + failure);
            requireClear(failure.getMessage(), named);
        } else if (reader != null) {
            require(reader.read(memory) == Content.NEW, "not in place");
        }
        if (!disk.struckCalls().contains(Call.DELETE)) {
            requireNoneLeft(memory);
        }
        requireWellAfter(memory);
    }

    private void requireNoneLeft(MemoryDisk on) {
        require(on.names().size() == files, "left over: " + on.names());
    }

    @Override
    void requireWellAfter(MemoryDisk left) throws IOException {
        if (reader != null) {
            reader.read(left);
            action.on(left);
            require(reader.read(left) == Content.NEW, "not in place");
            AtomicFile.sweep(left, TARGET);
            requireNoneLeft(left);
            require(left.openFiles().isEmpty(), "open: " + left.openFiles());
        }
    }
}
