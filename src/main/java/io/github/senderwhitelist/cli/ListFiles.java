package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.snapshot.BuildProgress;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.TextSource;
import io.github.senderwhitelist.store.BlockStore;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;

/**
 * Lists in files, opened as snapshots. A text list is built into a temporary snapshot, of which
 * nothing remains when the program ends, however it ends.
 */
final class ListFiles {
    /** Stands for standard input where a text list is read. */
    static final String STANDARD_INPUT = "-";

    /** The memory for sorting a text list, in bytes. Larger lists are sorted on the disk. */
    private static final long MEMORY = 64L << 20;

    /** The largest exact store that is held in memory for many questions, in bytes. */
    private static final long STORE_IN_MEMORY = 64L << 20;

    private ListFiles() {}

    /**
     * An open list.
     *
     * @param report what was built of a text list; null for a snapshot
     */
    record Opened(Snapshot snapshot, @Nullable BuildReport report) implements Closeable {
        BlockStore store() {
            return Objects.requireNonNull(snapshot.store());
        }

        /** Complains of the lines that were skipped. */
        void complain(Complaints complaints) {
            if (report != null) {
                ListFiles.complain(report, complaints);
            }
        }

        @Override
        public void close() throws IOException {
            snapshot.close();
        }
    }

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
            return new TextSource("standard input", -1, StandardInput::new);
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
        return source(file);
    }

    private static TextSource source(Path file) {
        long size = Disk.LOCAL.state(file).size();
        return new TextSource(file.toString(), size, () -> UnchangedInput.open(file));
    }

    /**
     * Opens a list.
     *
     * @param file a text list or a snapshot; {@code -} for a text list on standard input
     * @param filters whether to load the filters, for many questions by one thread
     */
    static Opened open(Path file, boolean filters) throws IOException {
        boolean isInput = file.toString().equals(STANDARD_INPUT);
        if (isInput || !Snapshot.isSnapshot(Disk.LOCAL, existing(file))) {
            try (Progress progress = Progress.start()) {
                TextSource source = isInput ? text(STANDARD_INPUT) : source(file);
                return build(List.of(source), filters, progress);
            }
        }
        return new Opened(
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
    static Opened build(List<TextSource> lists, boolean filters, BuildProgress progress)
            throws IOException {
        SnapshotBuilder builder =
                new SnapshotBuilder(
                        FilterOptions.DEFAULT,
                        new BuildResources(MEMORY, scratch()),
                        new SecureRandom().nextLong(),
                        System.currentTimeMillis(),
                        progress);
        Path name = Path.of(lists.getFirst().name());
        DiskFile file = scratch().create();
        try {
            BuildReport report = builder.build(lists, file, name);
            return new Opened(
                    filters ? Snapshot.open(file, name) : Snapshot.openStore(file, name), report);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    /** Complains of the lines that a build skipped. */
    static void complain(BuildReport report, Complaints complaints) {
        report.complaints().forEach(complaints::report);
        if (report.badLines() > 0) {
            complaints.println(
                    Numbers.count(report.badLines(), "bad line was", "bad lines were")
                            + " skipped");
        }
    }

    /** Returns the system's folder for temporary files. */
    private static Scratch scratch() {
        return new Scratch(Disk.LOCAL, Path.of(System.getProperty("java.io.tmpdir")));
    }
}
