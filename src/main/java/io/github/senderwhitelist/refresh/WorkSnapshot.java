package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.snapshot.Sha256;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotHeader;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;

/**
 * The last good snapshot of a list, in the work directory. All generations of the list read it, so
 * that nothing that happens to the list's own file can harm them. Another server that follows the
 * same list may replace it at any time.
 */
final class WorkSnapshot {
    private final ListSettings settings;
    private final Disk disk;
    private final ListCounters counters;
    private final Path path;

    WorkSnapshot(ListSettings settings, Disk disk, ListCounters counters) {
        this.settings = settings;
        this.disk = disk;
        this.counters = counters;
        this.path = path(settings);
    }

    /**
     * Returns the path. The name has a hash of the list's path and of all settings that decide its
     * content or its admission, so that other lists and other settings have other files.
     */
    private static Path path(ListSettings settings) {
        Path file = settings.file().toAbsolutePath().normalize();
        String identity =
                String.join(
                        "\n",
                        file.toString(),
                        settings.build().toString(),
                        "" + settings.exactLookup(),
                        "" + settings.maxShrink());
        byte[] digest = Sha256.start().digest(identity.getBytes(StandardCharsets.UTF_8));
        String hash = HexFormat.of().formatHex(digest, 0, 6);
        return settings.workDirectory().resolve(file.getFileName() + "-" + hash + ".swl");
    }

    Path path() {
        return path;
    }

    /** Returns the header, or null when there is no snapshot to be opened. */
    @Nullable SnapshotHeader header() {
        try {
            return Snapshot.readHeader(disk, path);
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Opens the snapshot.
     *
     * @throws ReplacedException if it no longer has the expected header
     */
    Generation open(SnapshotHeader expected) throws IOException {
        Generation opened = open();
        if (!opened.header().equals(expected)) {
            opened.retire();
            throw new ReplacedException(path);
        }
        return opened;
    }

    /** Opens the snapshot, whichever it is now. */
    Generation open() throws IOException {
        Snapshot snapshot =
                settings.exactLookup()
                        ? Snapshot.open(disk, path, settings.exactMemory())
                        : Snapshot.openFilters(disk, path);
        return new Generation(
                snapshot,
                snapshot.store(),
                null,
                settings.cacheSize(),
                settings.cacheExpiry(),
                counters);
    }

    /** Signals that another server replaced the snapshot that was to be opened. */
    static final class ReplacedException extends IOException {
        private static final long serialVersionUID = 1L;

        ReplacedException(Path file) {
            super(file + ": replaced again and again while it was opened");
        }
    }

    /** Deletes what killed processes left unfinished in place of this snapshot. */
    void sweep() {
        try {
            if (disk.state(settings.workDirectory()).type() == FileState.Type.FOLDER) {
                AtomicFile.sweep(disk, path);
            }
        } catch (IOException e) {
            // If something is wrong with the folder, the next write fails and reports it.
            return;
        }
    }
}
