package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.address.EntryWalk;
import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.cli.SnapshotCommands.FilterOptions;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A list in a file, opened as a snapshot. A text list is built into a temporary one, of which
 * nothing remains when the program ends, however it ends. So all commands read text lists as a
 * server does, of any size in little memory.
 *
 * @param report what was built of a text list; null for a snapshot
 */
record FileList(Snapshot snapshot, @Nullable BuildReport report) implements ListCommand.OpenList {
    static final String STANDARD_INPUT = "-";

    /** The most bytes for sorting in memory, and for an exact store there that is asked often. */
    private static final long MEMORY = 64L << 20;

    static List<TextSource> texts(List<String> names) throws IOException {
        List<TextSource> texts = new ArrayList<>();
        for (String name : names) {
            texts.add(text(name));
        }
        return texts;
    }

    static TextSource text(String name) throws IOException {
        if (name.equals(STANDARD_INPUT)) {
            return new TextSource("standard input", -1, () -> InputLines.standardInput(() -> {}));
        }
        Path file = OthersFolders.readable(Path.of(name));
        if (Snapshot.isSnapshot(Disk.LOCAL, file)) {
            throw new IOException(
                    name + ": a snapshot; allowed: a text list, as the command export makes of it");
        }
        return new TextSource(name, Disk.LOCAL.state(file).size(), () -> unchanged(file));
    }

    /**
     * Opens a whole file. Closing it fails if the file was written to meanwhile: a part may be
     * missing then. A file that was replaced, or has another name now, was read whole.
     */
    static InputStream unchanged(Path file) throws IOException {
        FileState before = Disk.LOCAL.state(file);
        return new FilterInputStream(Disk.LOCAL.open(file).input()) {
            @Override
            public void close() throws IOException {
                super.close();
                FileState now = Disk.LOCAL.state(file);
                if (before.isSameFileAs(now) && !before.equals(now)) {
                    throw new IOException(
                            "%s: changed while it was read, so a part may be missing. Run the command again, and replace lists by renaming"
                                    .formatted(file));
                }
            }
        };
    }

    /** Opens a snapshot, with or without filters, or a text list, whose bad lines are told. */
    static FileList open(Path file, boolean filters, Messages err) throws IOException {
        if (file.toString().equals(STANDARD_INPUT)
                || !Snapshot.isSnapshot(Disk.LOCAL, OthersFolders.readable(file))) {
            FileList built = build(List.of(text(file.toString())), err);
            err.skipped(Objects.requireNonNull(built.report));
            return built;
        }
        Snapshot snapshot =
                filters
                        ? Snapshot.open(Disk.LOCAL.open(file), file, MEMORY)
                        : Snapshot.openStore(Disk.LOCAL.open(file), file);
        return new FileList(snapshot, null);
    }

    /** Builds text lists into one temporary snapshot. */
    static FileList build(List<TextSource> lists, Messages err) throws IOException {
        Scratch scratch = new Scratch(Disk.LOCAL, Path.of(System.getProperty("java.io.tmpdir")));
        DiskFile file = scratch.create();
        try {
            long seed = new SecureRandom().nextLong();
            long now = System.currentTimeMillis();
            BuildReport report =
                    new SnapshotBuilder(FilterOptions.DEFAULT, MEMORY, scratch, seed, now, err)
                            .build(lists, file);
            return new FileList(Snapshot.open(file, Path.of(lists.getFirst().name()), 0), report);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        } finally {
            err.clear();
        }
    }

    @Override
    public SenderList lines() {
        Generation generation = Generation.exact(snapshot, 0);
        return () -> generation;
    }

    /** Passes over what has no rules: it says that others are for some recipients. */
    @Override
    public EntryWalk walk(@Nullable Key to) {
        BlockStore.Walk all = Objects.requireNonNull(snapshot.store()).walk(null);
        return () -> {
            Entry entry;
            do {
                entry = all.next();
            } while (entry != null
                    && (entry.rules().isEmpty() || (to != null && !to.equals(entry.to()))));
            return entry;
        };
    }

    @Override
    public void close() throws IOException {
        snapshot.close();
    }
}
