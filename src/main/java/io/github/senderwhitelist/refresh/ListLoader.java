package io.github.senderwhitelist.refresh;

import io.github.senderwhitelist.decision.Generation;
import io.github.senderwhitelist.decision.ListCounters;
import io.github.senderwhitelist.disk.AtomicFile;
import io.github.senderwhitelist.disk.Disk;
import io.github.senderwhitelist.disk.DiskFile;
import io.github.senderwhitelist.disk.FileState;
import io.github.senderwhitelist.disk.Scratch;
import io.github.senderwhitelist.list.ListRefusedException;
import io.github.senderwhitelist.snapshot.BuildProgress;
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
import java.util.function.BooleanSupplier;

/**
 * The loader of generations from the file of a list. It builds a text list, or copies a finished
 * snapshot, to the last good snapshot in the work directory and opens that; or only opens it if it
 * has the content of the file already. So nothing that happens to the list's own file can harm a
 * generation. What another server that shares the work directory puts in place of the last good
 * snapshot is never taken for it.
 */
final class ListLoader {
    /** The memory that sorting a list may use, in bytes. */
    private static final long BUILD_MEMORY = 48L << 20;

    /** The bytes that a copy of a snapshot must leave free on the disk. */
    private static final long RESERVE = 1L << 20;

    private final ListSettings settings;
    private final Path file;
    private final Disk disk;
    private final ListCounters counters;
    private final BooleanSupplier closed;

    /** The last good snapshot. */
    private final Path work;

    /** Makes a loader. Once {@code closed} is true, a load that is under way fails. */
    ListLoader(ListSettings settings, Disk disk, ListCounters counters, BooleanSupplier closed) {
        this.settings = settings;
        this.file = settings.file();
        this.disk = disk;
        this.counters = counters;
        this.closed = closed;
        // All that decides what is in it, or whether it is taken: what differs has another file.
        Path whole = file.toAbsolutePath().normalize();
        List<Object> identity =
                List.of(whole, settings.build(), settings.exactLookup(), settings.maxShrink());
        String name = whole.getFileName() + "-" + Sha256.hex(identity.toString(), 6) + ".swl";
        this.work = settings.workDirectory().resolve(name);
        AtomicFile.sweep(disk, work);
    }

    /** A generation, and the report of its build if it was built. */
    record Loaded(Generation generation, @Nullable BuildReport report) {}

    /**
     * Loads the content of the file at the start: the {@link #lastGood} if it has that content. If
     * not, its memory is free before another one is made. Fails as {@link #load} does.
     */
    Loaded first(FileState state) throws IOException {
        Generation last = lastGood();
        SnapshotHeader before = last == null ? null : last.header();
        Loaded kept = null;
        try {
            kept = last != null && hasContent(last, state) ? new Loaded(last, null) : null;
        } finally {
            if (last != null && kept == null) {
                last.retire();
            }
        }
        last = null; // For the collector.
        return kept == null ? make(before, state) : kept;
    }

    /**
     * Loads the content of the file: the active generation if it has that content. Unless new
     * content is admitted, nothing has changed.
     *
     * @param state the state of the file, which it must still have when it was read
     * @throws IOException a {@link ListRefusedException} or a {@link SnapshotException} if the
     *     content of the file is refused; another one if it could not be read or built
     */
    Loaded load(Generation active, FileState state) throws IOException {
        return hasContent(active, state) ? new Loaded(active, null) : make(active.header(), state);
    }

    private boolean hasContent(Generation active, FileState state) throws IOException {
        SnapshotHeader header = active.header();
        boolean isSame =
                active.failure() == null
                        && (Snapshot.isSnapshot(disk, file)
                                ? Snapshot.readHeader(disk, file).equals(header)
                                : digest().equals(header.sourceDigest()));
        if (isSame) {
            admit(header, header, state);
        }
        return isSame;
    }

    private Loaded make(@Nullable SnapshotHeader before, FileState state) throws IOException {
        requireGoingOn();
        Disk.createFolders(disk, settings.workDirectory());
        try (AtomicFile made = AtomicFile.create(disk, work)) {
            BuildReport report = Snapshot.isSnapshot(disk, file) ? null : build(made.file());
            SnapshotHeader header = report == null ? copy(made.file()) : report.header();
            admit(header, before, state);
            made.publish();
            return new Loaded(open(made.release()), report);
        }
    }

    private SnapshotHeader copy(DiskFile to) throws IOException {
        long length = Snapshot.readHeader(disk, file).fileLength();
        if (disk.freeBytes(settings.workDirectory()) < length + RESERVE) {
            String why = "no space for a copy of " + length + " bytes";
            throw new FileSystemException(file.toString(), null, why);
        }
        return Snapshot.copy(disk, file, to, this::requireGoingOn);
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
        Scratch scratch = new Scratch(disk, settings.workDirectory());
        long seed = new SecureRandom().nextLong();
        long now = System.currentTimeMillis();
        BuildProgress pause = (phase, done, total) -> requireGoingOn();
        return new SnapshotBuilder(settings.build(), BUILD_MEMORY, scratch, seed, now, pause)
                .build(List.of(TextSource.of(disk, file)), to);
    }

    /** Opens the last good snapshot of this list. Returns null when there is none to be opened. */
    @Nullable Generation lastGood() {
        try {
            return open(disk.open(work));
        } catch (IOException | OutOfMemoryError e) {
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

    /** Throws when the list is being closed. Long loops call it again and again. */
    private void requireGoingOn() {
        if (closed.getAsBoolean()) {
            throw new CancellationException("the list is being closed");
        }
    }
}
