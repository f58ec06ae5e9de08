package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.snapshot.BuildProgress;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.ListSource;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A list that was opened for one command. A text list is built into a snapshot in a temporary file,
 * of which nothing remains when the program ends.
 */
final class OpenedList implements Closeable {
    /** The memory for sorting a text list, in bytes. Larger lists are sorted on the disk. */
    private static final long BUILD_MEMORY = 48L << 20;

    private final Generation generation;
    private final @Nullable BuildReport report;

    private OpenedList(Snapshot snapshot, @Nullable BuildReport report) {
        this.generation = Generation.exact(snapshot, 0, Duration.ofMinutes(10));
        this.report = report;
    }

    /**
     * Opens a list.
     *
     * @param list a file, or {@code -} for a text list on standard input
     * @param manyQuestions whether so many addresses are asked that loading the filters of a
     *     snapshot pays
     */
    static OpenedList open(String list, boolean manyQuestions) throws IOException {
        if (list.equals("-")) {
            return built(Lists.standardInput());
        }
        Path file = Lists.existing(list);
        if (!Snapshot.isSnapshot(Disk.LOCAL, file)) {
            return built(ListSource.of(Disk.LOCAL, file));
        }
        return new OpenedList(
                manyQuestions
                        ? Snapshot.open(Disk.LOCAL, file)
                        : Snapshot.openStore(Disk.LOCAL, file),
                null);
    }

    private static OpenedList built(ListSource source) throws IOException {
        Scratch scratch = Lists.scratch();
        SnapshotBuilder builder =
                new SnapshotBuilder(
                        FilterOptions.DEFAULT,
                        new BuildResources(BUILD_MEMORY, 1, scratch),
                        new SecureRandom().nextLong(),
                        System.currentTimeMillis(),
                        BuildProgress.NONE);
        DiskFile file = scratch.create();
        Path name = Path.of(source.name());
        try {
            BuildReport report = builder.build(List.of(source), file, name);
            return new OpenedList(Snapshot.open(file, name), report);
        } catch (IOException | RuntimeException | Error e) {
            file.close();
            throw e;
        }
    }

    Generation generation() {
        return generation;
    }

    /** Returns the messages about bad lines that were skipped. */
    List<String> warnings() {
        return report == null ? List.of() : warnings(report);
    }

    /** Returns the messages about bad lines that a build skipped. */
    static List<String> warnings(BuildReport report) {
        if (report.badLines() == 0) {
            return List.of();
        }
        List<String> warnings = new ArrayList<>(report.complaints());
        warnings.add(report.badLines() + " bad lines were skipped");
        return warnings;
    }

    @Override
    public void close() {
        generation.retire();
    }
}
