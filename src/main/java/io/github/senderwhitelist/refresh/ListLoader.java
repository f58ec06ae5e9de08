package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.snapshot.BuildReport;
import io.github.senderwhitelist.snapshot.Sha256;
import io.github.senderwhitelist.snapshot.Snapshot;
import io.github.senderwhitelist.snapshot.SnapshotBuilder;
import io.github.senderwhitelist.snapshot.SnapshotException;
import io.github.senderwhitelist.snapshot.SnapshotHeader;
import io.github.senderwhitelist.snapshot.TextSource;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CancellationException;

/**
 * The loader of generations from the file of a list. It builds a text list, or copies a finished
 * snapshot, to the last good snapshot in the work directory and opens that; or only opens it if it
 * has the content of the file already. So nothing that happens to the list's own file can harm a
 * generation. What another server that shares the work directory puts in place of the last good
 * snapshot is never taken for it.
 */
final class ListLoader {
    private static final SecureRandom SEEDS = new SecureRandom();

    /** The memory that sorting a list may use, in bytes. */
    private static final long BUILD_MEMORY = 48L << 20;

    /** The bytes that a copy of a snapshot must leave free on the disk. */
    private static final long RESERVE = 1L << 20;

    private final ListSettings settings;
    private final Path file;
    private final Disk disk;
    private final ListCounters counters;
    private final Path work;
    private volatile boolean stopped;

    /**
     * Makes a loader for a list.
     *
     * @param counters the counts of lookups in all generations
     */
    ListLoader(ListSettings settings, Disk disk, ListCounters counters) {
        this.settings = settings;
        this.file = settings.file();
        this.disk = disk;
        this.counters = counters;
        this.work = settings.workDirectory().resolve(name(settings));
        AtomicFile.sweep(disk, work);
    }

    /**
     * Returns the name of the last good snapshot. It has a hash of the list's path and of all
     * settings that decide its content or its admission, so that other lists and other settings
     * have other files.
     */
    private static String name(ListSettings settings) {
        Path file = settings.file().toAbsolutePath().normalize();
        List<Object> identity =
                List.of(file, settings.build(), settings.exactLookup(), settings.maxShrink());
        return file.getFileName() + "-" + Sha256.hex(identity.toString(), 6) + ".swl";
    }

    /**
     * A generation that is not active yet.
     *
     * @param report the report of its build, or null when a finished snapshot was opened
     */
    record Loaded(Generation generation, @Nullable BuildReport report) {}

    /**
     * Loads the content of the file. Returns null when it is active already. Unless new content is
     * admitted, nothing has changed.
     *
     * @param active the active generation, or null at the start
     * @param state the state of the file, which it must still have when it was read
     * @throws IOException a {@link ListRefusedException} or a {@link SnapshotException} if the
     *     content of the file is refused; another one if it could not be read or built
     */
    @Nullable Loaded load(@Nullable Generation active, FileState state) throws IOException {
        boolean isReadable = active == null || active.failure() == null;
        SnapshotHeader last = isReadable ? lastHeader() : null;
        SnapshotHeader before = active == null ? last : active.header();
        SnapshotHeader finished =
                Snapshot.isSnapshot(disk, file) ? Snapshot.readHeader(disk, file) : null;
        SnapshotHeader known =
                finished == null && last != null && digest().equals(last.sourceDigest())
                        ? last
                        : finished;
        if (known != null) {
            admit(known, before, state);
            if (isReadable && active != null && known.equals(active.header())) {
                return null;
            }
            Generation opened = known.equals(last) ? lastGood() : null;
            if (opened != null && known.equals(opened.header())) {
                return new Loaded(opened, null);
            }
            if (opened != null) {
                // Another server has just put other content in its place.
                opened.retire();
            }
        }
        requireGoingOn();
        Disk.createFolders(disk, settings.workDirectory());
        if (finished != null) {
            requireSpace(finished.fileLength());
        }
        try (AtomicFile made = AtomicFile.of(disk, work)) {
            BuildReport report = finished == null ? build(made.file()) : null;
            SnapshotHeader header =
                    report == null
                            ? Snapshot.copy(disk, file, made.file(), this::requireGoingOn)
                            : report.header();
            admit(header, before, state);
            made.publish();
            return new Loaded(open(made.release()), report);
        }
    }

    private @Nullable SnapshotHeader lastHeader() {
        try {
            return Snapshot.readHeader(disk, work);
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the SHA-256 of the file, in hexadecimal. */
    private String digest() throws IOException {
        MessageDigest digest = Sha256.start();
        try (InputStream in = disk.open(file).input()) {
            byte[] buffer = new byte[1 << 16];
            for (int count = in.read(buffer); count > 0; count = in.read(buffer)) {
                digest.update(buffer, 0, count);
                requireGoingOn();
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Throws unless content may replace the content before. */
    private void admit(SnapshotHeader next, @Nullable SnapshotHeader before, FileState state)
            throws IOException {
        if (!settings.exactLookup() && next.denied() + next.conditional() + next.pairs() > 0) {
            throw new ListRefusedException(
                    ("%s: has %s '!' entries and %s with conditions and %s for some recipients,"
                                    + " which a filter alone cannot tell from plain ones; remove"
                                    + " them, or set exactLookup to on")
                            .formatted(file, next.denied(), next.conditional(), next.pairs()));
        }
        if (!disk.state(file).equals(state)) {
            throw new IOException(file + ": changed while it was read");
        }
        long had = before == null ? 0 : before.entries();
        if (next.entries() < Math.ceil(had * (1 - settings.maxShrink()))) {
            throw new ListRefusedException(
                    ("%s: only %s entries after %s, fewer than maxShrink allows. If that is"
                                    + " meant, raise maxShrink, or remove them in several steps")
                            .formatted(file, next.entries(), had));
        }
    }

    private BuildReport build(DiskFile to) throws IOException {
        return new SnapshotBuilder(
                        settings.build(),
                        BUILD_MEMORY,
                        new Scratch(disk, settings.workDirectory()),
                        SEEDS.nextLong(),
                        System.currentTimeMillis(),
                        (phase, done, total) -> requireGoingOn())
                .build(List.of(TextSource.of(disk, file)), to);
    }

    /** Opens the last good snapshot of this list. Returns null when there is none to be opened. */
    @Nullable Generation lastGood() {
        try {
            return open(disk.open(work));
        } catch (IOException e) {
            return null;
        }
    }

    /** Opens a snapshot from its file, which has its place in the work directory. */
    private Generation open(DiskFile made) throws IOException {
        Snapshot snapshot =
                settings.exactLookup()
                        ? Snapshot.open(made, work, settings.exactMemory())
                        : Snapshot.openFilters(made, work);
        return new Generation(snapshot, snapshot.store(), null, settings.cacheSize(), counters);
    }

    /** Rejects a copy that will not fit before it is begun, since it can take long. */
    private void requireSpace(long bytes) throws IOException {
        if (disk.freeBytes(settings.workDirectory()) < bytes + RESERVE) {
            throw new FileSystemException(
                    file.toString(), null, "no space for a copy of " + bytes + " bytes");
        }
    }

    /** Makes a load that is under way, and all later ones, fail. Called by another thread. */
    void stop() {
        stopped = true;
    }

    /** Throws when the list is being closed. Long loops call it again and again. */
    private void requireGoingOn() {
        if (stopped) {
            throw new CancellationException("the list is being closed");
        }
    }
}
