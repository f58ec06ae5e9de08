package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.snapshot.BuildProgress;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;

import java.io.Closeable;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.List;

/** A list that was opened to be asked about senders by one command. */
final class OpenedList implements Closeable {
    /** The memory for sorting a text list, in bytes. Larger lists are sorted on the disk. */
    private static final long BUILD_MEMORY = 48L << 20;

    private final Generation generation;
    private final List<String> warnings;

    private OpenedList(Generation generation, List<String> warnings) {
        this.generation = generation;
        this.warnings = warnings;
    }

    /**
     * Opens a list.
     *
     * @param list a file, or {@code -} for a text list on standard input
     * @param filters whether to load the filters, which pays only for many questions
     */
    static OpenedList open(String list, boolean filters) throws IOException {
        Lists.OpenedSnapshot opened = Lists.open(list, filters, OpenedList::builder);
        return new OpenedList(
                Generation.exact(opened.snapshot(), 0, Duration.ofMinutes(10)), opened.warnings());
    }

    /** Returns what builds the snapshot of a text list. */
    static SnapshotBuilder builder() {
        return new SnapshotBuilder(
                FilterDefaults.OPTIONS,
                new BuildResources(BUILD_MEMORY, 1, Lists.scratch()),
                new SecureRandom().nextLong(),
                System.currentTimeMillis(),
                BuildProgress.NONE);
    }

    Generation generation() {
        return generation;
    }

    /** Returns the messages about bad lines that were skipped. */
    List<String> warnings() {
        return warnings;
    }

    @Override
    public void close() {
        generation.retire();
    }
}
