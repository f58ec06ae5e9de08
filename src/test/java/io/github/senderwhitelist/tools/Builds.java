package io.github.senderwhitelist.tools;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.snapshot.BuildOptions;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Builds snapshots of text lists in the place of a file, as the server does.
 *
 * @param disk the disk of the snapshot and of temporary files, which are beside it
 * @param memory the most bytes for sorting
 * @param buildTime milliseconds since 1970
 */
public record Builds(Disk disk, BuildOptions options, long memory, long seed, long buildTime) {
    /** Returns builds on this machine's disk, in little memory, without a time. */
    public static Builds of(BuildOptions options, long seed) {
        return new Builds(Disk.LOCAL, options, SnapshotBuilder.MIN_MEMORY, seed, 0);
    }

    /** Returns the same builds on another disk. */
    public Builds on(Disk other) {
        return new Builds(other, options, memory, seed, buildTime);
    }

    /** Returns the same builds in this much memory. */
    public Builds in(long bytes) {
        return new Builds(disk, options, bytes, seed, buildTime);
    }

    /** Builds a list of these bytes. */
    public BuildReport build(byte[] text, Path target) throws IOException {
        return build(new ByteArrayInputStream(text), "list", target);
    }

    /** Builds a list that is read once. */
    public BuildReport build(InputStream list, String name, Path target) throws IOException {
        return build(List.of(new TextSource(name, -1, () -> list)), target);
    }

    /** Builds several lists. */
    public BuildReport build(List<TextSource> lists, Path target) throws IOException {
        Path folder = Objects.requireNonNull(target.toAbsolutePath().getParent());
        SnapshotBuilder builder =
                new SnapshotBuilder(
                        options,
                        memory,
                        new Scratch(disk, folder),
                        seed,
                        buildTime,
                        (phase, done, total) -> {});
        try (AtomicFile file = AtomicFile.create(disk, target)) {
            BuildReport report = builder.build(lists, file.file());
            file.publish();
            return report;
        }
    }

    /** Returns all entries of a store in order. */
    public static List<Entry> entries(@Nullable BlockStore store) throws IOException {
        List<Entry> entries = new ArrayList<>();
        BlockStore.Walk walk = Objects.requireNonNull(store).walk(null);
        for (Entry entry = walk.next(); entry != null; entry = walk.next()) {
            entries.add(entry);
        }
        return entries;
    }
}
