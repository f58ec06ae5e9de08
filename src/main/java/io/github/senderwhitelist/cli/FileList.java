package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Key;
import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.SenderList;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.DiskInput;
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
import java.util.List;
import java.util.Objects;

/**
 * A list in a file, opened as a snapshot. A text list is built into a temporary snapshot, of which
 * nothing remains when the program ends, however it ends.
 *
 * @param report what was built of a text list; null for a snapshot
 */
record FileList(Snapshot snapshot, @Nullable BuildReport report) implements OpenList {
    /** Stands for standard input where a text list is read. */
    static final String STANDARD_INPUT = "-";

    /** The memory for sorting a text list, in bytes. Larger lists are sorted on the disk. */
    private static final long MEMORY = 64L << 20;

    /** The largest exact store that is held in memory for many questions, in bytes. */
    private static final long STORE_IN_MEMORY = 64L << 20;

    /**
     * Returns a regular file.
     *
     * @throws IOException if it is missing, may not be read, or is a folder, a pipe or a device
     */
    static Path existing(Path file) throws IOException {
        OthersFolders.refuseLinks(file);
        Disk.LOCAL.open(file).close();
        return file;
    }

    /** Returns the text list that an argument names. {@code -} stands for standard input. */
    static TextSource text(String name) throws IOException {
        if (name.equals(STANDARD_INPUT)) {
            return new TextSource("standard input", -1, InputLines::standardInput);
        }
        if (name.isEmpty()) {
            throw new IOException("'': no file has an empty name; allowed: the name of a file");
        }
        Path file = existing(Path.of(name));
        if (Snapshot.isSnapshot(Disk.LOCAL, file)) {
            throw new IOException(
                    ("%s: a snapshot; allowed: a text list. Nothing was written. The command "
                                    + "export prints a snapshot's entries as text")
                            .formatted(name));
        }
        return new TextSource(name, Disk.LOCAL.state(file).size(), () -> unchanged(file));
    }

    /**
     * Opens a whole file. When the stream is closed, it throws an exception if the file was written
     * to meanwhile: a part of it may be missing then. A file that was replaced, or has another name
     * now, was read whole.
     */
    static InputStream unchanged(Path file) throws IOException {
        FileState before = Disk.LOCAL.state(file);
        return new FilterInputStream(DiskInput.open(Disk.LOCAL, file)) {
            @Override
            public void close() throws IOException {
                super.close();
                FileState now = Disk.LOCAL.state(file);
                if (before.isSameFileAs(now) && !before.equals(now)) {
                    throw new IOException(
                            file
                                    + ": changed while it was read, so a part of it may be missing;"
                                    + " nothing was written. Run the command again when it stands"
                                    + " still, or replace lists by renaming");
                }
            }
        };
    }

    /**
     * Opens a list.
     *
     * @param file a text list or a snapshot; {@code -} for a text list on standard input
     * @param filters whether to load the filters, for many questions by one thread
     */
    static FileList open(Path file, boolean filters) throws IOException {
        boolean isInput = file.toString().equals(STANDARD_INPUT);
        if (isInput || !Snapshot.isSnapshot(Disk.LOCAL, existing(file))) {
            return build(List.of(text(file.toString())), filters);
        }
        return new FileList(
                filters
                        ? Snapshot.open(Disk.LOCAL, file, STORE_IN_MEMORY)
                        : Snapshot.openStore(Disk.LOCAL.open(file), file),
                null);
    }

    /**
     * Builds text lists into one temporary snapshot. Lines about the same sender and recipients are
     * one entry there.
     *
     * @throws io.github.senderwhitelist.list.ListRefusedException if one cannot be used
     */
    static FileList build(List<TextSource> lists, boolean filters) throws IOException {
        // The system's folder for temporary files.
        Scratch scratch = new Scratch(Disk.LOCAL, Path.of(System.getProperty("java.io.tmpdir")));
        Path name = Path.of(lists.getFirst().name());
        DiskFile file = scratch.create();
        try (Progress progress = new Progress()) {
            SnapshotBuilder builder =
                    new SnapshotBuilder(
                            FilterOptions.DEFAULT,
                            MEMORY,
                            scratch,
                            new SecureRandom().nextLong(),
                            System.currentTimeMillis(),
                            progress);
            BuildReport report = builder.build(lists, file);
            return new FileList(
                    filters ? Snapshot.open(file, name) : Snapshot.openStore(file, name), report);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    /** Complains of the lines that were skipped. */
    void complain(Complaints complaints) {
        if (report != null) {
            complain(report, complaints);
        }
    }

    /** Complains of the lines that a build skipped. */
    static void complain(BuildReport report, Complaints complaints) {
        report.complaints().forEach(complaints::report);
        if (report.badLines() > 0) {
            String lines = Numbers.count(report.badLines(), "bad line was", "bad lines were");
            complaints.println(lines + " skipped");
        }
    }

    BlockStore store() {
        return Objects.requireNonNull(snapshot.store());
    }

    @Override
    public SenderList lines() {
        Generation generation = Generation.exact(snapshot, 0);
        return () -> generation;
    }

    @Override
    public Walk all(@Nullable Key to) {
        return store().walk()::next;
    }

    @Override
    public void close() throws IOException {
        snapshot.close();
    }
}
