package io.github.senderwhitelist.cli;

import io.github.senderwhitelist.address.Entry;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.snapshot.BuildProgress;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.BuildResources;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.TextSource;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;

/**
 * The entries of text lists in their order, in bounded memory. Lines about the same sender and
 * recipients are one entry. All lists are read before the first entry is handed out, so a list that
 * cannot be used has no effect. The entries are kept in a temporary snapshot, of which nothing
 * remains when the program ends.
 */
final class LinesInOrder implements Closeable {
    /** The memory for sorting, in bytes. Longer lists are sorted on the disk. */
    private static final long MEMORY = 256L << 20;

    private final Snapshot snapshot;
    private final BuildReport report;

    private LinesInOrder(Snapshot snapshot, BuildReport report) {
        this.snapshot = snapshot;
        this.report = report;
    }

    /** Takes an entry. */
    @FunctionalInterface
    interface Visitor {
        void visit(Entry entry) throws IOException;
    }

    /**
     * Reads lists.
     *
     * @throws io.github.senderwhitelist.list.ListRefusedException if one cannot be used
     */
    static LinesInOrder read(List<TextSource> lists, BuildProgress progress) throws IOException {
        SnapshotBuilder builder =
                new SnapshotBuilder(
                        FilterDefaults.OPTIONS,
                        new BuildResources(MEMORY, Lists.scratch()),
                        new SecureRandom().nextLong(),
                        0,
                        progress);
        Path name = Path.of(lists.getFirst().name());
        DiskFile temporary = Lists.scratch().create();
        try {
            BuildReport report = builder.build(lists, temporary, name);
            return new LinesInOrder(Snapshot.openStore(temporary, name), report);
        } catch (IOException | RuntimeException | Error e) {
            temporary.close();
            throw e;
        }
    }

    /** Returns what was read. */
    BuildReport report() {
        return report;
    }

    /** Returns about how many entries there are. */
    long count() {
        return report.header().entries();
    }

    /** Visits all entries that have rules. */
    void forEach(Visitor visitor) throws IOException {
        Objects.requireNonNull(snapshot.store())
                .forEach(
                        entry -> {
                            if (!entry.rules().isEmpty()) {
                                visitor.visit(entry);
                            }
                        });
    }

    @Override
    public void close() throws IOException {
        snapshot.close();
    }
}
